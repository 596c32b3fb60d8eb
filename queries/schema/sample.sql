-- sample: values of all series but histogram buckets, in base units, wherever they are stored
create view sample as
select
    series.series_id,
    side.ts,
    side.value,
    side.source_id
from (unpivot sample_engine on columns(* exclude (ts, target_id, source_id)) into name measurement value value) as side
join
    series
    on
        series.target_id = side.target_id
        and series.measurement = side.measurement
        and series.stored_in = 'sample_engine'

union all

select
    series.series_id,
    side.ts,
    side.value,
    side.source_id
from (unpivot sample_gateway on columns(* exclude (ts, target_id, source_id)) into name measurement value value) as side
join
    series
    on
        series.target_id = side.target_id
        and series.measurement = side.measurement
        and series.stored_in = 'sample_gateway'

union all

select
    series.series_id,
    side.ts,
    side.value,
    side.source_id
from (unpivot sample_gpu on columns(* exclude (ts, target_id, source_id)) into name measurement value value) as side
join
    series
    on
        series.target_id = side.target_id
        and series.measurement = side.measurement
        and series.stored_in = 'sample_gpu'

union all

select
    series.series_id,
    side.ts,
    side.value,
    side.source_id
from (unpivot sample_replicas on columns(* exclude (ts, target_id, source_id)) into name measurement value value) as side
join
    series
    on
        series.target_id = side.target_id
        and series.measurement = side.measurement
        and series.stored_in = 'sample_replicas'

union all

select
    series_id,
    ts,
    value,
    source_id
from sample_other;
comment on column sample.series_id is 'series.series_id';
comment on column sample.ts is 'when the sample was taken, UTC';
comment on column sample.value is 'in series.unit_stored';
comment on column sample.source_id is 'source.source_id it came from';
