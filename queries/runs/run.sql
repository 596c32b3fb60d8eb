-- run: what was asked of a backtest
create table run (
    run_id varchar not null,
    service varchar not null,
    created_at timestamptz not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    policies varchar[] not null,
    inputs varchar[] not null,
    versions varchar not null,
    seed bigint,
    summary varchar not null
);
comment on table run is 'what was asked of a backtest';
comment on column run.run_id is 'identifier: start of a hash of service, inputs, settings, policies and seed';
comment on column run.service is 'service whose workload was replayed';
comment on column run.created_at is 'when it was kept last, UTC';
comment on column run.first_at is 'begin of the replayed time, UTC';
comment on column run.last_at is 'end of the replayed time, UTC';
comment on column run.policies is 'labels of the policies, in the order asked';
comment on column run.inputs is 'SHA-256 of the content of each source of the service';
comment on column run.versions is 'versions of this program and of what it computes with, as JSON';
comment on column run.seed is 'seed of all random draws; null if none was used';
comment on column run.summary is 'workload, settings, objectives, results by policy and remarks, as JSON';
