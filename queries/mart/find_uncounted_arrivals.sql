-- find_uncounted_arrivals: services whose gateway counts other numbers of requests than the request log
-- grain:   one row per service
-- params:  none
-- returns: service VARCHAR; metric VARCHAR; logged BIGINT; counted DOUBLE
-- reads:   series, target, request, sample_gateway, sample_other
-- note:    over the time that both cover, up to the last request that the counter can have seen; differences of more than 1 %, 10 requests, and what arrives in two intervals of the counter; refused requests are often not counted
with picked as (
    select
        series.series_id,
        series.target_id,
        series.stored_in,
        series.metric,
        series.first_at,
        series.last_at,
        coalesce(series.resolution_s, 0) as resolution_s,
        target.service
    from series
    join target on target.target_id = series.target_id
    where series.measurement = 'requests_total' and series.part = 'value' and series.samples > 1
    qualify series.priority = min(series.priority) over (partition by target.service)
),

covered as (
    select
        picked.service,
        any_value(picked.metric) as metric,
        min(picked.first_at) as first_at,
        max(picked.last_at) as last_at,
        max(picked.resolution_s) as resolution_s
    from picked
    group by picked.service
),

readings as (
    select
        picked.service,
        picked.series_id,
        sample_gateway.ts,
        sample_gateway.requests_total as value
    from picked
    join sample_gateway on sample_gateway.target_id = picked.target_id
    where picked.stored_in = 'sample_gateway' and sample_gateway.requests_total is not null

    union all

    select
        picked.service,
        picked.series_id,
        sample_other.ts,
        sample_other.value
    from picked
    join sample_other on sample_other.series_id = picked.series_id
    where picked.stored_in = 'sample_other'
),

logs as (
    select
        request.service,
        count(*) as logged,
        min(request.arrived_at) as first_at,
        max(request.arrived_at) as last_at
    from request
    join covered on covered.service = request.service
    where request.arrived_at >= covered.first_at and request.arrived_at <= covered.last_at
    group by request.service
),

steps as (
    select
        readings.service,
        readings.ts,
        readings.value,
        lag(readings.value) over (partition by readings.series_id order by readings.ts) as previous
    from readings
),

counts as (
    select
        steps.service,
        sum(
            case
                when steps.previous is null then 0
                when steps.value >= steps.previous then steps.value - steps.previous
                else steps.value
            end
        ) as counted
    from steps
    join logs on logs.service = steps.service
    where steps.ts >= logs.first_at and steps.ts <= logs.last_at + interval 60 seconds
    group by steps.service
)

select
    logs.service,
    covered.metric,
    logs.logged,
    counts.counted
from logs
join covered on covered.service = logs.service
join counts on counts.service = logs.service
where
    abs(counts.counted - logs.logged) > greatest(
        10,
        0.01 * logs.logged,
        2 * logs.logged * covered.resolution_s / greatest(epoch(logs.last_at - logs.first_at), 1)
    )
order by logs.service
