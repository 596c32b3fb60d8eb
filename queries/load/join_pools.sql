-- join_pools: give targets without a pool the one of their instance, GPU or host
-- grain:   one row per target
-- params:  $service VARCHAR
-- returns: nothing
-- reads:   target, target_pool, series
-- note:    hardware exporters name the pod or host but no role; a pool counts only if all targets that share the instance, GPU or host agree on it, nearest first; who counts arrivals and no work shares a host with a pool by chance only
update target_pool
set
    pool = known.pool,
    rule = known.rule
from (
    with placed as (
        select
            target.target_id,
            target.namespace,
            target.instance,
            target.gpu_uuid,
            target.gpu_index,
            coalesce(
                nullif(target.host, ''), nullif(regexp_extract(target.instance, '^(.+):[0-9]+$', 1), ''), target.instance
            ) as host,
            target.outside,
            pools.pool,
            pools.rule = 'default' as is_lost
        from target
        join target_pool as pools on pools.target_id = target.target_id
        where target.service = $service
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
    ),

    decided as (
        select *
        from placed
        where not is_lost and not outside and pool <> 'service'
    ),

    evidence as (
        select
            lost.target_id,
            found.pool,
            1 as distance
        from placed as lost
        join decided as found
            on
                found.instance = lost.instance
                and (found.namespace = lost.namespace or '' in (found.namespace, lost.namespace))
        where lost.is_lost and lost.instance <> ''

        union all

        select
            lost.target_id,
            found.pool,
            2 as distance
        from placed as lost
        join decided as found on found.gpu_uuid = lost.gpu_uuid
        where lost.is_lost and lost.gpu_uuid <> ''

        union all

        select
            lost.target_id,
            found.pool,
            case when lost.gpu_index <> '' and found.gpu_index = lost.gpu_index then 3 else 4 end as distance
        from placed as lost
        join decided as found on found.host = lost.host
        left join doors on doors.namespace = lost.namespace and doors.instance = lost.instance
        where lost.is_lost and lost.host <> '' and doors.instance is null
    ),

    agreed as (
        select
            target_id,
            distance,
            min(pool) as pool
        from evidence
        group by target_id, distance
        having count(distinct pool) = 1
    )

    select
        target_id,
        arg_min(pool, distance) as pool,
        case min(distance) when 1 then 'joined instance' when 2 then 'joined gpu' when 3 then 'joined gpu' else 'joined host' end as rule
    from agreed
    group by target_id
) as known
where known.target_id = target_pool.target_id and target_pool.rule = 'default'
