-- judge_histograms: gather buckets into lists and hold them against those in the store
-- grain:   one row per histogram series and moment
-- params:  none
-- returns: nothing
-- reads:   staged_bucket, histogram
-- note:    stored_counts is null for histograms that the store does not hold
create or replace temp table judged_histogram as
with gathered as (
    select
        series_id,
        ts,
        list(le order by le) as le,
        list(round(value)::bigint order by le) as counts
    from staged_bucket
    group by series_id, ts
)

select
    gathered.series_id,
    gathered.ts,
    gathered.le,
    gathered.counts,
    histogram.counts as stored_counts
from gathered
left join histogram on histogram.series_id = gathered.series_id and histogram.ts = gathered.ts
