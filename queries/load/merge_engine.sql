-- merge_engine: keep samples that came in parts, those of one target and moment in one row
-- grain:   one row per target and moment
-- params:  none
-- returns: nothing
-- reads:   staged_sample
-- note:    no measurement of a target has two values at one moment when this runs
insert into main.sample_engine by name
select
    ts,
    target_id,
    source_id,
    max(cached_tokens_total) as cached_tokens_total,
    max(completions_total) as completions_total,
    max(decode_tokens_total) as decode_tokens_total,
    max(kv_usage) as kv_usage,
    max(preemptions_total) as preemptions_total,
    max(prefill_backlog_tokens) as prefill_backlog_tokens,
    max(prefill_tokens_total) as prefill_tokens_total,
    max(prefix_hits_total) as prefix_hits_total,
    max(prefix_queries_total) as prefix_queries_total,
    max(prompt_tokens_total) as prompt_tokens_total,
    max(queue_depth) as queue_depth,
    max(running) as running
from staged_sample
where family = 'engine'
group by ts, target_id, source_id
order by ts, target_id
