-- delete_histograms: remove rows of sources
-- grain:   one row of the table
-- params:  $sources INTEGER[]
-- returns: nothing
-- reads:   histogram
-- note:    DuckDB answers with the number of rows removed
delete from main.histogram
where source_id in (select unnest($sources::integer[]))
