-- tell_pools_by_behaviour: tell prefill from decode instances by the tokens they count
-- grain:   one row per target
-- params:  $service VARCHAR
-- returns: nothing
-- reads:   target, target_pool, series, sample_engine, sample_other
-- note:    a prefill instance ends requests after about one token; a decode instance makes many, or gets its prompts' cache from elsewhere; told only if every busy instance is clearly one of the two and both serve about as many requests
update target_pool
set
    pool = told.pool,
    rule = 'behaviour'
from (
    with counters as (
        select
            series.series_id,
            series.target_id,
            series.stored_in,
            target.namespace,
            target.instance,
            case
                when series.measurement = '' then 'received'
                else series.measurement
            end as what
        from series
        join target on target.target_id = series.target_id
        join target_pool as pools on pools.target_id = target.target_id
        where
            target.service = $service
            and pools.rule = 'default'
            and not target.outside
            and target.instance <> ''
            and series.priority < 100
            and (
                (
                    series.part = 'value'
                    and series.measurement in ('completions_total', 'decode_tokens_total', 'prompt_tokens_total')
                )
                or (
                    contains(series.metric, 'prompt_tokens_by_source')
                    and series.labels['source'] = 'external_kv_transfer'
                )
            )
    ),

    readings as (
        select
            counters.series_id,
            sample_engine.ts,
            case counters.what
                when 'completions_total' then sample_engine.completions_total
                when 'decode_tokens_total' then sample_engine.decode_tokens_total
                else sample_engine.prompt_tokens_total
            end as value
        from counters
        join sample_engine on sample_engine.target_id = counters.target_id
        where counters.stored_in = 'sample_engine'

        union all

        select
            counters.series_id,
            sample_other.ts,
            sample_other.value
        from counters
        join sample_other on sample_other.series_id = counters.series_id
        where counters.stored_in = 'sample_other'
    ),

    steps as (
        select
            series_id,
            greatest(value - lag(value) over (partition by series_id order by ts), 0) as step
        from readings
        where value is not null
    ),

    grown as (
        select
            series_id,
            sum(step) as increase
        from steps
        group by series_id
    ),

    instances as (
        select
            counters.namespace,
            counters.instance,
            coalesce(sum(grown.increase) filter (where counters.what = 'completions_total'), 0) as requests,
            coalesce(sum(grown.increase) filter (where counters.what = 'decode_tokens_total'), 0) as made,
            coalesce(sum(grown.increase) filter (where counters.what = 'prompt_tokens_total'), 0) as read,
            coalesce(sum(grown.increase) filter (where counters.what = 'received'), 0) as received
        from counters
        join grown on grown.series_id = counters.series_id
        group by counters.namespace, counters.instance
    ),

    judged as (
        select
            namespace,
            instance,
            requests,
            read + made < 1000 as is_idle,
            case
                when read < 1000 and made < 1000 then ''
                when received > 0.9 * read and read >= 1000 then 'decode'
                when requests >= 10 and made <= 1.5 * requests then 'prefill'
                when requests >= 10 and made >= 4 * requests then 'decode'
                when requests >= 10 then ''
                when made <= 0.01 * read then 'prefill'
                when made >= 0.05 * read then 'decode'
                else ''
            end as pool
        from instances
    ),

    labelled as (
        select
            bool_or(pools.pool = 'prefill') as has_prefill,
            bool_or(pools.pool = 'decode') as has_decode
        from target
        join target_pool as pools on pools.target_id = target.target_id
        where target.service = $service and not target.outside and pools.rule <> 'default'
    ),

    clear as (
        select
            not bool_or(judged.pool = '' and not judged.is_idle) as all_told,
            bool_or(judged.pool = 'prefill') or any_value(coalesce(labelled.has_prefill, false)) as has_prefill,
            bool_or(judged.pool = 'decode') or any_value(coalesce(labelled.has_decode, false)) as has_decode,
            sum(judged.requests) filter (where judged.pool = 'prefill') as prefill_requests,
            sum(judged.requests) filter (where judged.pool = 'decode') as decode_requests
        from judged
        cross join labelled
    )

    select
        target.target_id,
        judged.pool
    from judged
    join target on target.namespace = judged.namespace and target.instance = judged.instance
    cross join clear
    where
        target.service = $service
        and target.gpu_uuid = ''
        and judged.pool <> ''
        and clear.all_told
        and clear.has_prefill
        and clear.has_decode
        and (
            coalesce(clear.prefill_requests, 0) = 0
            or coalesce(clear.decode_requests, 0) = 0
            or clear.prefill_requests between 0.5 * clear.decode_requests and 2 * clear.decode_requests
        )
) as told
where told.target_id = target_pool.target_id and target_pool.rule = 'default'
