-- run_events: the frame of a backtest
-- grain:   one row of the frame
-- params:  $run_id VARCHAR
-- returns: policy VARCHAR; ts TIMESTAMPTZ; pool VARCHAR; kind VARCHAR; before BIGINT; after BIGINT; reason VARCHAR
-- reads:   run_event
-- note:    in the order in which it was kept
select
    policy,
    ts,
    pool,
    kind,
    before,
    after,
    reason
from run_event
where run_id = $run_id
order by rowid
