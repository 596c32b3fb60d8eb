-- bounds: sets of histogram bounds
create table bounds (
    bounds_id integer not null,
    le double[] not null
);
comment on table bounds is 'sets of histogram bounds';
comment on column bounds.bounds_id is 'identifier';
comment on column bounds.le is 'upper bounds, ascending, in the unit of the series; the last may be infinity';
