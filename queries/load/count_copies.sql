-- count_copies: repeated samples by source
-- grain:   one row per source with a repeated sample
-- params:  none
-- returns: source_id INTEGER; duplicates BIGINT; conflicts BIGINT
-- reads:   incoming, settled
-- note:    a duplicate equals the value that was kept, a conflict differs from it
select
    incoming.source_id,
    count(*) filter (where incoming.value = settled.value) as duplicates,
    count(*) filter (where incoming.value <> settled.value) as conflicts
from incoming
join
    settled
    on
        settled.series_id = incoming.series_id
        and settled.ts = incoming.ts
        and settled.le = coalesce(incoming.le, '-infinity'::double)
where incoming.seq <> settled.seq
group by incoming.source_id
order by incoming.source_id
