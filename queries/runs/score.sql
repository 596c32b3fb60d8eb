-- score: scorecards: one row per signal and measure
create table score (
    card_id varchar not null,
    service varchar not null,
    created_at timestamptz not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    tick_s double not null,
    signal varchar not null,
    load varchar not null,
    verdict varchar not null,
    rank integer,
    identity boolean not null,
    measure varchar not null,
    value double,
    low double,
    high double,
    determined boolean not null,
    reason varchar not null
);
comment on table score is 'scorecards: one row per signal and measure';
comment on column score.card_id is 'identifier of the scorecard';
comment on column score.service is 'service that was studied';
comment on column score.created_at is 'when it was kept, UTC';
comment on column score.first_at is 'begin of the time studied, UTC';
comment on column score.last_at is 'end of the time studied, UTC';
comment on column score.tick_s is 'grid width, seconds';
comment on column score.signal is 'pool:signal';
comment on column score.load is 'panel column of the load';
comment on column score.verdict is 'class of the signal';
comment on column score.rank is 'place inside its class, 1 is best; null without one';
comment on column score.identity is 'true if signal and load are the same information';
comment on column score.measure is 'name of the measure';
comment on column score.value is 'estimate, in the unit of the measure';
comment on column score.low is 'lower end of the 95 % interval';
comment on column score.high is 'upper end of the 95 % interval';
comment on column score.determined is 'false if the data do not settle the value';
comment on column score.reason is 'why not, or why there is no interval';
