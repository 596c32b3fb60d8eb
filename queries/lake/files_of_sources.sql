-- files_of_sources: files with rows of sources
-- grain:   one row per file
-- params:  $sources INTEGER[]
-- returns: table_name VARCHAR; path VARCHAR
-- reads:   lake_file
-- note:    a file may hold rows of other sources too
select
    table_name,
    path
from lake_file
where list_has_any(sources, $sources::integer[])
order by table_name, day, path
