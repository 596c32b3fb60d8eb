-- ready_per_tick: instances of each pool that gave any engine sample
-- grain:   one row per (pool, tick_no) with an instance
-- params:  $service VARCHAR; $tick_us BIGINT microseconds > 0; $phase_us BIGINT 0 <= phase < tick, microseconds; $first_us BIGINT start of the first window, since the epoch; $last_us BIGINT last tick, since the epoch
-- returns: pool VARCHAR; tick_no BIGINT; ready_count BIGINT
-- reads:   stg_series, stg_sample
-- note:    an instance counts at a tick with a sample in (tick - tick_us, tick], and for at most twice its resolution after its last one
with picked as (
    select
        series_id,
        pool,
        instance,
        (2e6 * coalesce(resolution_s, 0))::bigint as carry_us
    from stg_series
    where
        service = $service
        and family = 'engine'
        and kind <> 'histogram'
        and not outside
        and instance <> ''
        and pool <> 'service'
),

windows as (
    select
        picked.pool,
        picked.instance,
        (stg_sample.at_us - $phase_us::bigint + $tick_us::bigint - 1) // $tick_us::bigint as tick_no,
        max(stg_sample.at_us + picked.carry_us) - $phase_us::bigint as until_us
    from stg_sample
    join picked on picked.series_id = stg_sample.series_id
    where
        stg_sample.at_us > $first_us::bigint - picked.carry_us
        and stg_sample.at_us <= $last_us::bigint
    group by all
),

spans as (
    select
        pool,
        instance,
        tick_no,
        least(
            greatest(tick_no, until_us // $tick_us::bigint),
            lead(tick_no, 1, 9000000000000000) over (
                partition by pool, instance order by tick_no
            ) - 1,
            ($last_us::bigint - $phase_us::bigint) // $tick_us::bigint
        ) as last_no
    from windows
),

filled as (
    select
        pool,
        unnest(range(tick_no, last_no + 1)) as tick_no
    from spans
)

select
    pool,
    tick_no,
    count(*) as ready_count
from filled
where tick_no * $tick_us::bigint + $phase_us::bigint > $first_us::bigint
group by pool, tick_no
order by pool, tick_no
