-- delete_run_event: remove rows of a backtest
-- grain:   one row of the table
-- params:  $run_id VARCHAR
-- returns: nothing
-- reads:   run_event
-- note:    before the same backtest is kept again
delete from run_event
where run_id = $run_id::varchar
