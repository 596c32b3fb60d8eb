-- delete_series: remove series without samples
-- grain:   one row per series
-- params:  none
-- returns: nothing
-- reads:   series, sample, histogram
-- note:    whatever source they came from
delete from series
where
    series_id not in (select sample.series_id from sample)
    and series_id not in (select histogram.series_id from histogram)
