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
    with pairs as (
        select
            histogram.series_id,
            histogram.ts,
            epoch_us(histogram.ts) - epoch_us(lag(histogram.ts) over by_time) as spacing_us,
            histogram.counts[-1] < lag(histogram.counts[-1]) over by_time as falls
        from histogram
        where histogram.series_id in (select judged_histogram.series_id from judged_histogram)
        window by_time as (partition by histogram.series_id order by histogram.ts)
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
