-- sample_other: samples of exported signals, of parts of histograms and of series that the catalog does not know
create view sample_other as
select
    sample.ts,
    sample.series_id,
    sample.value
from sample
join series on series.series_id = sample.series_id
where series.part <> 'value'
order by sample.ts, sample.series_id;
comment on column sample_other.ts is 'when the sample was taken, UTC';
comment on column sample_other.series_id is 'series.series_id';
comment on column sample_other.value is 'in series.unit_stored';
