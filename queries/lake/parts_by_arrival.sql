-- parts_by_arrival: services and days of new rows
-- grain:   one row per service and day
-- params:  none
-- returns: service VARCHAR; day DATE; row_count BIGINT; sources INTEGER[]
-- reads:   request
-- note:    by service and day, in UTC
select
    service,
    arrived_at::date as day,
    count(*) as row_count,
    list(distinct source_id order by source_id) as sources
from main.request
group by service, arrived_at::date
order by service, day
