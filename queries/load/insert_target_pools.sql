-- insert_target_pools: keep where new targets belong
-- grain:   one row per target
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame
insert into target_pool
select
    target_id,
    pool,
    rule,
    null::timestamptz,
    null::timestamptz
from chunk
