-- touch_histograms: more series that lose histograms
-- grain:   one row per series
-- params:  $series INTEGER[]
-- returns: nothing
-- reads:   judged_histogram
-- note:    after those that `forget/touched_histograms` found
insert into judged_histogram (series_id)
select unnest($series::integer[])
