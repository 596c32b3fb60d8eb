-- gauge_per_tick: gauges and exported signals of each pool on a tick grid
-- grain:   one row per (pool, measurement, part, tick_no) with a value
-- params:  $service VARCHAR; $tick_us BIGINT microseconds > 0; $phase_us BIGINT 0 <= phase < tick, microseconds; $first_us BIGINT start of the first window, since the epoch; $last_us BIGINT last tick, since the epoch
-- returns: pool VARCHAR; measurement VARCHAR; part VARCHAR; tick_no BIGINT; mean_value DOUBLE; total_value DOUBLE; series_count BIGINT
-- reads:   stg_series, sample_engine, sample_gpu, sample_replicas, sample_other
-- note:    tick_no * tick_us + phase_us is the tick; each series, or GPU, gives the mean of its samples in (tick - tick_us, tick], carried forward for at most twice its resolution; then mean and sum over series; families are averaged side by side, added up so where nothing is carried, and the newest sample of a target's row counts for all of its columns; stored values are below 1e15
with picked as (
    select
        series_id,
        unit_id,
        target_id,
        pool,
        measurement,
        part,
        stored_in,
        -- one number for the three names: rows in between stay narrow
        dense_rank() over (order by pool, measurement, part) as answer_no,
        count(*) over (partition by unit_id) > 1 as is_copied,
        (2e6 * coalesce(resolution_s, 0))::bigint as carry_us,
        -- nothing of it outlasts its tick, and no other series tells of the same thing
        carry_us < $tick_us::bigint and not is_copied and stored_in <> 'sample_other' as is_plain
    from stg_series
    where service = $service and kind = 'gauge' and part in ('value', 'signal')
),

reach as (
    select
        make_timestamptz($first_us::bigint - coalesce(max(carry_us), 0)) as first_at,
        make_timestamptz($last_us::bigint) as last_at
    from picked
),

engine_rows as (
    select
        target_id,
        (epoch_us(ts) - $phase_us::bigint + $tick_us::bigint - 1) // $tick_us::bigint as tick_no,
        epoch_us(max(ts)) as newest_us,
        favg(kv_usage) as kv_usage,
        favg(prefill_backlog_tokens) as prefill_backlog_tokens,
        favg(queue_depth) as queue_depth,
        favg(running) as running
    from sample_engine
    cross join reach
    where ts > reach.first_at and ts <= reach.last_at
    group by target_id, tick_no
),

gpu_rows as (
    select
        target_id,
        (epoch_us(ts) - $phase_us::bigint + $tick_us::bigint - 1) // $tick_us::bigint as tick_no,
        epoch_us(max(ts)) as newest_us,
        favg(columns(* exclude (ts, target_id, source_id, first_at, last_at, energy_j_total)))
    from sample_gpu
    cross join reach
    where ts > reach.first_at and ts <= reach.last_at
    group by target_id, tick_no
),

replicas_rows as (
    select
        target_id,
        (epoch_us(ts) - $phase_us::bigint + $tick_us::bigint - 1) // $tick_us::bigint as tick_no,
        epoch_us(max(ts)) as newest_us,
        favg(columns(* exclude (ts, target_id, source_id, first_at, last_at)))
    from sample_replicas
    cross join reach
    where ts > reach.first_at and ts <= reach.last_at
    group by target_id, tick_no
),

-- targets of one pool whose plain series are the same are added up before their columns are taken apart
plain_targets as (
    select
        target_id,
        stored_in,
        any_value(pool) || ' ' || string_agg(measurement, ' ' order by measurement) as kin
    from picked
    where is_plain
    group by target_id, stored_in
),

plain_answers as (
    select distinct
        plain_targets.kin,
        picked.measurement,
        picked.answer_no
    from plain_targets
    join
        picked
        on
            picked.target_id = plain_targets.target_id
            and picked.stored_in = plain_targets.stored_in
            and picked.is_plain
),

-- whole numbers of 2^-60 are added, so that the order of adding leaves no trace in the last digit
engine_sums as (
    select
        plain_targets.kin,
        engine_rows.tick_no,
        {
            'total': sum(
                (columns(engine_rows.* exclude (target_id, tick_no, newest_us)) * 1152921504606846976)::hugeint
            ),
            'series_count': count(columns(engine_rows.* exclude (target_id, tick_no, newest_us)))
        }
    from engine_rows
    join
        plain_targets
        on
            plain_targets.target_id = engine_rows.target_id
            and plain_targets.stored_in = 'sample_engine'
    group by plain_targets.kin, engine_rows.tick_no
),

gpu_sums as (
    select
        plain_targets.kin,
        gpu_rows.tick_no,
        {
            'total': sum(
                (columns(gpu_rows.* exclude (target_id, tick_no, newest_us)) * 1152921504606846976)::hugeint
            ),
            'series_count': count(columns(gpu_rows.* exclude (target_id, tick_no, newest_us)))
        }
    from gpu_rows
    join
        plain_targets
        on
            plain_targets.target_id = gpu_rows.target_id
            and plain_targets.stored_in = 'sample_gpu'
    group by plain_targets.kin, gpu_rows.tick_no
),

