-- delete_run_minute: remove rows of a backtest
-- grain:   one row of the table
-- params:  $run_id VARCHAR
-- returns: nothing
-- reads:   run_minute
-- note:    before the same backtest is kept again
delete from run_minute
where run_id = $run_id::varchar
