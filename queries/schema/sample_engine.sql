-- sample_engine: engine measurements side by side, in base units
create table sample_engine (
    ts timestamptz not null,
    target_id integer not null,
    source_id integer not null,
    cached_tokens_total double,
    completions_total double,
    decode_tokens_total double,
    kv_usage double,
    preemptions_total double,
    prefill_backlog_tokens double,
    prefill_tokens_total double,
    prefix_hits_total double,
    prefix_queries_total double,
    prompt_tokens_total double,
    queue_depth double,
    running double
);
comment on table sample_engine is 'engine measurements side by side; the first series of a measurement of a target; others of it are in sample_other, all are in sample; sources have rows of their own';
comment on column sample_engine.ts is 'when the samples were taken, UTC';
comment on column sample_engine.target_id is 'target.target_id';
comment on column sample_engine.source_id is 'source.source_id they came from';
comment on column sample_engine.cached_tokens_total is 'prompt tokens from the prefix cache, tokens';
comment on column sample_engine.completions_total is 'requests completed, count';
comment on column sample_engine.decode_tokens_total is 'output tokens produced, tokens';
comment on column sample_engine.kv_usage is 'KV cache usage, ratio';
comment on column sample_engine.preemptions_total is 'preemptions, count';
comment on column sample_engine.prefill_backlog_tokens is 'prompt tokens waiting for prefill, tokens';
comment on column sample_engine.prefill_tokens_total is 'prompt tokens computed, tokens';
comment on column sample_engine.prefix_hits_total is 'prefix cache hits, tokens';
comment on column sample_engine.prefix_queries_total is 'prefix cache look-ups, tokens';
comment on column sample_engine.prompt_tokens_total is 'prompt tokens, cached ones included, tokens';
comment on column sample_engine.queue_depth is 'requests waiting, count';
comment on column sample_engine.running is 'requests running, count';
