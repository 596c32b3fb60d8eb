-- merge_gateway: keep samples that came in parts, those of one target and moment in one row
-- grain:   one row per target and moment
-- params:  none
-- returns: nothing
-- reads:   staged_sample
-- note:    no measurement of a target has two values at one moment when this runs
insert into main.sample_gateway by name
select
    ts,
    target_id,
    source_id,
    max(offered_output_tokens_total) as offered_output_tokens_total,
    max(offered_prompt_tokens_total) as offered_prompt_tokens_total,
    max(refused_total) as refused_total,
    max(requests_total) as requests_total
from staged_sample
where family = 'gateway'
group by ts, target_id, source_id
order by ts, target_id
