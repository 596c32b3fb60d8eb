-- scrape_moments: when anything of a target was sampled
-- grain:   one row per target and moment
-- params:  none
-- returns: target_id INTEGER; ts_us BIGINT
-- reads:   chunk, series, sample_engine, sample_gateway, sample_gpu, sample_replicas, sample_other, histogram
-- note:    `chunk` is a registered frame: target_id, first_at, last_at, the span that is asked of; one sample of any series counts, but of those that a collector writes itself, also of a failed scrape
with moments as (
    select
        target_id,
        ts
    from sample_engine

    union all

    select
        target_id,
        ts
    from sample_gateway

    union all

    select
        target_id,
        ts
    from sample_gpu

    union all

    select
        target_id,
        ts
    from sample_replicas

    union all

    select
        series.target_id,
        sample_other.ts
    from sample_other
    join series on series.series_id = sample_other.series_id
    where series.metric <> 'up' and not starts_with(series.metric, 'scrape_')

    union all

    select
        series.target_id,
        histogram.ts
    from histogram
    join series on series.series_id = histogram.series_id
)

select distinct
    moments.target_id,
    epoch_us(moments.ts) as ts_us
from moments
join chunk on chunk.target_id = moments.target_id and moments.ts between chunk.first_at and chunk.last_at
order by moments.target_id, ts_us
