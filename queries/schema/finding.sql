-- finding: remarks about loaded data
create table finding (
    source_id integer not null,
    service varchar not null,
    code varchar not null,
    severity varchar not null,
    subject varchar not null,
    count bigint not null,
    text varchar not null,
    action varchar not null
);
comment on table finding is 'remarks about loaded data';
comment on column finding.source_id is 'source.source_id';
comment on column finding.service is 'service it concerns';
comment on column finding.code is 'stable code';
comment on column finding.severity is 'info, warning or error';
comment on column finding.subject is 'metric, target or column it is about; empty for all';
comment on column finding.count is 'records or series it concerns, count';
comment on column finding.text is 'one sentence';
comment on column finding.action is 'what was done about it';
