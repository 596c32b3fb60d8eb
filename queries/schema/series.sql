-- series: one exported time series and what it was taken for
create table series (
    series_id integer not null,
    target_id integer not null,
    metric varchar not null,
    labels map(varchar, varchar) not null,
    measurement varchar not null,
    part varchar not null,
    split varchar not null,
    kind varchar not null,
    family varchar not null,
    priority integer not null,
    unit_exported varchar not null,
    unit_stored varchar not null,
    factor double not null,
    relative boolean not null,
    sampling varchar not null,
    alias_of varchar not null,
    resolution_s double,
    first_at timestamptz,
    last_at timestamptz,
    samples bigint not null,
    resets bigint not null,
    stored_in varchar not null
);
comment on table series is 'one exported time series and what it was taken for';
comment on column series.series_id is 'identifier';
comment on column series.target_id is 'target.target_id';
comment on column series.metric is 'name as exported';
comment on column series.labels is 'labels as exported, without le';
comment on column series.measurement is 'canonical measurement or signal; empty if unmapped';
comment on column series.part is 'value, bucket, sum, count; signal for an exported signal; unmapped';
comment on column series.split is 'labels that split the value of the target into parts; empty if none';
comment on column series.kind is 'gauge, counter or histogram';
comment on column series.family is 'engine, gpu, gateway, replicas; other for signals and for unmapped series but those of a GPU driver';
comment on column series.priority is 'which export of one measurement counts: the lowest';
comment on column series.unit_exported is 'unit of the export; empty if unknown';
comment on column series.unit_stored is 'unit of the stored values; empty if unknown';
comment on column series.factor is 'stored value = exported value * factor';
comment on column series.relative is 'true if values are relative to their own maximum';
comment on column series.sampling is 'raw or step_aligned';
comment on column series.alias_of is 'measurement that this is an old name of; empty if it is no alias';
comment on column series.resolution_s is 'median spacing of samples, seconds; the least one where parts that differ by at most 2 % came one after the other';
comment on column series.first_at is 'first sample, UTC';
comment on column series.last_at is 'last sample, UTC';
comment on column series.samples is 'samples stored';
comment on column series.resets is 'times a counter fell';
comment on column series.stored_in is 'histogram, sample_other, or the table of its family, where its measurement is a column';
