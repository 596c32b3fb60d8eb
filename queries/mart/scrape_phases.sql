-- scrape_phases: where in a tick the samples of series with the tick's own spacing lie
-- grain:   one row per phase
-- params:  $service VARCHAR; $tick_us BIGINT microseconds > 0
-- returns: phase_us BIGINT; weight BIGINT
-- reads:   stg_series
-- note:    of the last sample of each series; the weight is the number of measurements; counters alone where there are some, as rates suffer most from age
with placed as (
    select
        epoch_us(last_at) % $tick_us::bigint as phase_us,
        pool || ':' || measurement as name,
        kind = 'counter' and part = 'value' as is_counter
    from stg_series
    where
        service = $service
        and abs(1e6 * resolution_s - $tick_us::bigint) <= 0.1 * $tick_us::bigint
),

best as (
    select
        phase_us,
        name
    from placed
    qualify is_counter = bool_or(is_counter) over ()
)

select
    phase_us,
    count(distinct name) as weight
from best
group by phase_us
order by phase_us
