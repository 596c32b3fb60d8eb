-- stg_sample: samples in base units
-- grain:   one row per series and moment
-- params:  none
-- returns: nothing
-- reads:   sample
-- note:    times as whole microseconds since the epoch, so that ticks are exact
create or replace temp view stg_sample as
select
    sample.series_id,
    epoch_us(sample.ts) as at_us,
    sample.ts,
    sample.value
from sample;
