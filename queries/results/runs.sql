-- runs: stored backtests, newest first
-- grain:   one row per backtest
-- params:  $service VARCHAR or null for all
-- returns: run_id VARCHAR; service VARCHAR; created_at TIMESTAMPTZ; first_at TIMESTAMPTZ; last_at TIMESTAMPTZ; policies VARCHAR[]; inputs VARCHAR[]; versions VARCHAR; seed BIGINT
-- reads:   run
-- note:    versions as JSON
select
    run_id,
    service,
    created_at,
    first_at,
    last_at,
    policies,
    inputs,
    versions,
    seed
from run
where $service::varchar is null or service = $service::varchar
order by created_at desc, run_id
