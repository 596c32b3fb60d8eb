-- reject: records that could not be parsed
create table reject (
    source_id integer not null,
    line bigint not null,
    reason varchar not null,
    excerpt varchar not null
);
comment on table reject is 'records that could not be parsed';
comment on column reject.source_id is 'source.source_id';
comment on column reject.line is 'line, row or element, counted from 1; 0 if the format has none';
comment on column reject.reason is 'reason code';
comment on column reject.excerpt is 'start of the record';
