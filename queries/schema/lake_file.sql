-- lake_file: files of a lake, one per table, service and day of a load; none in a store of one file
create table lake_file (
    table_name varchar not null,
    service varchar not null,
    day date not null,
    path varchar not null,
    row_count bigint not null,
    sources integer[] not null
);
comment on table lake_file is 'files of a lake, one per table, service and day of a load; none in a store of one file';
comment on column lake_file.table_name is 'table whose rows it holds';
comment on column lake_file.service is 'service they belong to';
comment on column lake_file.day is 'day of their times, UTC';
comment on column lake_file.path is 'path below the folder of the lake';
comment on column lake_file.row_count is 'rows in it, count';
comment on column lake_file.sources is 'source.source_id they came from';
