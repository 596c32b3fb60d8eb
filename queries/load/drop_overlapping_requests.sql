-- drop_overlapping_requests: take back requests that an earlier source brought
-- grain:   one row per request
-- params:  $source_id INTEGER; $service VARCHAR
-- returns: nothing
-- reads:   request
-- note:    done if at least half of the new rows in the common time are equal to stored ones, as in a later export of the same log; else both logs are real. Equal rows are matched one to one
delete from main.request
where
    source_id = $source_id
    and rowid in (
        with fresh as (
            select
                rowid as row_no,
                arrived_at,
                hash(
                    arrived_at, prompt_tokens, cached_tokens, output_tokens, asked_output_tokens,
                    ttft_s, e2e_s, status, session, block_hashes
                ) as content
            from main.request
            where source_id = $source_id
        ),

        stored as (
            select
                arrived_at,
                hash(
                    arrived_at, prompt_tokens, cached_tokens, output_tokens, asked_output_tokens,
                    ttft_s, e2e_s, status, session, block_hashes
                ) as content
            from request
            where source_id < $source_id and service = $service
        ),

        tally as (
            select
                content,
                count(*) as copies
            from stored
            group by content
        ),

        numbered as (
            select
                row_no,
                content,
                row_number() over (partition by content order by row_no) as copy_no
            from fresh
        ),

        matched as (
            select numbered.row_no
            from numbered
            join tally on tally.content = numbered.content and numbered.copy_no <= tally.copies
        ),

        common as (
            select count(*) as rows_in_common_time
            from fresh
            where
                arrived_at
                between (select min(stored.arrived_at) from stored)
                and (select max(stored.arrived_at) from stored)
        )

        select matched.row_no
        from matched
        cross join common
        where 2 * (select count(*) from matched) >= common.rows_in_common_time
    )
