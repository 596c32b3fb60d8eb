-- insert_rejects: keep records that could not be parsed
-- grain:   one row per record
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame
insert into reject
select
    source_id,
    line,
    reason,
    excerpt
from chunk
