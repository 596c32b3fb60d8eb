-- request_span: extent of a service's request log
-- grain:   one row
-- params:  $service VARCHAR
-- returns: first_at TIMESTAMPTZ; last_at TIMESTAMPTZ; request_count BIGINT; asked_count BIGINT
-- reads:   stg_request
-- note:    times are null and counts 0 without a log
select
    min(arrived_at) as first_at,
    max(arrived_at) as last_at,
    count(*) as request_count,
    count(asked_output_tokens) as asked_count
from stg_request
where service = $service
