-- insert_bounds: keep sets of bounds that are new
-- grain:   one row per set
-- params:  none
-- returns: nothing
-- reads:   judged_histogram, bounds
-- note:    numbered after the ones in the store
insert into bounds
with fresh as (
    select distinct le
    from judged_histogram
    where le not in (select bounds.le from bounds)
)

select
    (
        row_number() over (order by le) + (select coalesce(max(bounds.bounds_id), 0) from bounds)
    )::integer as bounds_id,
    le
from fresh
