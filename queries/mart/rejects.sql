-- rejects: records that could not be parsed
-- grain:   one row per record
-- params:  none
-- returns: source VARCHAR; line BIGINT; reason VARCHAR; excerpt VARCHAR
-- reads:   reject, source
-- note:    at most 1000 per source
select
    source.uri as source,
    reject.line,
    reject.reason,
    reject.excerpt
from reject
join source on source.source_id = reject.source_id
order by reject.source_id, reject.line
