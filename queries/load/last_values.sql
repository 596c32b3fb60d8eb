-- last_values: values of series at given moments
-- grain:   one row per series
-- params:  none
-- returns: series_id INTEGER; value DOUBLE; next_value DOUBLE
-- reads:   chunk, sample
-- note:    `chunk` is a registered frame: series_id, ts; next_value is that of the sample after it
select
    chunk.series_id,
    any_value(sample.value) filter (where sample.ts = chunk.ts) as value,
    arg_min(sample.value, sample.ts) filter (where sample.ts > chunk.ts) as next_value
from chunk
join sample on sample.series_id = chunk.series_id and sample.ts >= chunk.ts
group by chunk.series_id
