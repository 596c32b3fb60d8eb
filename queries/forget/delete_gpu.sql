-- delete_gpu: remove rows of sources
-- grain:   one row of the table
-- params:  $sources INTEGER[]
-- returns: nothing
-- reads:   sample_gpu
-- note:    DuckDB answers with the number of rows removed
delete from main.sample_gpu
where source_id in (select unnest($sources::integer[]))
