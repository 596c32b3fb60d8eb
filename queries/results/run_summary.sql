-- run_summary: what a backtest was asked and found
-- grain:   one row, or none if there is no such backtest
-- params:  $run_id VARCHAR
-- returns: summary VARCHAR
-- reads:   run
-- note:    JSON
select summary
from run
where run_id = $run_id
