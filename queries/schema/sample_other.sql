-- sample_other: samples of series that have no column in a family, in base units
create table sample_other (
    ts timestamptz not null,
    series_id integer not null,
    value double not null,
    source_id integer not null
);
comment on table sample_other is 'samples of exported signals, of further series of a measurement of a target, of sums and counts of histograms, and of what the catalog does not know';
comment on column sample_other.ts is 'when the sample was taken, UTC';
comment on column sample_other.series_id is 'series.series_id';
comment on column sample_other.value is 'in series.unit_stored';
comment on column sample_other.source_id is 'source.source_id it came from';
