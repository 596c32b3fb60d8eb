-- delete_target_pools: remove pools of targets without series
-- grain:   one row per target
-- params:  none
-- returns: nothing
-- reads:   target_pool, series
-- note:    before the targets themselves
delete from target_pool
where target_id not in (select series.target_id from series)
