-- crowded_files: files of days that many loads added a file to
-- grain:   one row per file
-- params:  $most BIGINT files that a day may have
-- returns: table_name VARCHAR; path VARCHAR
-- reads:   lake_file
-- note:    of a table, service and day
select
    table_name,
    path
from lake_file
qualify count(*) over (partition by table_name, service, day) > $most
order by table_name, day, path
