-- targets: what was scraped, the pool it was given, and what decided
-- grain:   one row per (service, target) with samples
-- params:  none
-- returns: service VARCHAR; target VARCHAR; pool VARCHAR; rule VARCHAR; decided_by VARCHAR; series BIGINT; samples BIGINT
-- reads:   target, target_pool, series
-- note:    decided_by is the label and its value, the shared instance, GPU or host, or the user's rule; empty where nothing decided
with held as (
    select
        target_id,
        count(*) as series,
        sum(samples)::bigint as samples
    from series
    where samples > 0
    group by target_id
),

named as (
    select
        target.target_id,
        target.service,
        target.instance,
        target.gpu_uuid,
        target.gpu_index,
        target.host,
        target_pool.pool,
        target_pool.rule,
        concat_ws(
            ' ',
            nullif(concat_ws('/', nullif(target.namespace, ''), nullif(target.instance, '')), ''),
            nullif(target.part, ''),
            'gpu ' || coalesce(nullif(target.gpu_uuid, ''), nullif(target.gpu_index, '')),
            'MIG ' || nullif(target.mig, ''),
            'on ' || nullif(case when target.host <> target.instance then target.host else '' end, '')
        ) as target,
        list_filter(
            map_entries(target.labels),
            lambda label: 'label ' || regexp_replace(label.key, '[^A-Za-z0-9_:]', '_', 'g') = target_pool.rule
        )[1].value as value
    from target
    join target_pool on target_pool.target_id = target.target_id
)

select
    named.service,
    coalesce(nullif(named.target, ''), 'all') as target,
    named.pool,
    named.rule,
    case
        when starts_with(named.rule, 'label ') then concat_ws('=', substr(named.rule, 7), named.value)
        when named.rule = 'joined instance' then 'instance=' || named.instance
        when named.rule = 'joined gpu' then 'gpu=' || coalesce(nullif(named.gpu_uuid, ''), named.gpu_index)
        when named.rule = 'joined host' then 'host=' || coalesce(nullif(named.host, ''), named.instance)
        when named.rule = 'default' then ''
        when named.rule = 'behaviour' then 'tokens per request'
        when named.rule = 'metric' then 'name of the metric'
        when named.rule = 'format' then 'header of the file'
        else named.rule
    end as decided_by,
    held.series,
    held.samples
from named
join held on held.target_id = named.target_id
order by named.service, named.pool, named.target, named.target_id
