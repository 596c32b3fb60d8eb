-- late_counters: counters that appear after the service's first sample with a value above zero
-- grain:   one row per (pool, measurement) with such a counter
-- params:  $service VARCHAR
-- returns: pool VARCHAR; measurement VARCHAR; counters BIGINT; first_values DOUBLE
-- reads:   stg_series, stg_sample
-- note:    late means more than one and a half times its resolution after the first sample of any series of the service
with known as (
    select
        series_id,
        pool,
        measurement,
        first_at,
        kind = 'counter' and part = 'value' as is_counter,
        epoch_us(first_at) - min(epoch_us(first_at)) over ()
        > 1.5e6 * coalesce(resolution_s, 0) as is_late
    from stg_series
    where service = $service
),

counters as (
    select *
    from known
    where is_counter
),

births as (
    select
        counters.pool,
        counters.measurement,
        stg_sample.value
    from counters
    join
        stg_sample
        on stg_sample.series_id = counters.series_id and stg_sample.ts = counters.first_at
    where counters.is_late and stg_sample.value > 0
)

select
    pool,
    measurement,
    count(*) as counters,
    sum(value) as first_values
from births
group by pool, measurement
order by pool, measurement
