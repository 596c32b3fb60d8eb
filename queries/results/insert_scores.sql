-- insert_scores: keep a scorecard
-- grain:   one row per signal and measure
-- params:  $card_id VARCHAR; $service VARCHAR; $first TIMESTAMPTZ; $last TIMESTAMPTZ; $tick_s DOUBLE
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame; the time is the transaction's
insert into score
select
    $card_id::varchar,
    $service::varchar,
    now(),
    $first::timestamptz,
    $last::timestamptz,
    $tick_s::double,
    signal,
    load,
    verdict,
    rank,
    identity,
    measure,
    value,
    low,
    high,
    determined,
    reason
from chunk
