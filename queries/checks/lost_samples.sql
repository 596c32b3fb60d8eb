-- lost_samples: samples whose series is not known
-- grain:   one row per table and target or series number
-- params:  none
-- returns: stored_in VARCHAR; number INTEGER; samples BIGINT
-- reads:   sample_engine, sample_gateway, sample_gpu, sample_replicas, sample_other, series
-- note:    none in a sound store
with side_by_side as (
    select
        side.target_id,
        side.measurement,
        'sample_engine' as stored_in
    from (unpivot sample_engine on columns(* exclude (ts, target_id, source_id)) into name measurement value value) as side

    union all

    select
        side.target_id,
        side.measurement,
        'sample_gateway' as stored_in
    from (unpivot sample_gateway on columns(* exclude (ts, target_id, source_id)) into name measurement value value) as side

    union all

    select
        side.target_id,
        side.measurement,
        'sample_gpu' as stored_in
    from (unpivot sample_gpu on columns(* exclude (ts, target_id, source_id)) into name measurement value value) as side

    union all

    select
        side.target_id,
        side.measurement,
        'sample_replicas' as stored_in
    from (unpivot sample_replicas on columns(* exclude (ts, target_id, source_id)) into name measurement value value) as side
),

lost as (
    select
        side_by_side.stored_in,
        side_by_side.target_id as number
    from side_by_side
    left join
        series
        on
            series.target_id = side_by_side.target_id
            and series.measurement = side_by_side.measurement
            and series.stored_in = side_by_side.stored_in
    where series.series_id is null

    union all

    select
        'sample_other' as stored_in,
        sample_other.series_id as number
    from sample_other
    left join series on series.series_id = sample_other.series_id
    where series.series_id is null
)

select
    stored_in,
    number,
    count(*) as samples
from lost
group by stored_in, number
order by stored_in, number
