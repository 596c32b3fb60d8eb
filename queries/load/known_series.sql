-- known_series: what tells series apart
-- grain:   one row per series
-- params:  none
-- returns: series_id INTEGER; target_id INTEGER; name VARCHAR; part VARCHAR; split VARCHAR; priority INTEGER; unit_stored VARCHAR
-- reads:   series
-- note:    the name is the measurement, or the metric of unmapped series
select
    series_id,
    target_id,
    case when part = 'unmapped' then metric else measurement end as name,
    part,
    split,
    priority,
    unit_stored
from series
order by series_id
