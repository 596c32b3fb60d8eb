-- lost_samples: samples whose series is not known
-- grain:   one row per such series number
-- params:  none
-- returns: series_id INTEGER; samples BIGINT
-- reads:   stg_sample, series
-- note:    none in a sound store
select
    stg_sample.series_id,
    count(*) as samples
from stg_sample
left join series on series.series_id = stg_sample.series_id
where series.series_id is null
group by stg_sample.series_id
order by stg_sample.series_id
