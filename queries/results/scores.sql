-- scores: stored scorecards, newest first
-- grain:   one row per scorecard, signal and measure
-- params:  $service VARCHAR or null for all
-- returns: card_id VARCHAR; service VARCHAR; created_at TIMESTAMPTZ; first_at TIMESTAMPTZ; last_at TIMESTAMPTZ; tick_s DOUBLE; signal VARCHAR; load VARCHAR; verdict VARCHAR; rank INTEGER; identity BOOLEAN; measure VARCHAR; value DOUBLE; low DOUBLE; high DOUBLE; determined BOOLEAN; reason VARCHAR
-- reads:   score
-- note:    values in the unit of the measure
select
    card_id,
    service,
    created_at,
    first_at,
    last_at,
    tick_s,
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
from score
where $service::varchar is null or service = $service::varchar
order by card_id desc, signal, measure
