-- known_sources: what was loaded before
-- grain:   one row per source
-- params:  none
-- returns: source_id INTEGER; uri VARCHAR; format VARCHAR; service VARCHAR; sha256 VARCHAR; options_hash VARCHAR; rows_read BIGINT; rows_kept BIGINT; rows_rejected BIGINT; series BIGINT; first_at TIMESTAMPTZ; last_at TIMESTAMPTZ
-- reads:   source
-- note:    by number
select
    source_id,
    uri,
    format,
    service,
    sha256,
    options_hash,
    rows_read,
    rows_kept,
    rows_rejected,
    series,
    first_at,
    last_at
from source
order by source_id
