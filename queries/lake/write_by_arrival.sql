-- write_by_arrival: new rows of a service and day into a file
-- grain:   one row of the table
-- params:  $table VARCHAR a table whose rows belong to a service; $service VARCHAR; $first TIMESTAMPTZ; $last TIMESTAMPTZ not included; $path VARCHAR
-- returns: nothing
-- reads:   nothing
-- note:    in the order of reading, which is the one of requests that arrived at one moment
copy (
    select *
    from query_table($table)
    where
        arrived_at >= $first::timestamptz
        and arrived_at < $last::timestamptz
        and service = $service::varchar
    order by source_id, rowid
) to $path (format parquet, compression zstd)
