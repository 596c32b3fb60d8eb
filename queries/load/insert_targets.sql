-- insert_targets: keep new targets
-- grain:   one row per target
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame; labels come as two lists
insert into target
select
    target_id,
    service,
    namespace,
    instance,
    part,
    gpu_uuid,
    mig,
    host,
    gpu_index,
    outside,
    map(label_names, label_values)
from chunk
