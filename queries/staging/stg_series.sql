-- stg_series: series that count, each with its pool
-- grain:   one row per series that holds the best export of its measurement
-- params:  none
-- returns: nothing
-- reads:   series, target, target_pool
-- note:    of several exports of one measurement of a pool the group of ten with the lowest priority is used, and in it the lowest priority of each target, which is a hundred more for each rank; series of one GPU share a unit_id, whatever pods use it; a GPU is its UUID, else its host and index, and its slice
create or replace temp view stg_series as
select
    series.series_id,
    target.service,
    target_pool.pool,
    target_pool.rule,
    target.target_id,
    target.instance,
    target.outside,
    series.metric,
    series.measurement,
    series.part,
    series.kind,
    series.family,
    series.unit_stored,
    series.relative,
    series.sampling,
    series.resolution_s,
    series.first_at,
    series.last_at,
    series.samples,
    series.resets,
    series.stored_in,
    case
        when target.gpu_uuid <> '' then target.gpu_uuid
        when series.family = 'gpu' and target.host <> '' and target.gpu_index <> ''
            then target.host || '#' || target.gpu_index
    end as gpu,
    case
        when gpu is null then series.series_id
        else
            min(series.series_id) over (
                partition by target.service, target_pool.pool, series.measurement, series.part, gpu, target.mig
            )
    end as unit_id,
    -- ranks other than 0 are one group, in which each target has its own lowest
    least(series.priority, 100 + series.priority % 100) // 10 as group_no
from series
join target on target.target_id = series.target_id
join target_pool on target_pool.target_id = series.target_id
where series.measurement <> '' and series.samples > 0
qualify
    group_no = min(group_no) over (partition by target.service, target_pool.pool, series.measurement)
    and series.priority = min(series.priority) over (
        partition by target.target_id, target_pool.pool, series.measurement, group_no
    );
