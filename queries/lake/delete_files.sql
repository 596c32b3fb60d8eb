-- delete_files: take files out of the lake
-- grain:   one row per file
-- params:  $paths VARCHAR[]
-- returns: nothing
-- reads:   lake_file
-- note:    the files stay where they are until nobody reads them
delete from lake_file
where path in (select unnest($paths::varchar[]))
