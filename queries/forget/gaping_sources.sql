-- gaping_sources: sources that left rows to those that are forgotten
-- grain:   one row per source
-- params:  $service VARCHAR; $sources INTEGER[] the forgotten ones
-- returns: source_id INTEGER; uri VARCHAR
-- reads:   source
-- note:    before the rows go; a source can only have left rows to one whose time meets its own
select
    source_id,
    uri
from source
where
    service = $service::varchar
    and overlapping > 0
    and source_id not in (select unnest($sources::integer[]))
    and exists (
        select 1
        from source as gone
        where
            gone.source_id in (select unnest($sources::integer[]))
            and gone.first_at <= source.last_at
            and gone.last_at >= source.first_at
    )
order by source_id
