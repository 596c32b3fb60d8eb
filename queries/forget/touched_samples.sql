-- touched_samples: series that lose samples, and how many
-- grain:   one row per series
-- params:  $sources INTEGER[]
-- returns: series_id INTEGER; samples BIGINT
-- reads:   sample
-- note:    by number
select
    series_id,
    count(*) as samples
from sample
where source_id in (select unnest($sources::integer[]))
group by series_id
order by series_id
