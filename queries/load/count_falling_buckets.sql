-- count_falling_buckets: new histograms whose cumulative counts fall from one bound to the next
-- grain:   one row per series that has such
-- params:  none
-- returns: series_id INTEGER; moments BIGINT
-- reads:   judged_histogram
-- note:    exporters that count without a lock write them now and then
select
    series_id,
    count(*) as moments
from judged_histogram
where stored_counts is null and counts <> list_sort(counts)
group by series_id
order by series_id
