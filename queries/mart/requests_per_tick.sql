-- requests_per_tick: arrivals and offered tokens of the request log on a tick grid
-- grain:   one row per tick_no from the first to the last arrival
-- params:  $service VARCHAR; $tick_us BIGINT microseconds > 0; $phase_us BIGINT 0 <= phase < tick, microseconds; $first_us BIGINT start of the first window, since the epoch; $last_us BIGINT last tick, since the epoch
-- returns: tick_no BIGINT; request_rate_rps DOUBLE; offered_prompt_tps DOUBLE; offered_output_tps DOUBLE
-- reads:   stg_request
-- note:    a tick without an arrival inside the log is 0; tokens are null where no request of the log has them
with span as (
    select
        (min(at_us) - $phase_us::bigint + $tick_us::bigint - 1) // $tick_us::bigint as first_no,
        (max(at_us) - $phase_us::bigint + $tick_us::bigint - 1) // $tick_us::bigint as last_no,
        count(prompt_tokens) > 0 as has_prompt,
        count(offered_output_tokens) > 0 as has_output
    from stg_request
    where service = $service
),

ticks as (
    select
        has_prompt,
        has_output,
        unnest(
            range(
                greatest(first_no, ($first_us::bigint - $phase_us::bigint) // $tick_us::bigint + 1),
                least(last_no, ($last_us::bigint - $phase_us::bigint) // $tick_us::bigint) + 1
            )
        ) as tick_no
    from span
    where first_no is not null
),

arrivals as (
    select
        (at_us - $phase_us::bigint + $tick_us::bigint - 1) // $tick_us::bigint as tick_no,
        count(*) as requests,
        sum(prompt_tokens) as prompt_tokens,
        sum(offered_output_tokens) as output_tokens
    from stg_request
    where
        service = $service
        and at_us > $first_us::bigint - $tick_us::bigint
        and at_us <= $last_us::bigint
    group by 1
)

select
    ticks.tick_no,
    coalesce(arrivals.requests, 0) * 1e6 / $tick_us::bigint as request_rate_rps,
    case
        when ticks.has_prompt
            then coalesce(arrivals.prompt_tokens, 0)::double * 1e6 / $tick_us::bigint
    end as offered_prompt_tps,
    case
        when ticks.has_output
            then coalesce(arrivals.output_tokens, 0)::double * 1e6 / $tick_us::bigint
    end as offered_output_tps
from ticks
left join arrivals on arrivals.tick_no = ticks.tick_no
order by ticks.tick_no
