-- mean_per_tick: mean of the observations of a histogram in the trailing window
-- grain:   one row per (pool, measurement, tick_no) whose window has an observation
-- params:  $service VARCHAR; $tick_us BIGINT microseconds > 0; $phase_us BIGINT 0 <= phase < tick, microseconds; $first_us BIGINT start of the first window, since the epoch; $last_us BIGINT last tick, since the epoch; $gap_us BIGINT longest hole that is bridged; $window_ticks BIGINT ticks >= 1
-- returns: pool VARCHAR; measurement VARCHAR; tick_no BIGINT; mean_value DOUBLE; observations DOUBLE
-- reads:   stg_series, stg_sample
-- note:    increase of the sum over increase of the count, both per series before they are added; an increase belongs to the first tick at or after the sample that ended it; what was scraped but once is the increase since its processes began
with picked as (
    select
        series_id,
        pool,
        measurement,
        part,
        (1e6 * coalesce(resolution_s, 0))::bigint as step_us,
        -- all that there is was scraped once: it counts from the begin of its processes
        max(samples) over (partition by pool, measurement) = 1 as is_single
    from stg_series
    where service = $service and part in ('sum', 'count')
),

pairs as (
    select
        stg_sample.series_id,
        stg_sample.at_us,
        stg_sample.value,
        lag(stg_sample.at_us) over by_time as before_us,
        lag(stg_sample.value) over by_time as before_value
    from stg_sample
    join picked on picked.series_id = stg_sample.series_id
    where
        stg_sample.at_us
        > $first_us::bigint
        - greatest($gap_us::bigint, 3 * picked.step_us)
        - $window_ticks::bigint * $tick_us::bigint
        and stg_sample.at_us <= $last_us::bigint
    window by_time as (partition by stg_sample.series_id order by stg_sample.at_us)
),

steps as (
    select
        picked.pool,
        picked.measurement,
        picked.part,
        (pairs.at_us - $phase_us::bigint + $tick_us::bigint - 1) // $tick_us::bigint as end_no,
        case
            when pairs.value >= pairs.before_value then pairs.value - pairs.before_value
            else pairs.value
        end as increase
    from pairs
    join picked on picked.series_id = pairs.series_id
    where
        picked.is_single
        or pairs.at_us - pairs.before_us <= greatest($gap_us::bigint, 5 * picked.step_us // 2)
),

per_tick as (
    select
        pool,
        measurement,
        part,
        end_no,
        -- the smallest first, so that the last digit does not depend on what was loaded first
        list_sum(list(increase order by increase)) as increase
    from steps
    group by pool, measurement, part, end_no
),

windows as (
    select
        pool,
        measurement,
        part,
        end_no,
        increase,
        unnest(range(end_no, end_no + $window_ticks::bigint)) as tick_no
    from per_tick
),

final as (
    select
        pool,
        measurement,
        tick_no,
        list_sum(list(increase order by end_no) filter (where part = 'sum')) as total,
        list_sum(list(increase order by end_no) filter (where part = 'count')) as observations
    from windows
    where
        tick_no * $tick_us::bigint + $phase_us::bigint > $first_us::bigint
        and tick_no * $tick_us::bigint + $phase_us::bigint <= $last_us::bigint
    group by pool, measurement, tick_no
)

select
    pool,
    measurement,
    tick_no,
    total / observations as mean_value,
    observations
from final
where observations > 0 and total is not null
order by pool, measurement, tick_no
