-- judge_samples: hold settled samples against those in the store
-- grain:   one row per plain sample
-- params:  none
-- returns: nothing
-- reads:   settled, sample
-- note:    stored_value is null for samples that the store does not hold
create or replace temp table judged as
select
    settled.series_id,
    settled.ts,
    settled.value,
    settled.source_id,
    sample.value as stored_value
from settled
left join sample on sample.series_id = settled.series_id and sample.ts = settled.ts
where settled.le = '-infinity'::double
