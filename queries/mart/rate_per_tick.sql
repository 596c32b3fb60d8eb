-- rate_per_tick: rates of the counters of each pool on a tick grid
-- grain:   one row per (pool, measurement, part, tick_no) with a value
-- params:  $service VARCHAR; $tick_us BIGINT microseconds > 0; $phase_us BIGINT 0 <= phase < tick, microseconds; $first_us BIGINT start of the first window, since the epoch; $last_us BIGINT last tick, since the epoch; $gap_us BIGINT longest hole that is bridged
-- returns: pool VARCHAR; measurement VARCHAR; part VARCHAR; tick_no BIGINT; rate_per_s DOUBLE; series_count BIGINT
-- reads:   stg_series, stg_sample
-- note:    increases are taken per series before any sum, after a reset the new value is the increase; each is spread evenly over its interval, seen with the series' usual age at a tick, so that no tick looks ahead but where a missed scrape is bridged, and totals are kept; a tick covered by less than half is absent, and so is one at which a series is silent that is not known to be gone
with picked as (
    select
        series_id,
        unit_id,
        count(*) over (partition by unit_id) > 1 as is_copied,
        pool,
        measurement,
        part,
        -- one number for the three names: rows in between stay narrow
        dense_rank() over (order by pool, measurement, part) as answer_no,
        (1e6 * coalesce(resolution_s, 0))::bigint as step_us,
        greatest($gap_us::bigint, 5 * step_us // 2) as bridge_us,
        epoch_us(first_at) as born_us,
        min(born_us) over (partition by pool, measurement, part) as oldest_us,
        epoch_us(last_at) > $last_us::bigint as goes_on
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
        > $first_us::bigint - greatest(picked.bridge_us, 3 * picked.step_us) - 2 * $tick_us::bigint
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
        and pairs.at_us - pairs.before_us <= picked.bridge_us
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

-- pods that share a GPU report one counter, those that follow each other on it report its parts
per_unit as (
    select
        any_value(picked.answer_no) as answer_no,
        per_series.tick_no,
        list_sum(list(per_series.amount order by per_series.amount))
        * case
            when picked.is_copied then least(1, $tick_us::bigint / sum(per_series.covered_us))
            else 1
        end as amount,
        sum(per_series.covered_us) as covered_us
    from per_series
    join picked on picked.series_id = per_series.series_id
    group by picked.unit_id, picked.is_copied, per_series.tick_no
),

pooled as (
    select
        answer_no,
        tick_no,
        -- the smallest first, so that the last digit does not depend on what was loaded first
        list_sum(list(amount order by amount)) as amount,
        least(max(covered_us), $tick_us::bigint) as covered_us,
        count(*) as series_count
    from per_unit
    group by answer_no, tick_no
),

ends as (
    select
        series_id,
        min(at_us) as first_us,
        max(at_us) as last_us
    from pairs
    group by series_id
),

extents as (
    select
        ends.series_id,
        picked.answer_no,
        picked.is_copied,
        picked.step_us,
        picked.bridge_us,
        picked.goes_on,
        ends.first_us = picked.born_us - $phase_us::bigint
        and picked.born_us - picked.oldest_us < picked.step_us as is_old,
        coalesce(ages.age_us, 0) as age_us,
        ends.first_us,
        ends.last_us,
        max(ends.last_us) over (partition by picked.answer_no) as newest_us
    from ends
    join picked on picked.series_id = ends.series_id
    left join ages on ages.series_id = ends.series_id
),

-- when a series gives nothing although it may go on counting
silences as (
    -- a hole that is too long to bridge, and no fall behind it that would tell of a restart
    select
        extents.answer_no,
        pairs.before_us + extents.age_us as from_us,
        pairs.at_us + extents.age_us as to_us
    from pairs
    join extents on extents.series_id = pairs.series_id
    where
        not extents.is_copied
        and pairs.at_us - pairs.before_us > extents.bridge_us
        and pairs.value >= pairs.before_value

    union all

    -- after its last sample: until others of its pool have gone on for twice its spacing without it
    select
        answer_no,
        last_us + age_us as from_us,
        case when goes_on then last_us + age_us + bridge_us else $last_us::bigint end as to_us
    from extents
    where not is_copied and (goes_on or newest_us - last_us < 2 * step_us)

    union all

    -- before its first sample, where that is no later than its first scrape may be
    select
        answer_no,
        $first_us::bigint - 2 * $tick_us::bigint as from_us,
        first_us + age_us as to_us
    from extents
    where is_old and not is_copied
),

silent as (
    select distinct
        answer_no,
        unnest(
            range(
                (2 * from_us + $tick_us::bigint) // (2 * $tick_us::bigint) + 1,
                (2 * to_us + 3 * $tick_us::bigint - 1) // (2 * $tick_us::bigint)
            )
        ) as tick_no
    from silences
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
    pooled.amount / (pooled.covered_us / 1e6) as rate_per_s,
    pooled.series_count
from pooled
join answers on answers.answer_no = pooled.answer_no
anti join silent on silent.answer_no = pooled.answer_no and silent.tick_no = pooled.tick_no
where pooled.covered_us * 2 >= $tick_us::bigint
order by pool, measurement, part, tick_no
