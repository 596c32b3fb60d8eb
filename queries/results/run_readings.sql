-- run_readings: the frame of a backtest
-- grain:   one row of the frame
-- params:  $run_id VARCHAR
-- returns: policy VARCHAR; ts TIMESTAMPTZ; signal VARCHAR; value DOUBLE; target DOUBLE
-- reads:   run_reading
-- note:    in the order in which it was kept
select
    policy,
    ts,
    signal,
    value,
    target
from run_reading
where run_id = $run_id
order by rowid
