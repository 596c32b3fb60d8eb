-- quantile_per_tick: quantiles of a histogram in the trailing window, from merged buckets
-- grain:   one row per (pool, measurement, tick_no) whose window has an observation
-- params:  $service VARCHAR; $tick_us BIGINT microseconds > 0; $phase_us BIGINT 0 <= phase < tick, microseconds; $first_us BIGINT start of the first window, since the epoch; $last_us BIGINT last tick, since the epoch; $gap_us BIGINT longest hole that is bridged; $window_ticks BIGINT ticks >= 1
-- returns: pool VARCHAR; measurement VARCHAR; tick_no BIGINT; p50 DOUBLE; p90 DOUBLE; p99 DOUBLE; observations DOUBLE; top_bound DOUBLE; share_above_top DOUBLE; p50_most DOUBLE; p90_most DOUBLE; p99_most DOUBLE
-- reads:   stg_series, stg_histogram
-- note:    series with different bounds are merged on the bounds they share; linear inside a bucket; null where the quantile lies above the top finite bound, where bounds that only some series have may still tell what it is at most; what was scraped but once is the increase since its processes began
with picked as (
    select
        series_id,
        pool,
        measurement,
        (1e6 * coalesce(resolution_s, 0))::bigint as step_us,
        -- all that there is was scraped once: it counts from the begin of its processes
        max(samples) over (partition by pool, measurement) = 1 as is_single
    from stg_series
    where service = $service and kind = 'histogram'
),

pairs as (
    select
        stg_histogram.series_id,
        stg_histogram.at_us,
        stg_histogram.bounds_id,
        stg_histogram.le,
        stg_histogram.counts,
        lag(stg_histogram.at_us) over by_time as before_us,
        lag(stg_histogram.bounds_id) over by_time as before_bounds_id,
        lag(stg_histogram.counts) over by_time as before_counts
    from stg_histogram
    join picked on picked.series_id = stg_histogram.series_id
    where
        stg_histogram.at_us
        > $first_us::bigint
        - greatest($gap_us::bigint, 3 * picked.step_us)
        - $window_ticks::bigint * $tick_us::bigint
        and stg_histogram.at_us <= $last_us::bigint
    window by_time as (partition by stg_histogram.series_id order by stg_histogram.at_us)
),

