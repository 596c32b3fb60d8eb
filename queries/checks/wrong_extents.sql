-- wrong_extents: series whose stored extent is not that of their samples
-- grain:   one row per such series
-- params:  none
-- returns: series_id INTEGER; stored BIGINT; found BIGINT
-- reads:   series, stg_sample
-- note:    none in a sound store; plain samples only
with counted as (
    select
        series_id,
        count(*) as samples,
        min(ts) as first_at,
        max(ts) as last_at
    from stg_sample
    group by series_id
)

select
    series.series_id,
    series.samples as stored,
    coalesce(counted.samples, 0) as found
from series
left join counted on counted.series_id = series.series_id
where
    series.stored_in <> 'histogram'
    and (
        coalesce(counted.samples, 0) <> series.samples
        or counted.first_at is distinct from series.first_at
        or counted.last_at is distinct from series.last_at
    )
order by series.series_id
