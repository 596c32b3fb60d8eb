-- delete_samples: remove rows of sources
-- grain:   one row of the table
-- params:  $sources INTEGER[]
-- returns: nothing
-- reads:   sample
-- note:    DuckDB answers with the number of rows removed
delete from sample
where source_id in (select unnest($sources::integer[]))
