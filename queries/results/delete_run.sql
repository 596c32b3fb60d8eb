-- delete_run: remove rows of a backtest
-- grain:   one row of the table
-- params:  $run_id VARCHAR
-- returns: nothing
-- reads:   run
-- note:    before the same backtest is kept again
delete from run
where run_id = $run_id::varchar
