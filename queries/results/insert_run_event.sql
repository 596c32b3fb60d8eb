-- insert_run_event: keep the frame of a backtest
-- grain:   one row of the frame
-- params:  $run_id VARCHAR
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame
insert into run_event
select
    $run_id::varchar,
    policy,
    ts,
    pool,
    kind,
    before,
    after,
    reason
from chunk
