-- runs: stored backtests, newest first
-- grain:   one row per backtest
-- params:  $service VARCHAR or null for all
-- returns: run_id VARCHAR; service VARCHAR; created_at TIMESTAMPTZ; first_at TIMESTAMPTZ; last_at TIMESTAMPTZ; policies VARCHAR[]
-- reads:   run
-- note:    identifiers sort by time
select
    run_id,
    service,
    created_at,
    first_at,
    last_at,
    policies
from run
where $service::varchar is null or service = $service::varchar
order by run_id desc
