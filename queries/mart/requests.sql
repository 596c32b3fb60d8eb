-- requests: a service's request log
-- grain:   one row per request
-- params:  $service VARCHAR; $first TIMESTAMPTZ or null for the beginning; $last TIMESTAMPTZ or null for the end
-- returns: arrived_at TIMESTAMPTZ; prompt_tokens BIGINT; cached_tokens BIGINT; output_tokens BIGINT; asked_output_tokens BIGINT; ttft_s DOUBLE; e2e_s DOUBLE; status VARCHAR; session VARCHAR; block_hashes BIGINT[]
-- reads:   stg_request
-- note:    half-open window [first, last); equal times keep the order of loading
select
    arrived_at,
    prompt_tokens,
    cached_tokens,
    output_tokens,
    asked_output_tokens,
    ttft_s,
    e2e_s,
    status,
    session,
    block_hashes
from stg_request
where
    service = $service
    and ($first::timestamptz is null or arrived_at >= $first::timestamptz)
    and ($last::timestamptz is null or arrived_at < $last::timestamptz)
order by arrived_at, row_no
