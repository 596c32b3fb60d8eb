-- update_target_pools: move known targets where the user's rules put them
-- grain:   one row per target
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame
update target_pool
set
    pool = chunk.pool,
    rule = chunk.rule
from chunk
where chunk.target_id = target_pool.target_id
