-- reopened_sources: sources that may be loaded again
-- grain:   one row per source
-- params:  none
-- returns: source_id INTEGER; service VARCHAR; sha256 VARCHAR; options_hash VARCHAR
-- reads:   source
-- note:    the hash is that of the content, as it was before the source was reopened
select
    source_id,
    service,
    substr(sha256, 1 + length('reopened:')) as sha256,
    options_hash
from source
where starts_with(sha256, 'reopened:')
order by source_id
