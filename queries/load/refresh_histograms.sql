-- refresh_histograms: extent, spacing and resets of histogram series that a load touched
-- grain:   one row per series
-- params:  none
-- returns: nothing
-- reads:   histogram, judged_histogram
-- note:    the resolution is the median spacing
update series
set
    resolution_s = seen.resolution_s,
    first_at = seen.first_at,
    last_at = seen.last_at,
    samples = seen.samples,
    resets = seen.resets
from (
    with changed as (
        select distinct series_id
        from judged_histogram
    ),

    pairs as (
        select
            histogram.series_id,
            histogram.ts,
            epoch_us(histogram.ts) - epoch_us(lag(histogram.ts) over by_time) as spacing_us,
            histogram.counts[-1] < lag(histogram.counts[-1]) over by_time as falls
        from histogram
        where histogram.series_id in (select changed.series_id from changed)
        window by_time as (partition by histogram.series_id order by histogram.ts)
    )

    select
        changed.series_id,
        median(pairs.spacing_us) / 1e6 as resolution_s,
        min(pairs.ts) as first_at,
        max(pairs.ts) as last_at,
        count(pairs.ts) as samples,
        count(*) filter (where pairs.falls) as resets
    from changed
    left join pairs on pairs.series_id = changed.series_id
    group by changed.series_id
) as seen
where seen.series_id = series.series_id
