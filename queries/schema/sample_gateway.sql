-- sample_gateway: gateway measurements side by side, in base units
create table sample_gateway (
    ts timestamptz not null,
    target_id integer not null,
    source_id integer not null,
    offered_output_tokens_total double,
    offered_prompt_tokens_total double,
    refused_total double,
    requests_total double
);
comment on table sample_gateway is 'gateway measurements side by side; the first series of a measurement of a target; others of it are in sample_other, all are in sample; sources have rows of their own';
comment on column sample_gateway.ts is 'when the samples were taken, UTC';
comment on column sample_gateway.target_id is 'target.target_id';
comment on column sample_gateway.source_id is 'source.source_id they came from';
comment on column sample_gateway.offered_output_tokens_total is 'output tokens asked for, tokens';
comment on column sample_gateway.offered_prompt_tokens_total is 'prompt tokens received, tokens';
comment on column sample_gateway.refused_total is 'requests refused, count';
comment on column sample_gateway.requests_total is 'requests received, count';
