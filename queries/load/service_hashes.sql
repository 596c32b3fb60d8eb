-- service_hashes: what a service was loaded from
-- grain:   one row per source
-- params:  $service VARCHAR
-- returns: sha256 VARCHAR; options_hash VARCHAR
-- reads:   source
-- note:    in an order that does not depend on when they were loaded
select
    sha256,
    options_hash
from source
where service = $service::varchar
order by sha256, options_hash
