-- count_disorder: samples that are older than the one before them, by source
-- grain:   one row per source with such a sample
-- params:  none
-- returns: source_id INTEGER; disordered BIGINT
-- reads:   incoming
-- note:    within one exported series, in the order of the file
with neighbours as (
    select
        source_id,
        ts,
        lag(ts) over (partition by input_id, le order by seq) as before_ts
    from incoming
)

select
    source_id,
    count(*) as disordered
from neighbours
where ts < before_ts
group by source_id
order by source_id
