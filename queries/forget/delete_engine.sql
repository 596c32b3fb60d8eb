-- delete_engine: remove rows of sources
-- grain:   one row of the table
-- params:  $sources INTEGER[]
-- returns: nothing
-- reads:   sample_engine
-- note:    DuckDB answers with the number of rows removed
delete from main.sample_engine
where source_id in (select unnest($sources::integer[]))
