-- known_series: what tells series apart
-- grain:   one row per series
-- params:  none
-- returns: series_id INTEGER; target_id INTEGER; name VARCHAR; part VARCHAR; split VARCHAR; priority INTEGER; unit_stored VARCHAR; stored_in VARCHAR; first_at TIMESTAMPTZ; last_at TIMESTAMPTZ; samples BIGINT; resets BIGINT; resolution_s DOUBLE
-- reads:   series
-- note:    the name is the measurement, or the metric of unmapped series
select
    series_id,
    target_id,
    case when part = 'unmapped' then metric else measurement end as name,
    part,
    split,
    priority,
    unit_stored,
    stored_in,
    first_at,
    last_at,
    samples,
    resets,
    resolution_s
from series
order by series_id
