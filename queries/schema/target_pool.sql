-- target_pool: the pool a target belongs to, and why
create table target_pool (
    target_id integer not null,
    pool varchar not null,
    rule varchar not null,
    valid_from timestamptz,
    valid_to timestamptz
);
comment on table target_pool is 'the pool a target belongs to, and why';
comment on column target_pool.target_id is 'target.target_id';
comment on column target_pool.pool is 'prefill, decode, unified or service';
comment on column target_pool.rule is 'what decided: user rule, format, label, name, joined or default';
comment on column target_pool.valid_from is 'start of validity, UTC; null for always';
comment on column target_pool.valid_to is 'end of validity, UTC; null for always';
