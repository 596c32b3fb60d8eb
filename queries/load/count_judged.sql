-- count_judged: new and known samples by source
-- grain:   one row per source
-- params:  none
-- returns: source_id INTEGER; fresh BIGINT; overlapping BIGINT; conflicts BIGINT
-- reads:   judged, judged_histogram
-- note:    buckets count one by one
with plain as (
    select
        source_id,
        1 as weight,
        stored_value is null as is_fresh,
        stored_value = value as is_same
    from judged
),

buckets as (
    select
        source_id,
        len(counts) as weight,
        stored_counts is null as is_fresh,
        stored_counts = counts as is_same
    from judged_histogram
),

both_forms as (
    select source_id, weight, is_fresh, is_same from plain
    union all
    select source_id, weight, is_fresh, is_same from buckets
)

select
    source_id,
    coalesce(sum(weight) filter (where is_fresh), 0)::bigint as fresh,
    coalesce(sum(weight) filter (where is_same), 0)::bigint as overlapping,
    coalesce(sum(weight) filter (where not is_same), 0)::bigint as conflicts
from both_forms
group by source_id
order by source_id
