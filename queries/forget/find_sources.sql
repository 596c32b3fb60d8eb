-- find_sources: the sources that a name stands for
-- grain:   one row per source
-- params:  $what VARCHAR
-- returns: source_id INTEGER; service VARCHAR; is_service BOOLEAN
-- reads:   source
-- note:    a service's name, or a source's path or file name
select
    source_id,
    service,
    service = $what::varchar as is_service
from source
where
    service = $what::varchar
    or uri = $what::varchar
    or string_split(uri, '/')[-1] = $what::varchar
order by source_id
