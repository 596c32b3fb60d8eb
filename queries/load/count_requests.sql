-- count_requests: requests of a source
-- grain:   one row
-- params:  $source_id INTEGER
-- returns: requests BIGINT; first_at TIMESTAMPTZ; last_at TIMESTAMPTZ
-- reads:   request
-- note:    times are null without a request
select
    count(*) as requests,
    min(arrived_at) as first_at,
    max(arrived_at) as last_at
from main.request
where source_id = $source_id::integer
