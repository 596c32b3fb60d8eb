-- delete_rejects: remove rows of sources
-- grain:   one row of the table
-- params:  $sources INTEGER[]
-- returns: nothing
-- reads:   reject
-- note:    DuckDB answers with the number of rows removed
delete from reject
where source_id in (select unnest($sources::integer[]))
