-- write_extents: keep extent, spacing and resets of series that a load touched
-- grain:   one row per series
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame; gauges fall without having been reset
update series
set
    resolution_s = chunk.resolution_s,
    first_at = chunk.first_at,
    last_at = chunk.last_at,
    samples = chunk.samples,
    resets = case when series.kind = 'gauge' then 0 else chunk.resets end
from chunk
where chunk.series_id = series.series_id
