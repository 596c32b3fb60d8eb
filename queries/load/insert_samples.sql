-- insert_samples: keep the new samples
-- grain:   one row per series and moment
-- params:  none
-- returns: nothing
-- reads:   judged
-- note:    by series and time, which compresses well and finds a series fast
insert into sample
select
    series_id,
    ts,
    value,
    source_id
from judged
where stored_value is null
order by series_id, ts
