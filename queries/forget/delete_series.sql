-- delete_series: remove series without samples
-- grain:   one row per series
-- params:  none
-- returns: nothing
-- reads:   series
-- note:    after their extents were taken from what is left
delete from series
where samples = 0
