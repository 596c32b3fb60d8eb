-- stg_request: request logs with the tokens that clients offered
-- grain:   one row per request
-- params:  none
-- returns: nothing
-- reads:   request
-- note:    offered output tokens are the asked ones where given, else the produced ones
create or replace temp view stg_request as
select
    request.service,
    request.arrived_at,
    epoch_us(request.arrived_at) as at_us,
    request.prompt_tokens,
    request.cached_tokens,
    request.output_tokens,
    request.asked_output_tokens,
    coalesce(request.asked_output_tokens, request.output_tokens) as offered_output_tokens,
    request.ttft_s,
    request.e2e_s,
    request.status,
    request.session,
    request.block_hashes,
    request.source_id,
    request.rowid as row_no
from request;
