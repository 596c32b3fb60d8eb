-- join_pools: give targets without a pool the one of their instance
-- grain:   one row per target
-- params:  $service VARCHAR
-- returns: nothing
-- reads:   target, target_pool
-- note:    hardware exporters name the pod or host but no role
update target_pool
set
    pool = known.pool,
    rule = 'joined'
from (
    select
        lost.target_id,
        min(pools.pool) as pool
    from target as lost
    join target as found
        on
            found.service = lost.service
            and found.instance = lost.instance
            and (found.namespace = lost.namespace or '' in (found.namespace, lost.namespace))
    join target_pool as pools on pools.target_id = found.target_id
    where
        lost.service = $service
        and lost.instance <> ''
        and not found.outside
        and pools.rule not in ('default', 'joined')
        and pools.pool <> 'service'
    group by lost.target_id
    having count(distinct pools.pool) = 1
) as known
where known.target_id = target_pool.target_id and target_pool.rule in ('default', 'joined')
