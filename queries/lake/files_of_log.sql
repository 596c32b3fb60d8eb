-- files_of_log: files that a question on the requests of a span can tell of
-- grain:   one row per file
-- params:  $service VARCHAR; $first TIMESTAMPTZ or null for the beginning; $last TIMESTAMPTZ or null for the end
-- returns: table_name VARCHAR; path VARCHAR
-- reads:   lake_file
-- note:    only requests are told by time; days are those of UTC
select
    table_name,
    path
from lake_file
where
    service = $service::varchar
    and (
        table_name <> 'request'
        or (
            ($first::timestamptz is null or day >= $first::timestamptz::date)
            and ($last::timestamptz is null or day <= $last::timestamptz::date)
        )
    )
order by table_name, day, path
