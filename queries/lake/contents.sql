-- contents: files that are part of the lake, and what they hold
-- grain:   one row per file
-- params:  none
-- returns: table_name VARCHAR; service VARCHAR; day DATE; path VARCHAR; row_count BIGINT; sources INTEGER[]; uris VARCHAR[]
-- reads:   lake_file, source
-- note:    by table and time; the sources are named as they are in the inventory
with named as (
    select
        lake_file.path,
        list(source.uri order by source.source_id) as uris
    from lake_file
    cross join unnest(lake_file.sources) as held (source_id)
    join source on source.source_id = held.source_id
    group by lake_file.path
)

select
    lake_file.table_name,
    lake_file.service,
    lake_file.day,
    lake_file.path,
    lake_file.row_count,
    lake_file.sources,
    named.uris
from lake_file
join named on named.path = lake_file.path
order by lake_file.table_name, lake_file.day, lake_file.path
