-- sample_gpu: gpu measurements side by side, in base units
create table sample_gpu (
    ts timestamptz not null,
    target_id integer not null,
    source_id integer not null,
    dram_active double,
    energy_j_total double,
    fb_free double,
    fb_total double,
    fb_used double,
    gpu_temp_c double,
    gpu_util double,
    gr_engine_active double,
    mem_copy_util double,
    mfu double,
    power_w double,
    sm_active double,
    sm_clock_mhz double,
    sm_occupancy double,
    tensor_active double
);
comment on table sample_gpu is 'gpu measurements side by side; the first series of a measurement of a target; others of it are in sample_other, all are in sample; sources have rows of their own';
comment on column sample_gpu.ts is 'when the samples were taken, UTC';
comment on column sample_gpu.target_id is 'target.target_id';
comment on column sample_gpu.source_id is 'source.source_id they came from';
comment on column sample_gpu.dram_active is 'DRAM activity, ratio';
comment on column sample_gpu.energy_j_total is 'energy used, J';
comment on column sample_gpu.fb_free is 'frame buffer free, B';
comment on column sample_gpu.fb_total is 'frame buffer in all, B';
comment on column sample_gpu.fb_used is 'frame buffer used, B';
comment on column sample_gpu.gpu_temp_c is 'GPU temperature, C';
comment on column sample_gpu.gpu_util is 'GPU utilisation, ratio';
comment on column sample_gpu.gr_engine_active is 'graphics engine activity, ratio';
comment on column sample_gpu.mem_copy_util is 'memory copy utilisation, ratio';
comment on column sample_gpu.mfu is 'model FLOPs utilisation, ratio';
comment on column sample_gpu.power_w is 'power draw, W';
comment on column sample_gpu.sm_active is 'SM activity, ratio';
comment on column sample_gpu.sm_clock_mhz is 'SM clock, MHz';
comment on column sample_gpu.sm_occupancy is 'SM occupancy, ratio';
comment on column sample_gpu.tensor_active is 'tensor core activity, ratio';
