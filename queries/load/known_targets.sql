-- known_targets: targets of a service
-- grain:   one row per target
-- params:  none
-- returns: target_id INTEGER; service VARCHAR; namespace VARCHAR; instance VARCHAR; part VARCHAR; gpu_uuid VARCHAR; mig VARCHAR; host VARCHAR; gpu_index VARCHAR
-- reads:   target
-- note:    by number
select
    target_id,
    service,
    namespace,
    instance,
    part,
    gpu_uuid,
    mig,
    host,
    gpu_index
from target
order by target_id
