-- delete_findings: remove rows of sources
-- grain:   one row of the table
-- params:  $sources INTEGER[]
-- returns: nothing
-- reads:   finding
-- note:    DuckDB answers with the number of rows removed
delete from finding
where source_id in (select unnest($sources::integer[]))
