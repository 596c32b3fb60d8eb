-- delete_run_tick: remove rows of a backtest
-- grain:   one row of the table
-- params:  $run_id VARCHAR
-- returns: nothing
-- reads:   run_tick
-- note:    before the same backtest is kept again
delete from run_tick
where run_id = $run_id::varchar
