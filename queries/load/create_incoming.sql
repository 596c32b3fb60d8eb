-- create_incoming: tables that hold a load until it is settled
-- grain:   one row per sample, or per bucket and moment, as read
-- params:  none
-- returns: nothing
-- reads:   nothing
-- note:    temporary; seq is the order of reading over all sources of the load
create or replace temp table incoming (
    source_id integer not null,
    input_id integer not null,
    series_id integer not null,
    le double,
    seq bigint not null,
    ts timestamptz not null,
    value double not null
)
