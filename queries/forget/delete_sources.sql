-- delete_sources: remove rows of sources
-- grain:   one row of the table
-- params:  $sources INTEGER[]
-- returns: nothing
-- reads:   source
-- note:    DuckDB answers with the number of rows removed
delete from source
where source_id in (select unnest($sources::integer[]))
