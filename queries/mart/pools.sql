-- pools: pools of each service, and what told them
-- grain:   one row per (service, pool) with a known measurement
-- params:  none
-- returns: service VARCHAR; pool VARCHAR; instances BIGINT; rule VARCHAR; gpus BIGINT
-- reads:   target, target_pool, series
-- note:    instances are distinct serving instances over all time, by engine metrics, else by GPU metrics; a GPU is its UUID, else its host and index, and its slice, whatever pod uses it
with used as (
    select
        target_id,
        bool_or(family = 'engine') as is_engine,
        bool_or(family = 'gpu') as is_gpu
    from series
    where samples > 0 and measurement <> ''
    group by target_id
),

placed as (
    select
        target.service,
        target_pool.pool,
        target_pool.rule,
        used.is_engine,
        used.is_gpu,
        case when not target.outside and target.instance <> '' then target.instance end as instance,
        case
            when used.is_gpu
                then concat_ws(
                    '/',
                    coalesce(
                        nullif(target.gpu_uuid, ''),
                        case when target.host <> '' and target.gpu_index <> '' then target.host || '#' || target.gpu_index end,
                        concat_ws('#', target.host, target.instance, target.gpu_index)
                    ),
                    nullif(target.mig, '')
                )
        end as gpu
    from target
    join used on used.target_id = target.target_id
    join target_pool on target_pool.target_id = target.target_id
)

select
    service,
    pool,
    coalesce(
        nullif(count(distinct instance) filter (where is_engine), 0),
        count(distinct instance) filter (where is_gpu)
    ) as instances,
    string_agg(distinct rule, ', ' order by rule) as rule,
    count(distinct gpu) as gpus
from placed
group by service, pool
order by service, pool
