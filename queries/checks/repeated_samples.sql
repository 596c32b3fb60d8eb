-- repeated_samples: samples of one series at one moment
-- grain:   one row per (series_id, ts) that is stored more than once
-- params:  none
-- returns: series_id INTEGER; ts TIMESTAMPTZ; copies BIGINT
-- reads:   stg_sample
-- note:    none in a sound store
select
    series_id,
    ts,
    count(*) as copies
from stg_sample
group by series_id, ts
having count(*) > 1
order by series_id, ts
