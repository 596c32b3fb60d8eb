-- find_histogram_faults: histograms that tell little: all in one bucket, no bound but infinity, bounds that differ
-- grain:   one row per (service, pool, measurement)
-- params:  none
-- returns: service VARCHAR; pool VARCHAR; measurement VARCHAR; series BIGINT; unbounded BIGINT; single BIGINT; single_low DOUBLE; single_high DOUBLE; bound_sets BIGINT; fewest_bounds BIGINT; most_bounds BIGINT
-- reads:   series, target, target_pool, histogram, bounds
-- note:    of each series the last sample counts, and only series that quantiles are made from; bound_sets are different lists of bounds over all samples
with held as (
    select
        series.series_id,
        series.measurement,
        series.last_at,
        target.service,
        target_pool.pool
    from series
    join target on target.target_id = series.target_id
    join target_pool on target_pool.target_id = series.target_id
    where series.stored_in = 'histogram' and series.samples > 0
    qualify series.priority // 10 = min(series.priority // 10) over (
        partition by target.service, target_pool.pool, series.measurement
    )
),

sets as (
    select distinct
        histogram.series_id,
        histogram.bounds_id
    from histogram
),

last_counts as (
    select
        held.series_id,
        histogram.counts,
        bounds.le,
        list_filter(
            range(1, len(histogram.counts) + 1),
            lambda i: histogram.counts[i] > case when i = 1 then 0 else histogram.counts[i - 1] end
        ) as filled
    from held
    join histogram on histogram.series_id = held.series_id and histogram.ts = held.last_at
    join bounds on bounds.bounds_id = histogram.bounds_id
),

states as (
    select
        series_id,
        any_value(len(list_filter(le, lambda one: isfinite(one))) = 0) as is_unbounded,
        any_value(len(filled) = 1 and len(le) > 1 and counts[len(counts)] >= 20) as is_single,
        any_value(case when filled[1] > 1 then le[filled[1] - 1] else 0 end) as low,
        any_value(le[filled[1]]) as high
    from last_counts
    group by series_id
),

spread as (
    select
        held.service,
        held.pool,
        held.measurement,
        count(distinct sets.bounds_id) as bound_sets,
        min(len(bounds.le)) as fewest_bounds,
        max(len(bounds.le)) as most_bounds
    from held
    join sets on sets.series_id = held.series_id
    join bounds on bounds.bounds_id = sets.bounds_id
    group by held.service, held.pool, held.measurement
),

counted as (
    select
        held.service,
        held.pool,
        held.measurement,
        count(*) as series,
        count(*) filter (where states.is_unbounded) as unbounded,
        count(*) filter (where states.is_single) as single,
        min(states.low) filter (where states.is_single) as single_low,
        max(states.high) filter (where states.is_single) as single_high
    from held
    join states on states.series_id = held.series_id
    group by held.service, held.pool, held.measurement
)

select
    counted.service,
    counted.pool,
    counted.measurement,
    counted.series,
    counted.unbounded,
    counted.single,
    counted.single_low,
    counted.single_high,
    spread.bound_sets,
    spread.fewest_bounds,
    spread.most_bounds
from counted
join
    spread
    on
        spread.service = counted.service
        and spread.pool = counted.pool
        and spread.measurement = counted.measurement
where counted.unbounded > 0 or counted.single > 0 or spread.bound_sets > 1
order by counted.service, counted.pool, counted.measurement
