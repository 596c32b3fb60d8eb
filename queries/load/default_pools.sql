-- default_pools: place targets that nothing tells a pool of
-- grain:   one row per target
-- params:  $service VARCHAR
-- returns: nothing
-- reads:   target, target_pool
-- note:    beside prefill and decode pools a target without an instance speaks for the service, else all is one unified pool
update target_pool
set pool = placed.pool
from (
    with split as (
        select count(*) > 0 as is_split
        from target
        join target_pool as pools on pools.target_id = target.target_id
        where target.service = $service and pools.pool in ('prefill', 'decode')
    )

    select
        target.target_id,
        case when split.is_split and target.instance = '' then 'service' else 'unified' end as pool
    from target
    cross join split
    where target.service = $service
) as placed
where placed.target_id = target_pool.target_id and target_pool.rule = 'default'
