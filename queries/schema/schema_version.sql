-- schema_version: the form of this file
create table schema_version (
    version integer not null
);
comment on column schema_version.version is 'number of the form, raised when a table changes';
insert into schema_version values (2);
