-- delete_run_reading: remove rows of a backtest
-- grain:   one row of the table
-- params:  $run_id VARCHAR
-- returns: nothing
-- reads:   run_reading
-- note:    before the same backtest is kept again
delete from run_reading
where run_id = $run_id::varchar
