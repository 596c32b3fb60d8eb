-- find_rank_copies: series that ranks other than 0 export of their engine's numbers
-- grain:   one row per (service, metric)
-- params:  none
-- returns: service VARCHAR; metric VARCHAR; copies BIGINT
-- reads:   series, target
-- note:    ranks of tensor, pipeline and expert parallelism; ranks of data parallelism are engines of their own
select
    target.service,
    series.metric,
    count(*) as copies
from series
join target on target.target_id = series.target_id
where
    series.measurement <> ''
    and series.samples > 0
    and (
        coalesce(series.labels['tp_rank'], '') not in ('', '0')
        or coalesce(series.labels['pp_rank'], '') not in ('', '0')
        or coalesce(series.labels['moe_ep_rank'], '') not in ('', '0')
    )
group by target.service, series.metric
order by target.service, series.metric
