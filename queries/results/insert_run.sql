-- insert_run: keep what a backtest was asked and found
-- grain:   one row
-- params:  $run_id VARCHAR; $service VARCHAR; $first TIMESTAMPTZ; $last TIMESTAMPTZ; $policies VARCHAR[]; $inputs VARCHAR[]; $versions VARCHAR; $seed BIGINT or null; $summary VARCHAR
-- returns: nothing
-- reads:   nothing
-- note:    the time is the transaction's
insert into run
values (
    $run_id::varchar,
    $service::varchar,
    now(),
    $first::timestamptz,
    $last::timestamptz,
    $policies::varchar[],
    $inputs::varchar[],
    $versions::varchar,
    $seed::bigint,
    $summary::varchar
)
