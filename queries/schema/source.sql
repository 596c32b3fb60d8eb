-- source: files that were loaded
create table source (
    source_id integer not null,
    uri varchar not null,
    format varchar not null,
    service varchar not null,
    sha256 varchar not null,
    options_hash varchar not null,
    options varchar not null,
    rows_read bigint not null,
    rows_kept bigint not null,
    rows_rejected bigint not null,
    series bigint not null,
    overlapping bigint not null,
    first_at timestamptz,
    last_at timestamptz,
    loaded_at timestamptz not null
);
comment on table source is 'files that were loaded';
comment on column source.source_id is 'identifier';
comment on column source.uri is 'path as given';
comment on column source.format is 'name of the format';
comment on column source.service is 'service its rows went to';
comment on column source.sha256 is 'hash of the content; after reopened: where a load may bring the source again';
comment on column source.options_hash is 'hash of the options it was read with';
comment on column source.options is 'the options, as JSON';
comment on column source.rows_read is 'records seen, count';
comment on column source.rows_kept is 'samples and requests stored, count';
comment on column source.rows_rejected is 'records that could not be parsed, count';
comment on column source.series is 'series in the file, count';
comment on column source.overlapping is 'rows left out since another source had brought them before, or other values of their moments, count';
comment on column source.first_at is 'first sample or arrival, UTC';
comment on column source.last_at is 'last sample or arrival, UTC';
comment on column source.loaded_at is 'when it was loaded, UTC';
