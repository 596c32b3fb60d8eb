-- create_staged_bucket: a table for buckets until their source is read
-- grain:   one row per bucket and moment
-- params:  none
-- returns: nothing
-- reads:   nothing
-- note:    temporary; part counts the parts of the source
create or replace temp table staged_bucket (
    series_id integer not null,
    le double not null,
    ts timestamptz not null,
    value double not null,
    part integer not null
)
