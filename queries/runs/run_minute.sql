-- run_minute: requests by minute of arrival
create table run_minute (
    run_id varchar not null,
    policy varchar not null,
    ts timestamptz not null,
    arrived bigint not null,
    ttft_ok bigint not null,
    tpot_ok bigint not null,
    both_ok bigint not null,
    ttft_p90_s double,
    tpot_p90_s double
);
comment on table run_minute is 'requests by minute of arrival';
comment on column run_minute.run_id is 'run.run_id';
comment on column run_minute.policy is 'label of the policy run';
comment on column run_minute.ts is 'start of the minute of arrival';
comment on column run_minute.arrived is 'requests that arrived, count';
comment on column run_minute.ttft_ok is 'of these, within the TTFT objective, count';
comment on column run_minute.tpot_ok is 'of these, within the TPOT objective, count';
comment on column run_minute.both_ok is 'of these, within both, count';
comment on column run_minute.ttft_p90_s is '90th percentile of TTFT, s';
comment on column run_minute.tpot_p90_s is '90th percentile of TPOT, s';
