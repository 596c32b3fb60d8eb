-- pools_of_targets: where targets belong
-- grain:   one row per target
-- params:  none
-- returns: target_id INTEGER; pool VARCHAR; outside BOOLEAN
-- reads:   chunk, target, target_pool
-- note:    `chunk` is a registered frame: target_id
select
    target.target_id,
    target_pool.pool,
    target.outside
from chunk
join target on target.target_id = chunk.target_id
join target_pool on target_pool.target_id = target.target_id
order by target.target_id
