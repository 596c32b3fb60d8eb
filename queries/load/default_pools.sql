-- default_pools: place targets that nothing tells a pool of
-- grain:   one row per target
-- params:  $service VARCHAR
-- returns: nothing
-- reads:   target, target_pool, series
-- note:    beside prefill and decode pools a target without an instance speaks for the service, and so does an instance that counts arrivals and no work; else all is one unified pool
update target_pool
set pool = placed.pool
from (
    with split as (
        select count(*) > 0 as is_split
        from target
        join target_pool as pools on pools.target_id = target.target_id
        where target.service = $service and pools.pool in ('prefill', 'decode')
    ),

    doors as (
        select
            target.namespace,
            target.instance
        from target
        join series on series.target_id = target.target_id
        where target.service = $service and target.instance <> '' and series.measurement <> ''
        group by target.namespace, target.instance
        having
            bool_or(
                series.family = 'gateway'
                or series.measurement in ('request_rate', 'offered_prompt_tps', 'offered_output_tps')
            )
            and not bool_or(series.family in ('engine', 'gpu') and series.measurement <> 'e2e')
    )

    select
        target.target_id,
        case
            when split.is_split and (target.instance = '' or doors.instance is not null) then 'service'
            else 'unified'
        end as pool
    from target
    cross join split
    left join doors on doors.namespace = target.namespace and doors.instance = target.instance
    where target.service = $service
) as placed
where placed.target_id = target_pool.target_id and target_pool.rule = 'default'
