-- series_of_tables: series of a service whose samples are in some tables
-- grain:   one row per series
-- params:  $service VARCHAR; $tables VARCHAR[] names of tables
-- returns: series_id INTEGER; stored_in VARCHAR
-- reads:   series, target
-- note:    by number
select
    series.series_id,
    series.stored_in
from series
join target on target.target_id = series.target_id
where
    target.service = $service::varchar
    and series.stored_in in (select unnest($tables::varchar[]))
order by series.series_id
