-- find_rank_copies: series that ranks other than 0 export of their engine's numbers
-- grain:   one row per (service, metric)
-- params:  none
-- returns: service VARCHAR; metric VARCHAR; ranks BIGINT; rank_labels VARCHAR; copies BIGINT
-- reads:   series, target
-- note:    ranks of tensor, pipeline and expert parallelism; ranks of data parallelism are engines of their own; ranks are those of the engine that has most, rank_labels the labels that tell them apart
with ranked as (
    select
        target.service,
        series.target_id,
        series.metric,
        series.priority // 100 as rank_no,
        list_filter(
            ['tp_rank', 'pp_rank', 'moe_ep_rank'],
            lambda name: coalesce(series.labels[name], '') not in ('', '0')
        ) as told
    from series
    join target on target.target_id = series.target_id
    where series.measurement <> '' and series.samples > 0
),

engines as (
    select
        service,
        metric,
        target_id,
        count(distinct rank_no) as ranks,
        count(*) filter (where rank_no > 0) as copies,
        flatten(list(told)) as told
    from ranked
    group by service, metric, target_id
)

select
    service,
    metric,
    max(ranks) as ranks,
    array_to_string(list_sort(list_distinct(flatten(list(told)))), ', ') as rank_labels,
    sum(copies)::bigint as copies
from engines
where copies > 0
group by service, metric
order by service, metric
