-- stage_buckets: put aside buckets of histograms
-- grain:   one row per bucket and moment
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame
insert into staged_bucket by name
from chunk
