-- create_staged: a table for samples side by side that come in parts
-- grain:   one row per part, target and moment
-- params:  none
-- returns: nothing
-- reads:   sample_engine, sample_gateway, sample_gpu, sample_replicas
-- note:    temporary; it has the columns of all families
create or replace temp table staged_sample as
with every_family as (
    select * from sample_engine
    union all by name
    select * from sample_gateway
    union all by name
    select * from sample_gpu
    union all by name
    select * from sample_replicas
)

select
    '' as family,
    *
from every_family
limit 0
