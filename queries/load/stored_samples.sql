-- stored_samples: which of these samples the store holds, and whether with the same value
-- grain:   one row per sample that it holds
-- params:  none
-- returns: row_no BIGINT; source_id INTEGER; is_same BOOLEAN
-- reads:   chunk, sample
-- note:    `chunk` is a registered frame: row_no, series_id, ts, value
select
    chunk.row_no,
    sample.source_id,
    sample.value = chunk.value as is_same
from chunk
join sample on sample.series_id = chunk.series_id and sample.ts = chunk.ts
