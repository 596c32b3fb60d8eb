-- gauge_per_tick: gauges and exported signals of each pool on a tick grid
-- grain:   one row per (pool, measurement, part, tick_no) with a value
-- params:  $service VARCHAR; $tick_us BIGINT microseconds > 0; $phase_us BIGINT 0 <= phase < tick, microseconds; $first_us BIGINT start of the first window, since the epoch; $last_us BIGINT last tick, since the epoch
-- returns: pool VARCHAR; measurement VARCHAR; part VARCHAR; tick_no BIGINT; mean_value DOUBLE; total_value DOUBLE; series_count BIGINT
-- reads:   stg_series, stg_sample
-- note:    tick_no * tick_us + phase_us is the tick; each series gives the mean of its samples in (tick - tick_us, tick], carried forward for at most twice its resolution; then mean and sum over series
with picked as (
    select
        series_id,
        pool,
        measurement,
        part,
        (2e6 * coalesce(resolution_s, 0))::bigint as carry_us
    from stg_series
    where service = $service and kind = 'gauge' and part in ('value', 'signal')
),

windows as (
    select
        stg_sample.series_id,
        (stg_sample.at_us - $phase_us::bigint + $tick_us::bigint - 1) // $tick_us::bigint as tick_no,
        avg(stg_sample.value) as value,
        max(stg_sample.at_us) - $phase_us::bigint as newest_us
    from stg_sample
    join picked on picked.series_id = stg_sample.series_id
    where
        stg_sample.at_us > $first_us::bigint - picked.carry_us
        and stg_sample.at_us <= $last_us::bigint
    group by 1, 2
),

spans as (
    select
        windows.series_id,
        windows.tick_no,
        windows.value,
        least(
            greatest(
                windows.tick_no, (windows.newest_us + picked.carry_us) // $tick_us::bigint
            ),
            lead(windows.tick_no, 1, 9000000000000000) over (
                partition by windows.series_id order by windows.tick_no
            ) - 1,
            ($last_us::bigint - $phase_us::bigint) // $tick_us::bigint
        ) as last_no,
        picked.pool,
        picked.measurement,
        picked.part
    from windows
    join picked on picked.series_id = windows.series_id
),

filled as (
    select
        series_id,
        pool,
        measurement,
        part,
        value,
        unnest(range(tick_no, last_no + 1)) as tick_no
    from spans
)

select
    pool,
    measurement,
    part,
    tick_no,
    -- added in a fixed order, so that the same question has the same last digit
    list_sum(list(value order by series_id)) / count(*) as mean_value,
    list_sum(list(value order by series_id)) as total_value,
    count(*) as series_count
from filled
where tick_no * $tick_us::bigint + $phase_us::bigint > $first_us::bigint
group by pool, measurement, part, tick_no
order by pool, measurement, part, tick_no
