-- insert_other: keep samples of series without a column in a family
-- grain:   one row per series and moment
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame, by series and time, which compresses well and finds a series fast
insert into main.sample_other by name
from chunk
