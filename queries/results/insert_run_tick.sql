-- insert_run_tick: keep the frame of a backtest
-- grain:   one row of the frame
-- params:  $run_id VARCHAR
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame
insert into run_tick
select
    $run_id::varchar,
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
from chunk
