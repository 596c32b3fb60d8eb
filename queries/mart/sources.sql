-- sources: loaded files
-- grain:   one row per source
-- params:  none
-- returns: uri VARCHAR; format VARCHAR; service VARCHAR; rows_read BIGINT; rows_kept BIGINT; rows_rejected BIGINT; first_at TIMESTAMPTZ; last_at TIMESTAMPTZ; loaded_at TIMESTAMPTZ
-- reads:   source
-- note:    in the order of loading
select
    uri,
    format,
    service,
    rows_read,
    rows_kept,
    rows_rejected,
    first_at,
    last_at,
    loaded_at
from source
order by source_id
