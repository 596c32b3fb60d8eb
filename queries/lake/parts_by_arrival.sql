-- parts_by_arrival: services and days of new rows
-- grain:   one row per service and day
-- params:  $table VARCHAR a table whose rows belong to a service
-- returns: service VARCHAR; day DATE; row_count BIGINT; sources INTEGER[]
-- reads:   nothing
-- note:    by service and day, in UTC
select
    service,
    arrived_at::date as day,
    count(*) as row_count,
    list(distinct source_id order by source_id) as sources
from query_table($table)
group by service, arrived_at::date
order by service, day
