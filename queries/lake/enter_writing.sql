-- enter_writing: a place for the views that put a lake's files beside the new rows
-- grain:   nothing
-- params:  none
-- returns: nothing
-- reads:   nothing
-- note:    in the draft, as a transaction can write one file only
create schema whole
