-- counter_resets: how often counters fell
-- grain:   one row per (pool, measurement) with a fall
-- params:  $service VARCHAR
-- returns: pool VARCHAR; measurement VARCHAR; resets BIGINT
-- reads:   stg_series
-- note:    plain counters only; the parts of a histogram fall with them
select
    pool,
    measurement,
    sum(resets)::bigint as resets
from stg_series
where service = $service and kind = 'counter' and part = 'value' and resets > 0
group by pool, measurement
order by pool, measurement
