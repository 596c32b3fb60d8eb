-- attach: open a store for reading
-- grain:   nothing
-- params:  $path VARCHAR
-- returns: nothing
-- reads:   nothing
-- note:    into an instance of its own, so that it is the file of this moment whatever else the process has open
attach $path as fleet (read_only)
