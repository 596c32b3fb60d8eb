-- gauge_per_tick: gauges and exported signals of each pool on a tick grid
-- grain:   one row per (pool, measurement, part, tick_no) with a value
-- params:  $service VARCHAR; $tick_us BIGINT microseconds > 0; $phase_us BIGINT 0 <= phase < tick, microseconds; $first_us BIGINT start of the first window, since the epoch; $last_us BIGINT last tick, since the epoch
-- returns: pool VARCHAR; measurement VARCHAR; part VARCHAR; tick_no BIGINT; mean_value DOUBLE; total_value DOUBLE; series_count BIGINT
-- reads:   stg_series, sample_engine, sample_gpu, sample_replicas, sample_other
-- note:    tick_no * tick_us + phase_us is the tick; each series, or GPU, gives the mean of its samples in (tick - tick_us, tick], carried forward for at most twice its resolution; then mean and sum over series; families are averaged side by side, and the newest sample of a target's row counts for all of its columns; stored values are below 1e18
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
        (2e6 * coalesce(resolution_s, 0))::bigint as carry_us
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
        avg(kv_usage) as kv_usage,
        avg(prefill_backlog_tokens) as prefill_backlog_tokens,
        avg(queue_depth) as queue_depth,
        avg(running) as running
    from sample_engine
    cross join reach
    where ts > reach.first_at and ts <= reach.last_at
    group by 1, 2
),

engine_windows as (
    unpivot engine_rows
    on columns(* exclude (target_id, tick_no, newest_us))
    into name measurement value value
),

gpu_rows as (
    select
        target_id,
        (epoch_us(ts) - $phase_us::bigint + $tick_us::bigint - 1) // $tick_us::bigint as tick_no,
        epoch_us(max(ts)) as newest_us,
        avg(dram_active) as dram_active,
        avg(fb_free) as fb_free,
        avg(fb_used) as fb_used,
        avg(gpu_temp_c) as gpu_temp_c,
        avg(gpu_util) as gpu_util,
        avg(gr_engine_active) as gr_engine_active,
        avg(mem_copy_util) as mem_copy_util,
        avg(mfu) as mfu,
        avg(power_w) as power_w,
        avg(sm_active) as sm_active,
        avg(sm_clock_mhz) as sm_clock_mhz,
        avg(sm_occupancy) as sm_occupancy,
        avg(tensor_active) as tensor_active
    from sample_gpu
    cross join reach
    where ts > reach.first_at and ts <= reach.last_at
    group by 1, 2
),

gpu_windows as (
    unpivot gpu_rows
    on columns(* exclude (target_id, tick_no, newest_us))
    into name measurement value value
),

replicas_rows as (
    select
        target_id,
        (epoch_us(ts) - $phase_us::bigint + $tick_us::bigint - 1) // $tick_us::bigint as tick_no,
        epoch_us(max(ts)) as newest_us,
        avg(desired) as desired,
        avg(draining) as draining,
        avg(ready) as ready,
        avg(starting) as starting
    from sample_replicas
    cross join reach
    where ts > reach.first_at and ts <= reach.last_at
    group by 1, 2
),

replicas_windows as (
    unpivot replicas_rows
    on columns(* exclude (target_id, tick_no, newest_us))
    into name measurement value value
),

windows as (
    select
        picked.answer_no,
        picked.unit_id,
        picked.carry_us,
        picked.is_copied,
        engine_windows.tick_no,
        engine_windows.value,
        engine_windows.newest_us
    from engine_windows
    join
        picked
        on
            picked.target_id = engine_windows.target_id
            and picked.measurement = engine_windows.measurement
            and picked.stored_in = 'sample_engine'

    union all by name

    select
        picked.answer_no,
        picked.unit_id,
        picked.carry_us,
        picked.is_copied,
        gpu_windows.tick_no,
        gpu_windows.value,
        gpu_windows.newest_us
    from gpu_windows
    join
        picked
        on
            picked.target_id = gpu_windows.target_id
            and picked.measurement = gpu_windows.measurement
            and picked.stored_in = 'sample_gpu'

    union all by name

    select
        picked.answer_no,
        picked.unit_id,
        picked.carry_us,
        picked.is_copied,
        replicas_windows.tick_no,
        replicas_windows.value,
        replicas_windows.newest_us
    from replicas_windows
    join
        picked
        on
            picked.target_id = replicas_windows.target_id
            and picked.measurement = replicas_windows.measurement
            and picked.stored_in = 'sample_replicas'

    union all by name

    select
        any_value(picked.answer_no) as answer_no,
        any_value(picked.unit_id) as unit_id,
        any_value(picked.carry_us) as carry_us,
        any_value(picked.is_copied) as is_copied,
        (epoch_us(sample_other.ts) - $phase_us::bigint + $tick_us::bigint - 1)
        // $tick_us::bigint as tick_no,
        avg(sample_other.value) as value,
        epoch_us(max(sample_other.ts)) as newest_us
    from sample_other
    join picked on picked.series_id = sample_other.series_id and picked.stored_in = 'sample_other'
    cross join reach
    where sample_other.ts > reach.first_at and sample_other.ts <= reach.last_at
    group by picked.series_id, tick_no
),

lasting as (
    select *
    from windows
    where carry_us >= $tick_us::bigint or is_copied
),

-- pods that share or follow each other on a GPU report the same GPU
copies as (
    select
        unit_id,
        any_value(answer_no) as answer_no,
        max(max(carry_us)) over (partition by unit_id) as carry_us,
        tick_no,
        avg(value) as value,
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
        tick_no
    from windows
    where carry_us < $tick_us::bigint and not is_copied

    union all

    select
        answer_no,
        value,
        unnest(range(tick_no, last_no + 1)) as tick_no
    from spans
),

-- whole numbers of 2^-60 are added, so that the order of adding leaves no trace in the last digit
pooled as (
    select
        answer_no,
        tick_no,
        sum((value * 1152921504606846976)::hugeint)::double / 1152921504606846976 as total_value,
        count(*) as series_count
    from filled
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
