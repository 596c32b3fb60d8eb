-- parts_by_series: services and days of new rows
-- grain:   one row per service and day
-- params:  $table VARCHAR a table whose rows belong to a series
-- returns: service VARCHAR; day DATE; row_count BIGINT; sources INTEGER[]
-- reads:   series, target
-- note:    by service and day, in UTC
select
    target.service,
    facts.ts::date as day,
    count(*) as row_count,
    list(distinct facts.source_id order by facts.source_id) as sources
from query_table($table) as facts
join series on series.series_id = facts.series_id
join target on target.target_id = series.target_id
group by target.service, facts.ts::date
order by target.service, day
