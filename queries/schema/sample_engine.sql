-- sample_engine: engine measurements side by side, one row per target and moment; series that split a target are added
create view sample_engine as
select
    sample.ts,
    series.target_id,
    sum(sample.value) filter (where series.measurement = 'cached_tokens_total') as cached_tokens_total,
    sum(sample.value) filter (where series.measurement = 'completions_total') as completions_total,
    sum(sample.value) filter (where series.measurement = 'decode_tokens_total') as decode_tokens_total,
    avg(sample.value) filter (where series.measurement = 'kv_usage') as kv_usage,
    sum(sample.value) filter (where series.measurement = 'preemptions_total') as preemptions_total,
    sum(sample.value) filter (where series.measurement = 'prefill_backlog_tokens') as prefill_backlog_tokens,
    sum(sample.value) filter (where series.measurement = 'prefill_tokens_total') as prefill_tokens_total,
    sum(sample.value) filter (where series.measurement = 'prefix_hits_total') as prefix_hits_total,
    sum(sample.value) filter (where series.measurement = 'prefix_queries_total') as prefix_queries_total,
    sum(sample.value) filter (where series.measurement = 'prompt_tokens_total') as prompt_tokens_total,
    sum(sample.value) filter (where series.measurement = 'queue_depth') as queue_depth,
    sum(sample.value) filter (where series.measurement = 'running') as running
from sample
join series on series.series_id = sample.series_id
where series.family = 'engine' and series.part = 'value' and series.alias_of = ''
group by sample.ts, series.target_id
order by sample.ts, series.target_id;
comment on column sample_engine.ts is 'when the samples were taken, UTC';
comment on column sample_engine.target_id is 'target.target_id';
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
