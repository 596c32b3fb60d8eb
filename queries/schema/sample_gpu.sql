-- sample_gpu: gpu measurements side by side, one row per target and moment; series that split a target are added
create view sample_gpu as
select
    sample.ts,
    series.target_id,
    avg(sample.value) filter (where series.measurement = 'dram_active') as dram_active,
    sum(sample.value) filter (where series.measurement = 'energy_j_total') as energy_j_total,
    avg(sample.value) filter (where series.measurement = 'fb_used') as fb_used,
    avg(sample.value) filter (where series.measurement = 'gpu_util') as gpu_util,
    avg(sample.value) filter (where series.measurement = 'mfu') as mfu,
    avg(sample.value) filter (where series.measurement = 'power_w') as power_w,
    avg(sample.value) filter (where series.measurement = 'sm_active') as sm_active,
    avg(sample.value) filter (where series.measurement = 'sm_occupancy') as sm_occupancy,
    avg(sample.value) filter (where series.measurement = 'tensor_active') as tensor_active
from sample
join series on series.series_id = sample.series_id
where series.family = 'gpu' and series.part = 'value' and series.alias_of = ''
group by sample.ts, series.target_id
order by sample.ts, series.target_id;
comment on column sample_gpu.ts is 'when the samples were taken, UTC';
comment on column sample_gpu.target_id is 'target.target_id';
comment on column sample_gpu.dram_active is 'DRAM activity, ratio';
comment on column sample_gpu.energy_j_total is 'energy used, J';
comment on column sample_gpu.fb_used is 'frame buffer used, B';
comment on column sample_gpu.gpu_util is 'GPU utilisation, ratio';
comment on column sample_gpu.mfu is 'model FLOPs utilisation, ratio';
comment on column sample_gpu.power_w is 'power draw, W';
comment on column sample_gpu.sm_active is 'SM activity, ratio';
comment on column sample_gpu.sm_occupancy is 'SM occupancy, ratio';
comment on column sample_gpu.tensor_active is 'tensor core activity, ratio';
