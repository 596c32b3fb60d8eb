-- count_judged: new and known buckets of a source
-- grain:   one row
-- params:  none
-- returns: fresh BIGINT; overlapping BIGINT; conflicts BIGINT
-- reads:   judged_histogram
-- note:    buckets count one by one
select
    coalesce(sum(len(counts)) filter (where stored_counts is null), 0)::bigint as fresh,
    coalesce(sum(len(counts)) filter (where stored_counts = counts), 0)::bigint as overlapping,
    coalesce(sum(len(counts)) filter (where stored_counts <> counts), 0)::bigint as conflicts
from judged_histogram
