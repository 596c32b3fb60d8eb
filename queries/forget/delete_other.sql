-- delete_other: remove rows of sources
-- grain:   one row of the table
-- params:  $sources INTEGER[]
-- returns: nothing
-- reads:   sample_other
-- note:    DuckDB answers with the number of rows removed
delete from main.sample_other
where source_id in (select unnest($sources::integer[]))
