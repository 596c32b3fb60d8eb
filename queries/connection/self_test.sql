-- self_test: whether DuckDB knows time zones, and its version
-- grain:   one row
-- params:  none
-- returns: version VARCHAR; moment_us BIGINT
-- reads:   nothing
-- note:    01:00 in Paris is midnight in UTC in winter
select
    version() as version,
    epoch_us(timezone('Europe/Paris', timestamp '2026-01-01 01:00:00')) as moment_us
