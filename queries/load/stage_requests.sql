-- stage_requests: take a chunk of a request log
-- grain:   one row per request
-- params:  $source_id INTEGER; $service VARCHAR
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame; rows of one source are never compared with each other, equal ones are real
insert into main.request
select
    $service::varchar,
    arrived_at,
    prompt_tokens,
    cached_tokens,
    output_tokens,
    asked_output_tokens,
    ttft_s,
    e2e_s,
    status,
    session,
    block_hashes,
    $source_id::integer
from chunk
