-- create_touched: series whose extent has to be taken from their samples
-- grain:   one row per series
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    temporary; `chunk` is a registered frame
create or replace temp table touched as
select series_id
from chunk
