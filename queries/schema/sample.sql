-- sample: values of all series but histogram buckets, in base units
create table sample (
    series_id integer not null,
    ts timestamptz not null,
    value double not null,
    source_id integer not null
);
comment on table sample is 'values of all series but histogram buckets, in base units';
comment on column sample.series_id is 'series.series_id';
comment on column sample.ts is 'when the sample was taken, UTC';
comment on column sample.value is 'in series.unit_stored';
comment on column sample.source_id is 'source.source_id it came from';
