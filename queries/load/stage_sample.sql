-- stage_sample: put aside samples of a family that come in parts
-- grain:   one row per part, target and moment
-- params:  $family VARCHAR
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame with the columns that it has
insert into staged_sample by name
select
    $family as family,
    *
from chunk
