-- insert_run_minute: keep the frame of a backtest
-- grain:   one row of the frame
-- params:  $run_id VARCHAR
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame
insert into run_minute
select
    $run_id::varchar,
    policy,
    ts,
    arrived,
    ttft_ok,
    tpot_ok,
    both_ok,
    ttft_p90_s,
    tpot_p90_s
from chunk
