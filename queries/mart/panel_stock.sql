-- panel_stock: what a service's panel can be made of
-- grain:   one row per (pool, measurement, part)
-- params:  $service VARCHAR
-- returns: pool VARCHAR; measurement VARCHAR; part VARCHAR; kind VARCHAR; family VARCHAR; unit_stored VARCHAR; relative BOOLEAN; step_aligned BOOLEAN; resolution_s DOUBLE; first_at TIMESTAMPTZ; last_at TIMESTAMPTZ; series_count BIGINT; sample_count BIGINT; expected_count BIGINT
-- reads:   stg_series
-- note:    the resolution is the median over series; expected are the samples that series of this resolution have between their first and last one
select
    pool,
    measurement,
    part,
    any_value(kind) as kind,
    any_value(family) as family,
    any_value(unit_stored) as unit_stored,
    bool_or(relative) as relative,
    bool_or(sampling = 'step_aligned') as step_aligned,
    median(resolution_s) as resolution_s,
    min(first_at) as first_at,
    max(last_at) as last_at,
    count(*) as series_count,
    sum(samples)::bigint as sample_count,
    sum(
        1 + coalesce(round((epoch_us(last_at) - epoch_us(first_at)) / (1e6 * resolution_s)), 0)
    )::bigint as expected_count
from stg_series
where service = $service
group by pool, measurement, part
order by pool, measurement, part
