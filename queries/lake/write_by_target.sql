-- write_by_target: new rows of a service and day into a file
-- grain:   one row of the table
-- params:  $table VARCHAR a table whose rows belong to a target; $service VARCHAR; $first TIMESTAMPTZ; $last TIMESTAMPTZ not included; $path VARCHAR
-- returns: nothing
-- reads:   target
-- note:    by time, as questions ask for spans
copy (
    select *
    from query_table($table)
    where
        ts >= $first::timestamptz
        and ts < $last::timestamptz
        and target_id in (select target.target_id from target where target.service = $service::varchar)
    order by ts, target_id, source_id
) to $path (format parquet, compression zstd)
