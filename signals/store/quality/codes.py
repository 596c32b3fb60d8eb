"""All codes of findings, each with what it means and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FINDINGS", "FindingCode"]


@dataclass(frozen=True, slots=True)
class FindingCode:
    """One kind of finding.

    Attributes:
        code: stable identifier.
        severities: those that it is given, mildest first, joined by a slash.
        meaning: what was seen.
        advice: what a user may do about it; empty where nothing needs doing.
    """

    code: str
    severities: str
    meaning: str
    advice: str = ""


# fmt: off
_ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("aggregated_over_instances", "warning", "a query took the mean or the like over instances where their sum is wanted", "query the sum, or group by instance"),
    ("always_zero", "info/warning", "a metric is 0 in every sample of every series", "ask whether the engine sets it"),
    ("arrivals_disagree", "warning", "the gateway's counter and the request log hold different numbers of requests", "trust the log; refused requests are often not counted, so load looks low at saturation"),
    ("assumed_constant_fleet", "warning", "the number of ready instances is not in the data and was taken as constant", "load replica counts, for example of kube-state-metrics"),
    ("between_counts", "info", "instances came and went between two counts", "count more often with --interval"),
    ("bounds_changed", "warning", "histograms of one measurement have different lists of bounds, as while versions are mixed", "read quantiles with the shared bounds in mind, or cut the window at the upgrade"),
    ("bucket_without_bound", "info/warning", "series that are named as buckets have no label `le`", "keep `le` in the query: `sum by (le, ...)`; ranges of AIBrix's gateway cannot be read as a histogram"),
    ("cached_prompts_counted", "warning", "prompt tokens include cached ones, and nothing counts the computed ones", "read prompt_tps as demand, not as work; export prompt_tokens_by_source or the like"),
    ("censored", "info", "requests that still wait are missing from a latency, so it says too little just when queues grow", "look at queue_depth beside it"),
    ("certificate_unchecked", "warning", "the server's certificate is not checked", "give its CA file"),
    ("clock_change", "warning", "all series pause for whole hours and one interval, as when clocks go forward", "name the zone of local times with --tz"),
    ("clock_unchecked", "info", "too few days to tell a signal that follows the time of day from one that follows load", "load at least three days"),
    ("collector_label", "info", "series carry a label that names their collector, as in a pair of Prometheus servers", ""),
    ("completions_only", "warning", "requests are counted when they end, and nothing counts arrivals", "load the gateway's counter or a request log; completions trail arrivals by a request"),
    ("conflict", "warning", "two samples of one series have one time and different values", "see which file is right"),
    ("constant", "info", "a metric has one value in every sample", ""),
    ("count_per_interval", "warning", "values are what was added per interval, neither a counter nor a rate", "query a rate, or name it with --map"),
    ("counter_as_gauge", "warning", "a counter falls too often to be one", "do not use its rate; fix the type in the exporter, or name it with --map"),
    ("counter_ended", "info", "counters end while others of their pool go on", "pods that left end so; if they were there still, see why they were not scraped"),
    ("counter_reset", "info", "a counter started again", ""),
    ("created_series_ignored", "info", "series that only say when a counter began", ""),
    ("degenerate_histogram", "warning", "all observations lie in one bucket", "use the mean, or give the exporter bounds that fit"),
    ("delta_out_of_order", "warning", "points that count since the point before come after a later one", "sort the file by time"),
    ("deltas_summed", "info", "delta temporality was added up to counters", ""),
    ("drawn_requests", "info", "requests were drawn from rates, with a seed", "change --seed to see what is chance"),
    ("duplicate", "info", "samples that a source says twice", ""),
    ("empty_result", "warning", "the query found nothing", "check its selector and its window"),
    ("empty_source", "info", "the file holds no sample and no request", "check that it is the right file"),
    ("eof_missing", "warning", "a text of OpenMetrics lacks its last line", "export it again if it was cut short"),
    ("epoch_unit_inferred", "info/warning", "times without a unit were read by their size; a warning if one column has several units", "name the unit in the header; look at the rows that are told if units differ"),
    ("equal_series", "warning", "series of one target move alike: ranks or copies of one value", "check the labels that tell them apart: their sum may count twice"),
    ("exponential_buckets", "info", "exponential histograms were read as classic buckets", ""),
    ("failed_requests", "info", "requests of the log have no answer", ""),
    ("falling_buckets", "warning", "cumulative counts of a histogram fall from one bound to the next", "none if it is seldom: exporters that count without a lock write them; if often, do not use its quantiles"),
    ("far_time", "warning", "times before 1900 or after 2500", "check the unit of the times"),
    ("file_skipped", "warning", "files of a folder are none of its format", "load them by themselves"),
    ("formatted_cells", "info", "values were rounded for people", "export without formatting"),
    ("gauge_as_counter", "warning", "a gauge never falls, as a counter would not", "check the type in the exporter"),
    ("gpu_unknown", "warning", "no column tells GPUs apart", "add uuid and index to the query"),
    ("grouped_digits", "info", "commas were read as between thousands", ""),
    ("histogram_without_bounds", "warning", "a histogram has no bound but infinity", "use its mean; export buckets for quantiles"),
    ("instant_result", "warning", "the result holds one moment", "query a range"),
    ("label_churn", "info", "many short-lived series of one metric", ""),
    ("lag_undetermined", "info", "the data do not settle a lag", "load more days, or days with more movement"),
    ("last_line_open", "info/warning", "the last line does not end", "export the file again if it was cut short"),
    ("late_counter", "info", "counters appear with a value: what they counted before is unknown", ""),
    ("legend_as_instance", "info", "legends of a chart were taken for instances", "name them with --map if they are something else"),
    ("lengths_only", "info", "a table of lengths is read with the rates of its name", ""),
    ("metric_copy", "info", "two metrics hold the same values", ""),
    ("mig_instances", "info", "rows are of MIG instances", ""),
    ("mig_no_gpu_util", "info", "MIG slices have no GPU utilisation", "use sm_active or gr_engine_active"),
    ("missing_cells", "info", "cells without a value", ""),
    ("mixed_intervals", "info", "series of one metric are sampled at different intervals", ""),
    ("mixed_runs", "warning", "a file holds several runs", "choose a window of one run"),
    ("more_pages", "warning", "the answer is one page of several", "export the others, too"),
    ("moves_at_request_end", "info", "a counter moves only when a request ends", "prefer a counter that moves with every step; its lag holds the whole request"),
    ("native_histogram", "info", "native histograms were made classic buckets", ""),
    ("near_idle", "warning", "the log is near idle", "choose a window with load"),
    ("no_gpu_signals", "info", "no GPU metric is loaded", "load DCGM's metrics to have them scored"),
    ("no_lengths", "warning", "rates come without lengths", "put the length tables beside them"),
    ("no_output_length", "info", "requests have no output length", ""),
    ("no_ratio", "info", "a metric is a share by its name, but not by its values", ""),
    ("no_recorded_value", "info", "points say that a series has ended", ""),
    ("no_token_counts", "warning", "requests carry text but no token counts", "ask the server for usage"),
    ("not_a_number", "info", "staleness markers or NaN", ""),
    ("not_metrics", "info", "exports of another kind than metrics", ""),
    ("old_name", "info", "a metric is loaded under an older name", ""),
    ("open_bound", "warning", "a quantile lies above the top bound: larger, but unknown", "give the exporter higher bounds"),
    ("option_unused", "warning", "an option changed nothing, since the file itself says it", "leave the option out, or change the file if it is wrong"),
    ("order_capped", "warning", "limits of the fleet held orders back", "raise the limits to see the policy itself"),
    ("other_lines", "info", "lines of a log that hold no statistics", ""),
    ("out_of_order", "info", "samples are older than the one before them in the file", ""),
    ("out_of_range", "warning", "values lie outside of what the measurement can be", "name the unit with --as or --map if it is another one"),
    ("output_not_in_tokens", "info", "output lengths are in characters", ""),
    ("overlap", "info", "rows that another source brought, in the same load or before", ""),
    ("partial_response", "warning", "the server could not ask all of its stores", "repeat the query"),
    ("partial_result", "warning", "a result lacks points", "ask for less at a time"),
    ("peak_above_limit", "warning", "the busiest part needs more instances than the limits allow", "raise the limits"),
    ("pooled_lengths", "warning", "clients have rates but no lengths of their own", ""),
    ("prefix_cache_bound", "info", "what an endless prefix cache would hit", ""),
    ("profile_extrapolated", "warning", "the profile was used beyond what was measured", "use a profile of that load"),
    ("quantised_times", "warning", "arrivals share few stamps: their spacing is rounding", "do not read burstiness below that step"),
    ("rank_copies", "info", "ranks other than 0 export copies", ""),
    ("ready_inferred", "info", "ready instances were counted from samples", "load replica counts to have the real number"),
    ("received_prompts_counted", "info", "decode instances count prompts that prefill instances computed", "use prefill:prefill_tps or the service's prompt tokens"),
    ("repeated_header", "info", "the header stands in the file more than once", ""),
    ("request_without_output", "warning", "requests of a replay lack an output length", ""),
    ("request_without_prompt", "warning", "requests of a replay lack a prompt length", ""),
    ("sampled_requests", "warning", "a report keeps a part of its requests", "keep all of them for rates"),
    ("sampling_gap", "info", "samples are missing for a while", ""),
    ("scale_to_zero_gap", "info", "for a while no instance reports", "tell an empty fleet from a collector that is down by the replica counts"),
    ("scraped_once", "warning", "a histogram was scraped once, so it tells of all that its processes have counted", "load more scrapes to see it by time"),
    ("secret_in_clear", "warning", "a secret goes over a connection that is not encrypted", "use https"),
    ("sentinel", "info", "values that stand for 'no value'", ""),
    ("served_load", "warning", "load is what the fleet served, which cannot exceed its capacity", "load arrivals: a request log or the gateway's counters"),
    ("server_error", "error", "the server reported an error", ""),
    ("server_info", "info", "the server said something", ""),
    ("server_lost", "warning", "the server did not answer any more", "start the command again: it goes on where it was"),
    ("server_warning", "warning", "the server warned", ""),
    ("several_results", "warning", "a file holds several results of one query", "export one, or they add up"),
    ("several_scrapes", "warning", "a text holds several scrapes without times", "give each a file of its own"),
    ("signal_missing", "warning", "a policy's signal had no value at some decisions", ""),
    ("simulated_fleet", "info", "policies read a simulated fleet", "compare policies with each other"),
    ("slo_out_of_reach", "warning", "an objective is missed even with plenty of instances", "set an objective that the hardware can meet"),
    ("staleness_ghost", "warning", "a value goes on after the counters of its target have ended", "cut the window where the target ends"),
    ("stamp_unit_contradicted", "warning", "times do not suit the unit of their format", "end OpenMetrics in # EOF"),
    ("start_assumed", "warning", "relative times were counted from 1970", "give --start"),
    ("start_from_date", "info", "a run was placed by its date", "give --start for more"),
    ("start_from_meta", "info", "a run was placed by the file beside it", ""),
    ("statistic", "warning", "values are another statistic than the average", "export the average"),
    ("step_aligned", "info", "values lie on the steps of a query", "export raw samples to tell lags shorter than a step"),
    ("sticky_gauge", "info", "GPU gauges are collected less often than they are scraped", "lower the exporter's interval; their lag holds it"),
    ("targets_from_names", "info", "names of files tell targets apart", ""),
    ("temporality_unknown", "warning", "points do not say whether they count from the start", "set the temporality of the exporter"),
    ("text_cells", "info", "cells hold text", ""),
    ("text_column", "info", "a column holds text", "take it as a label with --map"),
    ("times_counted", "info", "rows were timed by --start and --interval", "load runs with a pause between them one by one"),
    ("two_clocks", "info", "arrivals and tokens are by different clocks", ""),
    ("unit_assumed", "warning", "cells without a unit were read as the others", "name the unit with --map"),
    ("unit_changed", "warning", "a series comes in another unit than before", "load one of the two under another name"),
    ("unit_doubtful", "info", "values look as if they were in another unit than their name says", "name the unit with --as or --map if they are"),
    ("unit_label_ignored", "info", "a label of a unit contradicts the exporter", "name the unit with --map if the label is right"),
    ("unit_mismatch", "warning", "the unit given is no form of the measurement's", "correct it, or leave it out"),
    ("unknown_family", "warning", "gaps of an unknown family were drawn as a Poisson process", ""),
    ("unknown_name", "info/warning", "a name is not in the catalog", "name it with --map"),
    ("unknown_pool", "warning", "a pool is none that signals are computed for", "name it with --pool"),
    ("unknown_status", "info", "requests have a status of the log's own", ""),
    ("unnamed_column", "info/warning", "a column has no name of a metric", "name it with --map 'COLUMN=NAME[unit]'"),
    ("unused_column", "info", "a column says nothing that is stored", ""),
    ("window_refused", "error", "answers of a server cannot be stored", "ask again with --max-reject SHARE, or leave series out with --match"),
    ("workload_from_rates", "warning", "arrivals were drawn from rates, as there is no request log", "load a request log"),
    ("zero_windows", "info", "windows hold no request of any client", ""),
    ("zone_assumed", "info", "local times were read in the zone given", ""),
)
# fmt: on

FINDINGS: tuple[FindingCode, ...] = tuple(FindingCode(*row) for row in _ROWS)
"""One row per code, alphabetical."""
