-- find_completions_only: services that count completed requests, but no arrivals
-- grain:   one row per service
-- params:  none
-- returns: service VARCHAR; metrics VARCHAR
-- reads:   series, target, request
-- note:    completions trail arrivals by a whole request and are flat at saturation
with counted as (
    select
        target.service,
        string_agg(distinct series.metric, ', ' order by series.metric) filter (
            where series.measurement = 'completions_total'
        ) as metrics,
        bool_or(
            series.measurement in ('requests_total', 'request_rate', 'offered_prompt_tokens_total', 'offered_prompt_tps')
        ) as has_arrivals
    from series
    join target on target.target_id = series.target_id
    where series.samples > 0
    group by target.service
)

select
    service,
    metrics
from counted
where metrics is not null and not has_arrivals and service not in (select service from request)
order by service
