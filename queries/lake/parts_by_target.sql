-- parts_by_target: services and days of new rows
-- grain:   one row per service and day
-- params:  $table VARCHAR a table whose rows belong to a target
-- returns: service VARCHAR; day DATE; row_count BIGINT; sources INTEGER[]
-- reads:   target
-- note:    by service and day, in UTC
select
    target.service,
    facts.ts::date as day,
    count(*) as row_count,
    list(distinct facts.source_id order by facts.source_id) as sources
from query_table($table) as facts
join target on target.target_id = facts.target_id
group by target.service, facts.ts::date
order by target.service, day
