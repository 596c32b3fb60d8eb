-- run_reading: what policies saw
create table run_reading (
    run_id varchar not null,
    policy varchar not null,
    ts timestamptz not null,
    signal varchar not null,
    value double,
    target double
);
comment on table run_reading is 'what policies saw';
comment on column run_reading.run_id is 'run.run_id';
comment on column run_reading.policy is 'label of the policy run';
comment on column run_reading.ts is 'decision time';
comment on column run_reading.signal is 'pool:signal that the policy read';
comment on column run_reading.value is 'what was visible; null if nothing was, the signals';
comment on column run_reading.target is 'target value the policy compares with, the signals';
