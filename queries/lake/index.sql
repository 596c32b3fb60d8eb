-- index: the file of the store that is read
-- grain:   one row
-- params:  none
-- returns: path VARCHAR
-- reads:   nothing
-- note:    as it was attached, links followed
select path
from duckdb_databases()
where database_name = 'fleet'
