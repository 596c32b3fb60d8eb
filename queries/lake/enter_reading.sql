-- enter_reading: a place for the views that put a lake's files in the place of tables
-- grain:   nothing
-- params:  none
-- returns: nothing
-- reads:   nothing
-- note:    in memory, as the index is open for reading only
create schema memory.whole
