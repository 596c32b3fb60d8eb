-- insert_sources: keep what was loaded
-- grain:   one row per source
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame; the time of loading is the transaction's
insert into source
select
    source_id,
    uri,
    format,
    service,
    sha256,
    options_hash,
    options,
    rows_read,
    rows_kept,
    rows_rejected,
    series,
    overlapping,
    first_at,
    last_at,
    now()
from chunk
