-- delete_requests: remove rows of sources
-- grain:   one row of the table
-- params:  $sources INTEGER[]
-- returns: nothing
-- reads:   request
-- note:    DuckDB answers with the number of rows removed
delete from main.request
where source_id in (select unnest($sources::integer[]))
