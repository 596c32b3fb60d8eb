-- touched_series: what the series of a load are
-- grain:   one row per series
-- params:  none
-- returns: series_id INTEGER; target_id INTEGER; service VARCHAR; metric VARCHAR; measurement VARCHAR; part VARCHAR; kind VARCHAR; family VARCHAR; unit_stored VARCHAR; resets BIGINT
-- reads:   chunk, series, target
-- note:    `chunk` is a registered frame: series_id; of the ranks of an engine the lowest, as others are copies of it
select
    series.series_id,
    series.target_id,
    target.service,
    series.metric,
    series.measurement,
    series.part,
    series.kind,
    series.family,
    series.unit_stored,
    series.resets
from chunk
join series on series.series_id = chunk.series_id
join target on target.target_id = series.target_id
qualify
    series.priority < 100
    or series.priority = min(series.priority) over (
        partition by series.target_id, series.measurement, series.part, series.split
    )
order by series.series_id
