-- insert_files: make files part of the lake
-- grain:   one row per file
-- params:  none
-- returns: nothing
-- reads:   chunk
-- note:    `chunk` is a registered frame
insert into lake_file by name
from chunk
