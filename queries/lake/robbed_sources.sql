-- robbed_sources: sources that lost rows with files of the lake, but are not forgotten
-- grain:   one row per source
-- params:  $lost INTEGER[] sources of rows of the lost files; $sources INTEGER[] the forgotten ones
-- returns: source_id INTEGER; uri VARCHAR
-- reads:   source
-- note:    those that may be loaded again anyway are left out
select
    source_id,
    uri
from source
where
    source_id in (select unnest($lost::integer[]))
    and source_id not in (select unnest($sources::integer[]))
    and not starts_with(sha256, 'reopened:')
order by source_id
