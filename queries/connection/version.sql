-- version: the form of an open file
-- grain:   one row
-- params:  none
-- returns: version INTEGER
-- reads:   schema_version
-- note:    a file without this table is no store
select version
from schema_version
