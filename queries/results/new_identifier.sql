-- new_identifier: an identifier that sorts by time
-- grain:   one row
-- params:  $content VARCHAR
-- returns: identifier VARCHAR
-- reads:   nothing
-- note:    time of the transaction and the start of a hash of the content
select strftime(now(), '%Y%m%dT%H%M%S%gZ') || '-' || substr(sha256($content::varchar), 1, 6) as identifier