steps as (
    select
        picked.pool,
        picked.measurement,
        (pairs.at_us - $phase_us::bigint + $tick_us::bigint - 1) // $tick_us::bigint as end_no,
        pairs.bounds_id,
        pairs.le,
        case
            when
                pairs.bounds_id = pairs.before_bounds_id
                and pairs.counts[-1] >= pairs.before_counts[-1]
                then
                    list_transform(
                        list_zip(pairs.counts, pairs.before_counts), lambda pair: pair[1] - pair[2]
                    )
            else pairs.counts
        end as increases
    from pairs
    join picked on picked.series_id = pairs.series_id
    where
        picked.is_single
        or (
            pairs.at_us - pairs.before_us <= greatest($gap_us::bigint, 5 * picked.step_us // 2)
            -- new bounds come with a new process; without a fall of the count nothing tells the increase
            and (
                pairs.bounds_id = pairs.before_bounds_id
                or pairs.counts[-1] < pairs.before_counts[-1]
            )
        )
),

buckets as (
    select
        pool,
        measurement,
        end_no,
        bounds_id,
        unnest(le) as le,
        unnest(increases) as increase
    from steps
),

per_tick as (
    select
        pool,
        measurement,
        end_no,
        bounds_id,
        le,
        sum(increase)::double as increase,
        count(*) as contributors
    from buckets
    group by all
),

windows as (
    select
        pool,
        measurement,
        bounds_id,
        le,
        increase,
        contributors,
        unnest(range(end_no, end_no + $window_ticks::bigint)) as tick_no
    from per_tick
),

by_bounds as (
    select
        pool,
        measurement,
        tick_no,
        bounds_id,
        le,
        sum(increase) as up_to,
        sum(contributors) as contributors
    from windows
    where
        tick_no * $tick_us::bigint + $phase_us::bigint > $first_us::bigint
        and tick_no * $tick_us::bigint + $phase_us::bigint <= $last_us::bigint
    group by all
),

merged as (
    select
        pool,
        measurement,
        tick_no,
        le,
        sum(up_to) as up_to,
        sum(contributors) as contributors
    from by_bounds
    group by all
),

-- each list of bounds by itself says how many at least are at or below a bound of any other
mixed as (
    select *
    from by_bounds
    qualify
        min(bounds_id) over (partition by pool, measurement, tick_no)
        < max(bounds_id) over (partition by pool, measurement, tick_no)
),

at_least as (
    select
        wanted.pool,
        wanted.measurement,
        wanted.tick_no,
        wanted.le,
        mixed.bounds_id,
        max(mixed.up_to) as up_to
    from (select distinct pool, measurement, tick_no, le from mixed) as wanted
    join
        mixed
        on
            mixed.pool = wanted.pool
            and mixed.measurement = wanted.measurement
            and mixed.tick_no = wanted.tick_no
            and mixed.le <= wanted.le
    group by all
),

certain as (
    select
        pool,
        measurement,
        tick_no,
        le,
        sum(up_to) as up_to
    from at_least
    where isfinite(le)
    group by pool, measurement, tick_no, le
),

common as (
    select
        pool,
        measurement,
        tick_no,
        le,
        up_to
    from merged
    qualify contributors = max(contributors) over (partition by pool, measurement, tick_no)
),

curve as (
    select
        pool,
        measurement,
        tick_no,
        le,
        up_to,
        max(up_to) over whole as observations,
        coalesce(lag(le) over upward, least(0, le)) as lower_le,
        coalesce(lag(up_to) over upward, 0) as below
    from common
    window
        whole as (partition by pool, measurement, tick_no),
        upward as (partition by pool, measurement, tick_no order by le)
),

final as (
    select
        pool,
        measurement,
        tick_no,
        any_value(observations) as observations,
        max(le) filter (where isfinite(le)) as top_bound,
        max(up_to) filter (where isfinite(le)) as up_to_top,
        min_by(lower_le + (le - lower_le) * (0.5 * observations - below) / (up_to - below), le)
        filter (where up_to >= 0.5 * observations and up_to > below) as p50,
        min_by(lower_le + (le - lower_le) * (0.9 * observations - below) / (up_to - below), le)
        filter (where up_to >= 0.9 * observations and up_to > below) as p90,
        min_by(lower_le + (le - lower_le) * (0.99 * observations - below) / (up_to - below), le)
        filter (where up_to >= 0.99 * observations and up_to > below) as p99
    from curve
    where observations > 0
    group by pool, measurement, tick_no
),

most as (
    select
        final.pool,
        final.measurement,
        final.tick_no,
        min(certain.le) filter (where certain.up_to >= 0.5 * final.observations) as p50_most,
        min(certain.le) filter (where certain.up_to >= 0.9 * final.observations) as p90_most,
        min(certain.le) filter (where certain.up_to >= 0.99 * final.observations) as p99_most
    from final
    join
        certain
        on
            certain.pool = final.pool
            and certain.measurement = final.measurement
            and certain.tick_no = final.tick_no
    group by final.pool, final.measurement, final.tick_no
)

select
    final.pool,
    final.measurement,
    final.tick_no,
    case when isfinite(final.p50) then final.p50 end as p50,
    case when isfinite(final.p90) then final.p90 end as p90,
    case when isfinite(final.p99) then final.p99 end as p99,
    final.observations,
    final.top_bound,
    1 - coalesce(final.up_to_top, 0) / final.observations as share_above_top,
    case when not isfinite(final.p50) then most.p50_most end as p50_most,
    case when not isfinite(final.p90) then most.p90_most end as p90_most,
    case when not isfinite(final.p99) then most.p99_most end as p99_most
from final
left join
    most
    on
        most.pool = final.pool
        and most.measurement = final.measurement
        and most.tick_no = final.tick_no
order by final.pool, final.measurement, final.tick_no
