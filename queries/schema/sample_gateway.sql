-- sample_gateway: gateway measurements side by side, one row per target and moment; series that split a target are added
create view sample_gateway as
select
    sample.ts,
    series.target_id,
    sum(sample.value) filter (where series.measurement = 'offered_output_tokens_total') as offered_output_tokens_total,
    sum(sample.value) filter (where series.measurement = 'offered_prompt_tokens_total') as offered_prompt_tokens_total,
    sum(sample.value) filter (where series.measurement = 'refused_total') as refused_total,
    sum(sample.value) filter (where series.measurement = 'requests_total') as requests_total
from sample
join series on series.series_id = sample.series_id
where series.family = 'gateway' and series.part = 'value' and series.alias_of = ''
group by sample.ts, series.target_id
order by sample.ts, series.target_id;
comment on column sample_gateway.ts is 'when the samples were taken, UTC';
comment on column sample_gateway.target_id is 'target.target_id';
comment on column sample_gateway.offered_output_tokens_total is 'output tokens asked for, tokens';
comment on column sample_gateway.offered_prompt_tokens_total is 'prompt tokens received, tokens';
comment on column sample_gateway.refused_total is 'requests refused, count';
comment on column sample_gateway.requests_total is 'requests received, count';
