-- count_incoming: samples as read, by source
-- grain:   one row per source with a sample
-- params:  none
-- returns: source_id INTEGER; samples BIGINT; series BIGINT; first_at TIMESTAMPTZ; last_at TIMESTAMPTZ
-- reads:   incoming
-- note:    before anything is merged
select
    source_id,
    count(*) as samples,
    count(distinct series_id) as series,
    min(ts) as first_at,
    max(ts) as last_at
from incoming
group by source_id
order by source_id
