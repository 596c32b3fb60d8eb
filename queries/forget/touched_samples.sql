-- touched_samples: series that lose samples
-- grain:   one row per series
-- params:  $sources INTEGER[]
-- returns: nothing
-- reads:   sample
-- note:    under the name that the refreshing statement reads
create or replace temp table judged as
select distinct series_id
from sample
where source_id in (select unnest($sources::integer[]))
