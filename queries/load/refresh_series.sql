-- refresh_series: extent, spacing and resets of series of plain samples that a load touched
-- grain:   one row per series
-- params:  none
-- returns: nothing
-- reads:   sample, judged
-- note:    the resolution is the median spacing
update series
set
    resolution_s = seen.resolution_s,
    first_at = seen.first_at,
    last_at = seen.last_at,
    samples = seen.samples,
    resets = seen.resets
from (
    with pairs as (
        select
            sample.series_id,
            sample.ts,
            sample.value,
            epoch_us(sample.ts) - epoch_us(lag(sample.ts) over by_time) as spacing_us,
            sample.value < lag(sample.value) over by_time as falls
        from sample
        where sample.series_id in (select judged.series_id from judged)
        window by_time as (partition by sample.series_id order by sample.ts)
    )

    select
        series_id,
        median(spacing_us) / 1e6 as resolution_s,
        min(ts) as first_at,
        max(ts) as last_at,
        count(*) as samples,
        count(*) filter (where falls) as resets
    from pairs
    group by series_id
) as seen
where seen.series_id = series.series_id