replicas_sums as (
    select
        plain_targets.kin,
        replicas_rows.tick_no,
        {
            'total': sum(
                (columns(replicas_rows.* exclude (target_id, tick_no, newest_us)) * 1152921504606846976)::hugeint
            ),
            'series_count': count(columns(replicas_rows.* exclude (target_id, tick_no, newest_us)))
        }
    from replicas_rows
    join
        plain_targets
        on
            plain_targets.target_id = replicas_rows.target_id
            and plain_targets.stored_in = 'sample_replicas'
    group by plain_targets.kin, replicas_rows.tick_no
),

plain_sums as (
    from (unpivot engine_sums on columns(* exclude (kin, tick_no)) into name measurement value added)
    union all
    from (unpivot gpu_sums on columns(* exclude (kin, tick_no)) into name measurement value added)
    union all
    from (unpivot replicas_sums on columns(* exclude (kin, tick_no)) into name measurement value added)
),

plain as (
    select
        plain_answers.answer_no,
        plain_sums.tick_no,
        plain_sums.added.total as total,
        plain_sums.added.series_count as series_count
    from plain_sums
    join
        plain_answers
        on
            plain_answers.kin = plain_sums.kin
            and plain_answers.measurement = plain_sums.measurement
    where plain_sums.added.series_count > 0
),

lasting_targets as (
    select distinct target_id
    from picked
    where not is_plain
),

apart as (
    select
        'sample_engine' as stored_in,
        *
    from (
        unpivot (from engine_rows where target_id in (select lasting_targets.target_id from lasting_targets))
        on columns(* exclude (target_id, tick_no, newest_us))
        into name measurement value value
    )
    union all
    select
        'sample_gpu' as stored_in,
        *
    from (
        unpivot (from gpu_rows where target_id in (select lasting_targets.target_id from lasting_targets))
        on columns(* exclude (target_id, tick_no, newest_us))
        into name measurement value value
    )
    union all
    select
        'sample_replicas' as stored_in,
        *
    from (
        unpivot (from replicas_rows where target_id in (select lasting_targets.target_id from lasting_targets))
        on columns(* exclude (target_id, tick_no, newest_us))
        into name measurement value value
    )
),

lasting as (
    select
        picked.answer_no,
        picked.unit_id,
        picked.carry_us,
        picked.is_copied,
        apart.tick_no,
        apart.value,
        apart.newest_us
    from apart
    join
        picked
        on
            picked.target_id = apart.target_id
            and picked.measurement = apart.measurement
            and picked.stored_in = apart.stored_in
    where not picked.is_plain

    union all by name

    select
        any_value(picked.answer_no) as answer_no,
        any_value(picked.unit_id) as unit_id,
        any_value(picked.carry_us) as carry_us,
        any_value(picked.is_copied) as is_copied,
        (epoch_us(sample_other.ts) - $phase_us::bigint + $tick_us::bigint - 1)
        // $tick_us::bigint as tick_no,
        favg(sample_other.value) as value,
        epoch_us(max(sample_other.ts)) as newest_us
    from sample_other
    join picked on picked.series_id = sample_other.series_id and picked.stored_in = 'sample_other'
    cross join reach
    where sample_other.ts > reach.first_at and sample_other.ts <= reach.last_at
    group by picked.series_id, tick_no
),

-- pods that share or follow each other on a GPU report the same GPU
copies as (
    select
        unit_id,
        any_value(answer_no) as answer_no,
        max(max(carry_us)) over (partition by unit_id) as carry_us,
        tick_no,
        favg(value) as value,
        max(newest_us) as newest_us
    from lasting
    where is_copied
    group by unit_id, tick_no
),

carried as (
    select * exclude (is_copied)
    from lasting
    where not is_copied

    union all by name

    select *
    from copies
),

spans as (
    select
        *,
        least(
            greatest(tick_no, (newest_us - $phase_us::bigint + carry_us) // $tick_us::bigint),
            lead(tick_no, 1, 9000000000000000) over (partition by unit_id order by tick_no) - 1,
            ($last_us::bigint - $phase_us::bigint) // $tick_us::bigint
        ) as last_no
    from carried
    where newest_us > $first_us::bigint - carry_us
),

filled as (
    select
        answer_no,
        value,
        unnest(range(tick_no, last_no + 1)) as tick_no
    from spans
),

counted as (
    select
        answer_no,
        tick_no,
        total,
        series_count
    from plain

    union all

    select
        answer_no,
        tick_no,
        sum((value * 1152921504606846976)::hugeint) as total,
        count(*) as series_count
    from filled
    group by answer_no, tick_no
),

pooled as (
    select
        answer_no,
        tick_no,
        sum(total)::double / 1152921504606846976 as total_value,
        sum(series_count)::bigint as series_count
    from counted
    where tick_no * $tick_us::bigint + $phase_us::bigint > $first_us::bigint
    group by answer_no, tick_no
),

answers as (
    select distinct
        answer_no,
        pool,
        measurement,
        part
    from picked
)

select
    answers.pool,
    answers.measurement,
    answers.part,
    pooled.tick_no,
    pooled.total_value / pooled.series_count as mean_value,
    pooled.total_value,
    pooled.series_count
from pooled
join answers on answers.answer_no = pooled.answer_no
order by pool, measurement, part, tick_no
