-- run_ticks: the frame of a backtest
-- grain:   one row of the frame
-- params:  $run_id VARCHAR
-- returns: policy VARCHAR; ts TIMESTAMPTZ; pool VARCHAR; asked BIGINT; desired BIGINT; ready BIGINT; starting BIGINT; draining BIGINT; queue_depth BIGINT; running BIGINT; load_tps DOUBLE; busy_ratio DOUBLE
-- reads:   run_tick
-- note:    in the order in which it was kept
select
    policy,
    ts,
    pool,
    asked,
    desired,
    ready,
    starting,
    draining,
    queue_depth,
    running,
    load_tps,
    busy_ratio
from run_tick
where run_id = $run_id
order by rowid
