-- rate_per_tick: rates of the counters of each pool on a tick grid
-- grain:   one row per (pool, measurement, part, tick_no) with a value
-- params:  $service VARCHAR; $tick_us BIGINT microseconds > 0; $phase_us BIGINT 0 <= phase < tick, microseconds; $first_us BIGINT start of the first window, since the epoch; $last_us BIGINT last tick, since the epoch; $gap_us BIGINT longest hole that is bridged
-- returns: pool VARCHAR; measurement VARCHAR; part VARCHAR; tick_no BIGINT; rate_per_s DOUBLE; series_count BIGINT
-- reads:   stg_series, stg_sample
-- note:    increases are taken per series before any sum, after a reset the new value is the increase; each is spread evenly over its interval, seen with the series' usual age at a tick, so that no tick looks ahead and totals are kept; a tick covered by less than half is absent
with picked as (
    select
        series_id,
        pool,
        measurement,
        part,
        (1e6 * coalesce(resolution_s, 0))::bigint as step_us
    from stg_series
    where service = $service and kind = 'counter'
),

pairs as (
    select
        stg_sample.series_id,
        stg_sample.at_us - $phase_us::bigint as at_us,
        stg_sample.value,
        lag(stg_sample.at_us) over by_time - $phase_us::bigint as before_us,
        lag(stg_sample.value) over by_time as before_value
    from stg_sample
    join picked on picked.series_id = stg_sample.series_id
    where
        stg_sample.at_us
        > $first_us::bigint - greatest($gap_us::bigint, 3 * picked.step_us) - 2 * $tick_us::bigint
        and stg_sample.at_us <= $last_us::bigint
    window by_time as (partition by stg_sample.series_id order by stg_sample.at_us)
),

steps as (
    select
        pairs.series_id,
        picked.step_us,
        pairs.before_us,
        pairs.at_us,
        case
            when pairs.value >= pairs.before_value then pairs.value - pairs.before_value
            else pairs.value
        end as increase
    from pairs
    join picked on picked.series_id = pairs.series_id
    where
        pairs.before_us is not null
        and pairs.at_us - pairs.before_us <= greatest($gap_us::bigint, 5 * picked.step_us // 2)
),

-- how old the newest sample of a series is at a tick, at most, gaps left out
ages as (
    select
        series_id,
        greatest(max(((at_us - 1) // $tick_us::bigint) * $tick_us::bigint - before_us), 0) as age_us
    from steps
    where at_us - before_us <= 3 * step_us // 2
    group by series_id
),

spread as (
    select
        steps.series_id,
        steps.increase,
        steps.before_us + coalesce(ages.age_us, 0) as from_us,
        steps.at_us + coalesce(ages.age_us, 0) as to_us
    from steps
    left join ages on ages.series_id = steps.series_id
),

pieces as (
    select
        series_id,
        increase,
        from_us,
        to_us,
        unnest(
            range(
                from_us // $tick_us::bigint + 1,
                (to_us + $tick_us::bigint - 1) // $tick_us::bigint + 1
            )
        ) as tick_no
    from spread
),

shares as (
    select
        series_id,
        tick_no,
        from_us,
        increase,
        to_us - from_us as width_us,
        least(to_us, tick_no * $tick_us::bigint)
        - greatest(from_us, (tick_no - 1) * $tick_us::bigint) as overlap_us
    from pieces
    where
        tick_no * $tick_us::bigint + $phase_us::bigint > $first_us::bigint
        and tick_no * $tick_us::bigint + $phase_us::bigint <= $last_us::bigint
),

per_series as (
    select
        series_id,
        tick_no,
        list_sum(list(increase * overlap_us / width_us order by from_us)) as amount,
        sum(overlap_us) as covered_us
    from shares
    group by series_id, tick_no
),

final as (
    select
        picked.pool,
        picked.measurement,
        picked.part,
        per_series.tick_no,
        -- added in a fixed order, so that the same question has the same last digit
        list_sum(list(per_series.amount order by per_series.series_id)) as amount,
        max(per_series.covered_us) as covered_us,
        count(*) as series_count
    from per_series
    join picked on picked.series_id = per_series.series_id
    group by all
)

select
    pool,
    measurement,
    part,
    tick_no,
    amount / (covered_us / 1e6) as rate_per_s,
    series_count
from final
where covered_us * 2 >= $tick_us::bigint
order by pool, measurement, part, tick_no
