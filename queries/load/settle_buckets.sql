-- settle_buckets: one count per bucket and moment: the first that was read
-- grain:   one row per bucket and moment
-- params:  none
-- returns: nothing
-- reads:   staged_bucket
-- note:    replaces the table
create or replace temp table staged_bucket as
select
    series_id,
    le,
    ts,
    arg_min(value, part) as value,
    min(part) as part
from staged_bucket
group by series_id, le, ts
