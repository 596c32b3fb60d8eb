-- stg_histogram: cumulative buckets with their bounds
-- grain:   one row per series and moment
-- params:  none
-- returns: nothing
-- reads:   histogram, bounds
-- note:    times as whole microseconds since the epoch, so that ticks are exact
create or replace temp view stg_histogram as
select
    histogram.series_id,
    epoch_us(histogram.ts) as at_us,
    histogram.ts,
    histogram.bounds_id,
    bounds.le,
    histogram.counts
from histogram
join bounds on bounds.bounds_id = histogram.bounds_id;
