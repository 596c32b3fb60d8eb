-- target: one row per thing scraped; absent keys are empty texts, never null
create table target (
    target_id integer not null,
    service varchar not null,
    namespace varchar not null,
    instance varchar not null,
    part varchar not null,
    gpu_uuid varchar not null,
    mig varchar not null,
    host varchar not null,
    gpu_index varchar not null,
    outside boolean not null,
    labels map(varchar, varchar) not null
);
comment on table target is 'one row per thing scraped; absent keys are empty texts, never null';
comment on column target.target_id is 'identifier';
comment on column target.service is 'service it belongs to';
comment on column target.namespace is 'orchestrator namespace; empty if none';
comment on column target.instance is 'pod, host or address of the serving instance; empty if the export names none';
comment on column target.part is 'part of the instance, such as engine=1 or dp_rank=3; empty if none';
comment on column target.gpu_uuid is 'GPU UUID; empty if none';
comment on column target.mig is 'MIG instance; empty if none';
comment on column target.host is 'node; empty if unknown';
comment on column target.gpu_index is 'GPU index on the node; empty if none';
comment on column target.outside is 'true if it is no serving instance: a gateway, a planner, or a pool as a whole';
comment on column target.labels is 'labels of the first series seen of it';
