-- write_by_arrival: new rows of a service and day into a file
-- grain:   one row of the table
-- params:  $service VARCHAR; $first TIMESTAMPTZ; $last TIMESTAMPTZ not included; $path VARCHAR
-- returns: nothing
-- reads:   request
-- note:    in the order of reading, which is the one of requests that arrived at one moment
copy (
    select *
    from main.request
    where
        arrived_at >= $first::timestamptz
        and arrived_at < $last::timestamptz
        and service = $service::varchar
    order by source_id, rowid
) to $path (format parquet, compression zstd)
