-- merge_gpu: keep samples that came in parts, those of one target and moment in one row
-- grain:   one row per target and moment
-- params:  none
-- returns: nothing
-- reads:   staged_sample
-- note:    no measurement of a target has two values at one moment when this runs
insert into main.sample_gpu by name
select
    ts,
    target_id,
    source_id,
    max(dram_active) as dram_active,
    max(energy_j_total) as energy_j_total,
    max(fb_free) as fb_free,
    max(fb_total) as fb_total,
    max(fb_used) as fb_used,
    max(gpu_temp_c) as gpu_temp_c,
    max(gpu_util) as gpu_util,
    max(gr_engine_active) as gr_engine_active,
    max(mem_copy_util) as mem_copy_util,
    max(mfu) as mfu,
    max(power_w) as power_w,
    max(sm_active) as sm_active,
    max(sm_clock_mhz) as sm_clock_mhz,
    max(sm_occupancy) as sm_occupancy,
    max(tensor_active) as tensor_active
from staged_sample
where family = 'gpu'
group by ts, target_id, source_id
order by ts, target_id
