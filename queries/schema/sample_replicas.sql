-- sample_replicas: replicas measurements side by side, one row per target and moment; series that split a target are added
create view sample_replicas as
select
    sample.ts,
    series.target_id,
    sum(sample.value) filter (where series.measurement = 'desired') as desired,
    sum(sample.value) filter (where series.measurement = 'draining') as draining,
    sum(sample.value) filter (where series.measurement = 'ready') as ready,
    sum(sample.value) filter (where series.measurement = 'starting') as starting
from sample
join series on series.series_id = sample.series_id
where series.family = 'replicas' and series.part = 'value' and series.alias_of = ''
group by sample.ts, series.target_id
order by sample.ts, series.target_id;
comment on column sample_replicas.ts is 'when the samples were taken, UTC';
comment on column sample_replicas.target_id is 'target.target_id';
comment on column sample_replicas.desired is 'instances ordered, count';
comment on column sample_replicas.draining is 'instances draining, count';
comment on column sample_replicas.ready is 'instances ready, count';
comment on column sample_replicas.starting is 'instances starting, count';
