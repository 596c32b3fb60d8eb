-- sample_replicas: replicas measurements side by side, in base units
create table sample_replicas (
    ts timestamptz not null,
    target_id integer not null,
    source_id integer not null,
    desired double,
    draining double,
    ready double,
    starting double
);
comment on table sample_replicas is 'replicas measurements side by side; the first series of a measurement of a target; others of it are in sample_other, all are in sample; sources have rows of their own';
comment on column sample_replicas.ts is 'when the samples were taken, UTC';
comment on column sample_replicas.target_id is 'target.target_id';
comment on column sample_replicas.source_id is 'source.source_id they came from';
comment on column sample_replicas.desired is 'instances ordered, count';
comment on column sample_replicas.draining is 'instances draining, count';
comment on column sample_replicas.ready is 'instances ready, count';
comment on column sample_replicas.starting is 'instances starting, count';
