-- touched_histograms: series that lose histograms
-- grain:   one row per series
-- params:  $sources INTEGER[]
-- returns: nothing
-- reads:   histogram
-- note:    under the name that the refreshing statement reads
create or replace temp table judged_histogram as
select distinct series_id
from histogram
where source_id in (select unnest($sources::integer[]))
