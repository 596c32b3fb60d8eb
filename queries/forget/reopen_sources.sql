-- reopen_sources: let sources be loaded again that had left rows to a forgotten one
-- grain:   one row per source
-- params:  $sources INTEGER[]
-- returns: nothing
-- reads:   source
-- note:    their hash is marked, so that the next load takes the whole source in their place
update source
set
    sha256 = 'reopened:' || sha256,
    overlapping = 0
where source_id in (select unnest($sources::integer[]))
