-- insert_series: keep new series
-- grain:   one row per series
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame; labels come as two lists; times and counts follow from the samples
insert into series
select
    series_id,
    target_id,
    metric,
    map(label_names, label_values),
    measurement,
    part,
    split,
    kind,
    family,
    priority,
    unit_exported,
    unit_stored,
    factor,
    relative,
    sampling,
    alias_of,
    null::double,
    null::timestamptz,
    null::timestamptz,
    0,
    0,
    stored_in
from chunk
