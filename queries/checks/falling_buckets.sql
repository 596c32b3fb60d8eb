-- falling_buckets: histograms whose cumulative counts fall from one bound to the next
-- grain:   one row per series and moment
-- params:  none
-- returns: series_id INTEGER; ts TIMESTAMPTZ; counts BIGINT[]
-- reads:   stg_histogram
-- note:    exporters that count without a lock write them now and then
select
    series_id,
    ts,
    counts
from stg_histogram
where counts <> list_sort(counts)
order by series_id, ts
