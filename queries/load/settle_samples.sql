-- settle_samples: one value per series and moment: the first that was read
-- grain:   one row per (series_id, le, ts)
-- params:  none
-- returns: nothing
-- reads:   incoming
-- note:    le is -infinity for plain samples, so that keys are never null
create or replace temp table settled as
select
    series_id,
    coalesce(le, '-infinity'::double) as le,
    ts,
    min(seq) as seq,
    arg_min(value, seq) as value,
    arg_min(source_id, seq) as source_id
from incoming
group by 1, 2, 3
