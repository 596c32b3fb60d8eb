-- services: what is loaded, by service
-- grain:   one row per service
-- params:  none
-- returns: service VARCHAR; first_at TIMESTAMPTZ; last_at TIMESTAMPTZ; targets BIGINT; series BIGINT; samples BIGINT; requests BIGINT
-- reads:   target, series, stg_request
-- note:    series that no measurement is known for are counted too
with telemetry as (
    select
        target.service,
        min(series.first_at) as first_at,
        max(series.last_at) as last_at,
        count(distinct target.target_id) as targets,
        count(*) as series,
        sum(series.samples)::bigint as samples
    from series
    join target on target.target_id = series.target_id
    where series.samples > 0
    group by target.service
),

logs as (
    select
        service,
        min(arrived_at) as first_at,
        max(arrived_at) as last_at,
        count(*) as requests
    from stg_request
    group by service
)

select
    coalesce(telemetry.service, logs.service) as service,
    least(telemetry.first_at, logs.first_at) as first_at,
    greatest(telemetry.last_at, logs.last_at) as last_at,
    coalesce(telemetry.targets, 0) as targets,
    coalesce(telemetry.series, 0) as series,
    coalesce(telemetry.samples, 0) as samples,
    coalesce(logs.requests, 0) as requests
from telemetry
full join logs on logs.service = telemetry.service
order by 1
