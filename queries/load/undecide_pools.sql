-- undecide_pools: forget pools that were told from other targets or from behaviour
-- grain:   one row per target
-- params:  $service VARCHAR
-- returns: nothing
-- reads:   target, target_pool
-- note:    new data may say more; Dynamo's component `backend` is the decode pool only where there is a prefill pool
update target_pool
set
    pool = placed.pool,
    rule = placed.rule
from (
    with split as (
        select count(*) > 0 as is_split
        from target
        join target_pool as pools on pools.target_id = target.target_id
        where target.service = $service and pools.pool = 'prefill'
    )

    select
        target.target_id,
        case
            when split.is_split and pools.rule = 'label dynamo_component' then 'decode'
            else 'unified'
        end as pool,
        case when pools.rule = 'label dynamo_component' then pools.rule else 'default' end as rule
    from target
    join target_pool as pools on pools.target_id = target.target_id
    cross join split
    where
        target.service = $service
        and (
            pools.rule = 'behaviour'
            or starts_with(pools.rule, 'joined')
            or (pools.rule = 'label dynamo_component' and lower(target.labels['dynamo_component']) = 'backend')
        )
) as placed
where placed.target_id = target_pool.target_id
