-- insert_gateway: keep samples of the family side by side
-- grain:   one row per target and moment
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame with the columns that it has, in the order of time
insert into main.sample_gateway by name
from chunk
