-- insert_findings: keep remarks about the data
-- grain:   one row per remark
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame
insert into finding
select
    source_id,
    service,
    code,
    severity,
    subject,
    count,
    text,
    action
from chunk
