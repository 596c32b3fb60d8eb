-- files_of_ticks: files that a question on a tick grid can tell of
-- grain:   one row per file
-- params:  $service VARCHAR; $tick_us BIGINT microseconds > 0; $first_us BIGINT start of the first window, since the epoch; $last_us BIGINT last tick, since the epoch; $gap_us BIGINT longest hole that is bridged; $window_ticks BIGINT ticks that a window looks back
-- returns: table_name VARCHAR; path VARCHAR
-- reads:   lake_file, series, target
-- note:    the marts look back over a gap or three spacings of samples and over a window or two ticks; the request log is needed whole, as its ends and what it lacks count; days are those of UTC
with reach as (
    select
        $first_us::bigint
        - $gap_us::bigint
        - ($window_ticks::bigint + 2) * $tick_us::bigint
        - (3e6 * coalesce(max(series.resolution_s), 0))::bigint as first_us
    from series
    join target on target.target_id = series.target_id
    where target.service = $service::varchar
)

select
    lake_file.table_name,
    lake_file.path
from lake_file
cross join reach
where
    lake_file.service = $service::varchar
    and (
        lake_file.table_name = 'request'
        or (
            lake_file.day >= make_timestamptz(reach.first_us)::date
            and lake_file.day <= make_timestamptz($last_us::bigint)::date
        )
    )
order by lake_file.table_name, lake_file.day, lake_file.path
