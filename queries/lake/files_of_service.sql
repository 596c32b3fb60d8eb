-- files_of_service: files with rows of a service
-- grain:   one row per file
-- params:  $service VARCHAR
-- returns: table_name VARCHAR; path VARCHAR
-- reads:   lake_file
-- note:    by table and time
select
    table_name,
    path
from lake_file
where service = $service::varchar
order by table_name, day, path
