-- write_by_series: new rows of a service and day into a file
-- grain:   one row of the table
-- params:  $table VARCHAR a table whose rows belong to a series; $service VARCHAR; $first TIMESTAMPTZ; $last TIMESTAMPTZ not included; $path VARCHAR
-- returns: nothing
-- reads:   series, target
-- note:    by series and time, which compresses well and finds a series fast
copy (
    select *
    from query_table($table)
    where
        ts >= $first::timestamptz
        and ts < $last::timestamptz
        and series_id in (
            select series.series_id
            from series
            join target on target.target_id = series.target_id
            where target.service = $service::varchar
        )
    order by series_id, ts
) to $path (format parquet, compression zstd)
