-- run_event: orders and life of instances
create table run_event (
    run_id varchar not null,
    policy varchar not null,
    ts timestamptz not null,
    pool varchar not null,
    kind varchar not null,
    before bigint,
    after bigint,
    reason varchar
);
comment on table run_event is 'orders and life of instances';
comment on column run_event.run_id is 'run.run_id';
comment on column run_event.policy is 'label of the policy run';
comment on column run_event.ts is 'when it happened';
comment on column run_event.pool is 'prefill or decode';
comment on column run_event.kind is 'scale_up, scale_down, ready, drained, cut, capped';
comment on column run_event.before is 'desired before, count';
comment on column run_event.after is 'desired after, count';
comment on column run_event.reason is 'the policys reason code';
