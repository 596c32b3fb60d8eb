-- run_tick: instance counts of a backtest at each decision
create table run_tick (
    run_id varchar not null,
    policy varchar not null,
    ts timestamptz not null,
    pool varchar not null,
    asked bigint,
    desired bigint not null,
    ready bigint not null,
    starting bigint not null,
    draining bigint not null,
    queue_depth bigint not null,
    running bigint not null,
    load_tps double,
    busy_ratio double
);
comment on table run_tick is 'instance counts of a backtest at each decision';
comment on column run_tick.run_id is 'run.run_id';
comment on column run_tick.policy is 'label of the policy run';
comment on column run_tick.ts is 'decision time';
comment on column run_tick.pool is 'prefill or decode';
comment on column run_tick.asked is 'instances the policy asked for, count';
comment on column run_tick.desired is 'instances ordered after limits, count';
comment on column run_tick.ready is 'instances that serve, count';
comment on column run_tick.starting is 'instances in cold start, count';
comment on column run_tick.draining is 'instances that finish their requests, count';
comment on column run_tick.queue_depth is 'requests that wait, count';
comment on column run_tick.running is 'requests being served, count';
comment on column run_tick.load_tps is 'offered prompt (prefill) or output (decode) tokens, tokens/s';
comment on column run_tick.busy_ratio is 'busy time of ready instances since the last tick, ratio';
