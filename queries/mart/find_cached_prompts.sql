-- find_cached_prompts: pools whose prompt tokens are more than the work done on them
-- grain:   one row per (service, pool)
-- params:  none
-- returns: service VARCHAR; pool VARCHAR; is_received BOOLEAN; is_cached BOOLEAN
-- reads:   target_pool, series, target, sample_engine
-- note:    a decode instance counts prompts whose cache came from elsewhere; with a prefix cache only part of a prompt is computed; pools with a counter of computed tokens are not concerned
with pools as (
    select
        target.service,
        target_pool.pool,
        list(distinct series.target_id) as targets,
        bool_or(series.measurement = 'prompt_tokens_total') as has_prompts,
        bool_or(series.measurement = 'prefill_tokens_total') as has_computed,
        bool_or(series.measurement in ('prefix_hits_total', 'cached_tokens_total')) as has_cache
    from series
    join target on target.target_id = series.target_id
    join target_pool on target_pool.target_id = series.target_id
    where series.samples > 0 and not target.outside
    group by target.service, target_pool.pool
),

hits as (
    select
        target.service,
        target_pool.pool,
        max(coalesce(sample_engine.prefix_hits_total, sample_engine.cached_tokens_total)) as most
    from sample_engine
    join target on target.target_id = sample_engine.target_id
    join target_pool on target_pool.target_id = sample_engine.target_id
    group by target.service, target_pool.pool
)

select
    pools.service,
    pools.pool,
    pools.pool = 'decode' as is_received,
    coalesce(hits.most, 0) > 0 as is_cached
from pools
left join hits on hits.service = pools.service and hits.pool = pools.pool
where
    pools.has_prompts
    and (pools.pool = 'decode' or (not pools.has_computed and coalesce(hits.most, 0) > 0))
order by pools.service, pools.pool
