-- find_sticky_gauges: GPU gauges that repeat each value, as an exporter does that collects less often than it is scraped
-- grain:   one row per service
-- params:  none
-- returns: service VARCHAR; series BIGINT; repeated_ratio DOUBLE; interval_s DOUBLE; changes_s DOUBLE
-- reads:   target, sample_gpu
-- note:    power and the profiling ratios of up to 64 GPUs, 400 samples each; equal neighbours are rare in them unless the value was not collected anew; dcgm-exporter collects every 30 s by default
with some_gpus as (
    select
        service,
        target_id
    from target
    where gpu_uuid <> '' or gpu_index <> ''
    qualify row_number() over (partition by service order by target_id) <= 64
),

readings as (
    select
        some_gpus.service,
        side.target_id,
        side.measurement,
        side.ts,
        side.value
    from (
        unpivot (
            select
                ts,
                target_id,
                power_w,
                sm_active,
                sm_occupancy,
                tensor_active,
                dram_active
            from sample_gpu
            where target_id in (select target_id from some_gpus)
        )
        on power_w, sm_active, sm_occupancy, tensor_active, dram_active
        into name measurement value value
    ) as side
    join some_gpus on some_gpus.target_id = side.target_id
    qualify row_number() over (partition by side.target_id, side.measurement order by side.ts) <= 400
),

neighbours as (
    select
        service,
        target_id,
        measurement,
        value,
        lag(value) over before as previous,
        epoch(ts - lag(ts) over before) as spacing_s
    from readings
    window before as (partition by target_id, measurement order by ts)
),

judged as (
    select
        service,
        target_id,
        measurement,
        count(*) filter (where value = previous) / count(previous) as repeated_ratio,
        median(spacing_s) as interval_s
    from neighbours
    group by service, target_id, measurement
    having count(previous) >= 20 and min(value) < max(value)
)

select
    service,
    count(*) as series,
    median(repeated_ratio) as repeated_ratio,
    median(interval_s) as interval_s,
    median(interval_s / (1 - repeated_ratio)) as changes_s
from judged
where repeated_ratio < 1
group by service
having median(repeated_ratio) >= 0.4
order by service
