-- targets_without_one_pool: targets that belong to no pool or to several
-- grain:   one row per such target
-- params:  none
-- returns: target_id INTEGER; pools BIGINT
-- reads:   target, target_pool
-- note:    none in a sound store
select
    target.target_id,
    count(target_pool.pool) as pools
from target
left join target_pool on target_pool.target_id = target.target_id
group by target.target_id
having count(target_pool.pool) <> 1
order by target.target_id
