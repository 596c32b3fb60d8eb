"""The simulated fleet: requests, prefill and decode instances, counters; knows nothing of policies."""
