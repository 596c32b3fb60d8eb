-- find_absent_mig_utilisation: MIG slices whose exporter has no GPU utilisation
-- grain:   one row per service
-- params:  none
-- returns: service VARCHAR; slices BIGINT
-- reads:   target, series
-- note:    DCGM reports utilisation for whole GPUs only
with slices as (
    select
        target.service,
        target.gpu_uuid,
        target.host,
        target.gpu_index,
        target.mig,
        bool_or(series.measurement = 'gpu_util') as has_util
    from target
    join series on series.target_id = target.target_id
    where target.mig <> '' and series.family = 'gpu' and series.samples > 0
    group by all
)

select
    service,
    count(*) as slices
from slices
where not has_util
group by service
order by service
