-- files: files that are part of the lake
-- grain:   one row per file
-- params:  none
-- returns: table_name VARCHAR; path VARCHAR
-- reads:   lake_file
-- note:    by table and time
select
    table_name,
    path
from lake_file
order by table_name, day, path
