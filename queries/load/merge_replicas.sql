-- merge_replicas: keep samples that came in parts, those of one target and moment in one row
-- grain:   one row per target and moment
-- params:  none
-- returns: nothing
-- reads:   staged_sample
-- note:    no measurement of a target has two values at one moment when this runs
insert into main.sample_replicas by name
select
    ts,
    target_id,
    source_id,
    max(desired) as desired,
    max(draining) as draining,
    max(ready) as ready,
    max(starting) as starting
from staged_sample
where family = 'replicas'
group by ts, target_id, source_id
order by ts, target_id
