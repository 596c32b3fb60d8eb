-- count_bucket_copies: buckets that came more than once
-- grain:   one row
-- params:  none
-- returns: duplicates BIGINT; conflicts BIGINT
-- reads:   staged_bucket
-- note:    a duplicate equals the one that was read first, a conflict differs from it
with numbered as (
    select
        value,
        first_value(value) over by_part as kept_value,
        row_number() over by_part as copy_no
    from staged_bucket
    window by_part as (partition by series_id, le, ts order by part)
)

select
    count(*) filter (where copy_no > 1 and value = kept_value) as duplicates,
    count(*) filter (where copy_no > 1 and value <> kept_value) as conflicts
from numbered
