-- count_requests: requests by source
-- grain:   one row per source with a request
-- params:  none
-- returns: source_id INTEGER; requests BIGINT; first_at TIMESTAMPTZ; last_at TIMESTAMPTZ
-- reads:   request
-- note:    by number
select
    source_id,
    count(*) as requests,
    min(arrived_at) as first_at,
    max(arrived_at) as last_at
from request
group by source_id
order by source_id
