-- gaping_sources: sources that left rows to those that are forgotten
-- grain:   one row per source
-- params:  $service VARCHAR; $sources INTEGER[] the forgotten ones
-- returns: source_id INTEGER; uri VARCHAR
-- reads:   source, sample, histogram, request
-- note:    before the rows go. A source leaves rows to earlier ones alone. Where it holds rows of all of its series, only the holder of one of them can be meant; what it left of others is not known any more, so for those time decides
with gone as (
    select unnest($sources::integer[]) as source_id
),

candidate as (
    select
        source_id,
        uri,
        series,
        first_at,
        last_at
    from source
    where
        service = $service::varchar
        and overlapping > 0
        and source_id not in (select gone.source_id from gone)
        and source_id > (select min(gone.source_id) from gone)
),

held as (
    select
        source_id,
        series_id,
        min(ts) as first_at,
        max(ts) as last_at
    from (
        select source_id, series_id, ts from sample
        union all
        select source_id, series_id, ts from histogram
    )
    where
        source_id in (select gone.source_id from gone)
        or source_id in (select candidate.source_id from candidate)
    group by source_id, series_id
),

logged as (
    select
        source_id,
        min(arrived_at) as first_at,
        max(arrived_at) as last_at
    from request
    where source_id in (select gone.source_id from gone)
    group by source_id
)

select
    candidate.source_id,
    candidate.uri
from candidate
where
    exists (
        select 1
        from held
        where
            candidate.series > 0
            and held.source_id in (select gone.source_id from gone)
            and held.source_id < candidate.source_id
            and held.first_at <= candidate.last_at
            and held.last_at >= candidate.first_at
            and (
                held.series_id in (
                    select own.series_id from held as own where own.source_id = candidate.source_id
                )
                or candidate.series > (
                    select count(*) from held as own where own.source_id = candidate.source_id
                )
            )
    )
    or exists (
        select 1
        from logged
        where
            (
                candidate.series = 0
                or exists (
                    select 1 from request as own where own.source_id = candidate.source_id
                )
            )
            and logged.source_id < candidate.source_id
            and logged.first_at <= candidate.last_at
            and logged.last_at >= candidate.first_at
    )
order by candidate.source_id
