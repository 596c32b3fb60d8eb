-- run_minutes: the frame of a backtest
-- grain:   one row of the frame
-- params:  $run_id VARCHAR
-- returns: policy VARCHAR; ts TIMESTAMPTZ; arrived BIGINT; ttft_ok BIGINT; tpot_ok BIGINT; both_ok BIGINT; ttft_p90_s DOUBLE; tpot_p90_s DOUBLE
-- reads:   run_minute
-- note:    in the order in which it was kept
select
    policy,
    ts,
    arrived,
    ttft_ok,
    tpot_ok,
    both_ok,
    ttft_p90_s,
    tpot_p90_s
from run_minute
where run_id = $run_id
order by rowid
