-- request: request logs, one row per request
create table request (
    service varchar not null,
    arrived_at timestamptz not null,
    prompt_tokens bigint,
    cached_tokens bigint,
    output_tokens bigint,
    asked_output_tokens bigint,
    ttft_s double,
    e2e_s double,
    status varchar,
    session varchar,
    block_hashes bigint[],
    source_id integer not null
);
comment on table request is 'request logs, one row per request';
comment on column request.service is 'service it belongs to';
comment on column request.arrived_at is 'when the client sent it, UTC';
comment on column request.prompt_tokens is 'length of the prompt, tokens';
comment on column request.cached_tokens is 'prompt tokens found in the prefix cache, tokens';
comment on column request.output_tokens is 'tokens produced';
comment on column request.asked_output_tokens is 'tokens the client asked for';
comment on column request.ttft_s is 'time to first token, seconds';
comment on column request.e2e_s is 'time from arrival to last token, seconds';
comment on column request.status is 'ok, rejected, timeout, cancelled, error or the word of the log';
comment on column request.session is 'conversation or client';
comment on column request.block_hashes is 'hashes of the blocks of the prompt';
comment on column request.source_id is 'source.source_id it came from';
