-- histogram: cumulative bucket counters of histogram series
create table histogram (
    series_id integer not null,
    ts timestamptz not null,
    bounds_id integer not null,
    counts bigint[] not null,
    source_id integer not null
);
comment on table histogram is 'cumulative bucket counters of histogram series';
comment on column histogram.series_id is 'series.series_id';
comment on column histogram.ts is 'when the sample was taken, UTC';
comment on column histogram.bounds_id is 'bounds.bounds_id';
comment on column histogram.counts is 'observations up to each bound since the process started, count';
comment on column histogram.source_id is 'source.source_id it came from';
