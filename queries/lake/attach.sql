-- attach: open another store file beside the one that is written
-- grain:   nothing
-- params:  $path VARCHAR
-- returns: nothing
-- reads:   nothing
-- note:    its tables are those of `other.main`
attach $path as other (read_only)
