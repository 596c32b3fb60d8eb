-- delete_targets: remove targets without series
-- grain:   one row per target
-- params:  none
-- returns: nothing
-- reads:   target, series
-- note:    after their pools
delete from target
where target_id not in (select series.target_id from series)
