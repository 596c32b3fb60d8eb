-- insert_histograms: keep the new histograms
-- grain:   one row per series and moment
-- params:  $source_id INTEGER
-- returns: nothing
-- reads:   judged_histogram, bounds
-- note:    by series and time
insert into main.histogram
select
    judged_histogram.series_id,
    judged_histogram.ts,
    bounds.bounds_id,
    judged_histogram.counts,
    $source_id::integer
from judged_histogram
join bounds on bounds.le = judged_histogram.le
where judged_histogram.stored_counts is null
order by judged_histogram.series_id, judged_histogram.ts
