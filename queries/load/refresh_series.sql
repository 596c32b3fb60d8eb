-- refresh_series: extent, spacing and resets of series from their samples
-- grain:   one row per series
-- params:  none
-- returns: nothing
-- reads:   sample, touched
-- note:    the resolution is the median spacing; series that lost all samples are left with none; gauges fall without having been reset
update series
set
    resolution_s = seen.resolution_s,
    first_at = seen.first_at,
    last_at = seen.last_at,
    samples = seen.samples,
    resets = case when series.kind = 'gauge' then 0 else seen.resets end
from (
    with pairs as (
        select
            sample.series_id,
            sample.ts,
            sample.value,
            epoch_us(sample.ts) - epoch_us(lag(sample.ts) over by_time) as spacing_us,
            sample.value < lag(sample.value) over by_time as falls
        from sample
        where sample.series_id in (select touched.series_id from touched)
        window by_time as (partition by sample.series_id order by sample.ts)
    )

    select
        touched.series_id,
        median(pairs.spacing_us) / 1e6 as resolution_s,
        min(pairs.ts) as first_at,
        max(pairs.ts) as last_at,
        count(pairs.ts) as samples,
        count(*) filter (where pairs.falls) as resets
    from touched
    left join pairs on pairs.series_id = touched.series_id
    group by touched.series_id
) as seen
where seen.series_id = series.series_id
