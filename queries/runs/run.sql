-- run: what was asked of a backtest
create table run (
    run_id varchar not null,
    service varchar not null,
    created_at timestamptz not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    policies varchar[] not null,
    summary varchar not null
);
comment on table run is 'what was asked of a backtest';
comment on column run.run_id is 'identifier';
comment on column run.service is 'service whose workload was replayed';
comment on column run.created_at is 'when it was kept, UTC';
comment on column run.first_at is 'begin of the replayed time, UTC';
comment on column run.last_at is 'end of the replayed time, UTC';
comment on column run.policies is 'labels of the policies, in the order asked';
comment on column run.summary is 'workload, settings, objectives, results by policy and remarks, as JSON';
