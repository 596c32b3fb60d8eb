-- insert_run_reading: keep the frame of a backtest
-- grain:   one row of the frame
-- params:  $run_id VARCHAR
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame
insert into run_reading
select
    $run_id::varchar,
    policy,
    ts,
    signal,
    value,
    target
from chunk
