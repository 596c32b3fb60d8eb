-- ended_counters: counters that give nothing any more while others of their pool go on
-- grain:   one row per (pool, measurement) with such a counter
-- params:  $service VARCHAR
-- returns: pool VARCHAR; measurement VARCHAR; ended BIGINT; counters BIGINT; last_at TIMESTAMPTZ
-- reads:   stg_series
-- note:    ended means that the newest sample of the pool's measurement is twice its resolution later; last_at is when the latest of them ended; copies of a shared GPU are told by their GPU
with units as (
    select
        pool,
        measurement,
        max(last_at) as last_at,
        max(resolution_s) as resolution_s
    from stg_series
    where service = $service and kind = 'counter' and part = 'value'
    group by pool, measurement, unit_id
),

known as (
    select
        pool,
        measurement,
        last_at,
        epoch_us(max(last_at) over (partition by pool, measurement)) - epoch_us(last_at)
        >= 2e6 * resolution_s as has_ended
    from units
    where resolution_s is not null
)

select
    pool,
    measurement,
    count(*) filter (where has_ended) as ended,
    count(*) as counters,
    max(last_at) filter (where has_ended) as last_at
from known
group by pool, measurement
having bool_or(has_ended)
order by pool, measurement
