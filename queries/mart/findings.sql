-- findings: remarks about loaded data
-- grain:   one row per source and remark
-- params:  none
-- returns: service VARCHAR; source VARCHAR; code VARCHAR; severity VARCHAR; subject VARCHAR; count BIGINT; text VARCHAR; action VARCHAR
-- reads:   finding, source
-- note:    in the order of loading
select
    finding.service,
    source.uri as source,
    finding.code,
    finding.severity,
    finding.subject,
    finding.count,
    finding.text,
    finding.action
from finding
join source on source.source_id = finding.source_id
order by finding.source_id, finding.code, finding.subject
