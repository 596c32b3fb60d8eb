-- drop_sample: forget the view of all samples over other files
-- grain:   nothing
-- params:  none
-- returns: nothing
-- reads:   nothing
-- note:    in the place for a lake's views, where the text of the schema makes it anew
drop view if exists whole.sample
