-- stage_samples: take a chunk of samples or buckets
-- grain:   one row per sample
-- params:  $source_id INTEGER
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame; le is null for plain samples
insert into incoming
select
    $source_id::integer,
    input_id,
    series_id,
    le,
    seq,
    ts,
    value
from chunk
