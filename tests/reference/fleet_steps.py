"""A prefill/decode fleet, step by step, in plain Python: the slow twin of `signals.fleet`.

Everything is recounted from the requests whenever it is needed; nothing is skipped, cached or kept twice.
Times are integer picoseconds.
"""

from __future__ import annotations

from signals.fleet.spec import FleetSpec
from signals.fleet.steptime import step_times, to_picoseconds
from signals.fleet.workload import Workload
from tests.reference.fleet_parts import Instance, Request


class ReferenceFleet:
    def __init__(self, spec: FleetSpec, workload: Workload) -> None:
        self.times = step_times(spec.profile)
        self.profile = spec.profile
        self.grace = int(to_picoseconds(spec.grace_s))
        self.scrape_every = int(to_picoseconds(spec.scrape_interval_s))
        self.total_blocks = spec.profile.kv_capacity_tokens // spec.profile.kv_block_tokens
        columns = zip(
            to_picoseconds(workload.arrival_s).tolist(),
            workload.prompt_tokens.tolist(),
            workload.output_tokens.tolist(),
            workload.cached_tokens.tolist(),
            strict=True,
        )
        self.requests = [Request(n, *row) for n, row in enumerate(columns)]
        self.instances: list[Instance] = []
        self.router: list[Request] = []
        self.arrived = 0
        self.scrapes: list[list[tuple[object, ...]]] = []
        self.gaps: list[int] = []  # every time between two tokens of a request
        self.gaps_at_scrape: list[int] = []
        self.clock = -1
        self.pending = False
        for pool, count in (("prefill", spec.prefill), ("decode", spec.decode)):
            self.scale(pool, count, [0] * count)

    # ---- looking

    def blocks(self, tokens: int) -> int:
        return -(-tokens // self.profile.kv_block_tokens)

    def live(self, pool: str = "", *states: str) -> list[Instance]:
        return [
            i
            for i in self.instances
            if i.gone is None and pool in ("", i.pool) and (not states or i.state in states)
        ]

    def kv_used(self, i: Instance) -> int:
        if i.pool == "prefill":
            return sum(r.blocks for r in i.batch)
        return sum(self.blocks(r.held) for r in i.batch)

    def load(self, i: Instance) -> int:
        if i.pool == "prefill":
            return sum(r.left for r in i.queue)
        return sum(r.held for r in i.batch) + sum(r.size for r in i.queue + i.incoming)

    # ---- orders

    def scale(self, pool: str, desired: int, delays: list[int]) -> None:
        now = max(self.clock, 0)
        for delay in delays:
            number = sum(i.pool == pool for i in self.instances)
            state = "starting" if delay else "ready"
            self.instances.append(Instance(pool, number, state, now, now + delay))
        surplus = len(self.live(pool, "starting", "ready")) - desired
        for _ in range(surplus):
            starting = self.live(pool, "starting")
            if starting:
                self.remove(starting[-1], now)
            else:
                ready = self.live(pool, "ready")
                least = min(self.load(i) for i in ready)
                self.drain([i for i in ready if self.load(i) == least][-1], now)
        self.pending = self.clock >= 0

    def drain(self, i: Instance, now: int) -> None:
        i.state, i.drained_from, i.grace_end = "draining", now, now + self.grace
        started = [r for r in i.queue if r.state == "prefilling"]
        for r in i.queue:
            if r not in started:
                self.to_router(r)
        i.queue = started
        self.remove_if_empty(i, now)
        if self.grace == 0 and i.gone is None:
            self.kill(i, now)

    def to_router(self, r: Request) -> None:
        r.state = "routed"
        r.left = max(r.prompt - r.cached, 1) + r.generated
        self.router.append(r)
        self.router.sort(key=lambda r: r.number)

    def remove(self, i: Instance, now: int) -> None:
        i.gone = now

    def remove_if_empty(self, i: Instance, now: int) -> None:
        holds = i.queue or i.batch or i.link or i.on_link or i.incoming or i.step_end is not None
        if i.state == "draining" and not holds:
            self.remove(i, now)

    def kill(self, i: Instance, now: int) -> None:
        if i.step_end is not None:
            i.counters["busy"] += now - i.step_start
        held = {id(r): r for r in [*i.queue, *i.batch, *i.link, *i.incoming]}
        if i.on_link is not None:
            held[id(i.on_link)] = i.on_link
            assert i.on_link.where is not None
            i.on_link.where.incoming.remove(i.on_link)
        for r in held.values():
            r.state = "cut"
        i.cut += len(held)
        for other in self.live("prefill"):
            if other is not i and other.on_link is not None and other.on_link.where is i:
                other.batch.remove(other.on_link)
                other.on_link = None
        i.step_end = None
        self.remove(i, now)

    # ---- time

    def advance(self, until: int) -> None:
        if until <= self.clock:
            return
        if self.pending:
            self.dispatch(self.clock)
            self.pending = False
        while True:
            now = self.next_time()
            if now is None or now > until:
                break
            self.clock = now
            self.handle(now)
            if now == until:
                self.pending = True
                break
            self.dispatch(now)
        self.clock = until

    def next_time(self) -> int | None:
        times = [len(self.scrapes) * self.scrape_every]
        if self.arrived < len(self.requests):
            times.append(self.requests[self.arrived].arrival)
        for i in self.live():
            times += [t for t in (i.step_end, i.link_end, i.grace_end) if t is not None]
            if i.state == "starting":
                times.append(i.ready)
        return min(times)

    def handle(self, now: int) -> None:
        for i in self.live():
            if i.step_end == now:
                self.end_step(i, now)
        for i in self.live():
            if i.link_end == now:
                self.end_transfer(i)
        for i in self.live():
            if i.state == "starting" and i.ready == now:
                i.state = "ready"
            elif i.state == "draining" and i.grace_end == now:
                self.remove_if_empty(i, now)
                if i.gone is None:
                    self.kill(i, now)
        while self.arrived < len(self.requests) and self.requests[self.arrived].arrival == now:
            r = self.requests[self.arrived]
            self.arrived += 1
            if self.blocks(r.prompt + 1) > self.total_blocks:
                r.state = "dropped"
            else:
                self.to_router(r)
        if len(self.scrapes) * self.scrape_every == now:
            self.scrape(now)

    def dispatch(self, now: int) -> None:
        while self.router and self.live("prefill", "ready"):
            ready = self.live("prefill", "ready")
            chosen = min(ready, key=self.load)  # the first of equals
            r = self.router.pop(0)
            r.state = "queued"
            chosen.queue.append(r)
        for i in self.live("prefill"):
            if i.link and i.link_end is None and self.live("decode", "ready"):
                self.begin_transfer(i, now)
        for i in self.live("", "ready", "draining"):
            if i.step_end is None:
                if i.pool == "prefill":
                    self.begin_prefill(i, now)
                else:
                    self.begin_decode(i, now)
        for i in self.live("", "draining"):
            self.remove_if_empty(i, now)

    # ---- steps

    def end_step(self, i: Instance, now: int) -> None:
        i.counters["busy"] += now - i.step_start
        i.step_end = None
        if i.pool == "prefill":
            self.end_prefill(i, now)
        else:
            self.end_decode(i, now)

    def begin_prefill(self, i: Instance, now: int) -> None:
        i.step, budget = [], self.profile.max_batched_tokens
        for r in i.queue:
            if budget == 0 or len(i.step) == self.profile.max_num_seqs:
                break
            if r.state == "queued":
                r.blocks = self.blocks(r.size)
                if self.kv_used(i) + r.blocks > self.total_blocks:
                    break
                r.state = "prefilling"
                i.batch.append(r)
                if r.prefill_start < 0:
                    r.prefill_start = now
            r.chunk = min(r.left, budget)
            budget -= r.chunk
            i.step.append(r)
        if i.step:
            tokens = sum(r.chunk for r in i.step)
            i.step_start, i.step_end = now, now + int(self.times.prefill_ps[tokens])

    def end_prefill(self, i: Instance, now: int) -> None:
        for r in i.step:
            r.left -= r.chunk
            i.counters["prefill"] += r.chunk
            if r.left:
                continue
            i.queue.remove(r)
            i.counters["prompt"] += r.prompt
            self.token(r, now)
            if r.generated == r.output:
                i.batch.remove(r)
                self.finish(i, r, now)
            else:
                r.state = "to_transfer"
                i.link.append(r)

    def token(self, r: Request, now: int) -> None:
        r.generated += 1
        if r.first < 0:
            r.first = now
        else:
            self.gaps.append(now - r.last_token)
        r.last_token = now

    def finish(self, i: Instance, r: Request, now: int) -> None:
        r.state, r.done = "ok", now
        i.counters["completions"] += 1

    def begin_transfer(self, i: Instance, now: int) -> None:
        target = min(self.live("decode", "ready"), key=self.load)
        r = i.link.pop(0)
        r.state, r.where = "transferring", target
        target.incoming.append(r)
        i.on_link = r
        i.link_end = now + self.times.latency_ps + (r.size - 1) * self.times.link_ps

    def end_transfer(self, i: Instance) -> None:
        r, i.on_link, i.link_end = i.on_link, None, None
        if r is None:
            return
        i.batch.remove(r)
        assert r.where is not None
        r.where.incoming.remove(r)
        r.where.queue.append(r)
        r.state = "waiting"

    def needed(self, batch: list[Request]) -> int:
        """Blocks that the batch holds at the end of its next step."""
        return sum(self.blocks(r.size) for r in batch)

    def begin_decode(self, i: Instance, now: int) -> None:
        preempted = False
        while self.needed(i.batch) > self.total_blocks:
            r = i.batch.pop()
            i.counters["preemptions"] += 1
            if self.blocks(r.size) > self.total_blocks:
                r.state = "dropped"
            else:
                r.state, r.left = "waiting", r.size
                i.queue.insert(0, r)
            preempted = bool(i.batch)
        budget = self.profile.max_batched_tokens - sum(r.left == 0 for r in i.batch)
        for r in i.batch:
            r.chunk = min(r.left, budget)
            budget -= r.chunk
        while not preempted and i.queue and budget and len(i.batch) < self.profile.max_num_seqs:
            r = i.queue[0]
            if self.needed([*i.batch, r]) > self.total_blocks:
                break
            i.batch.append(i.queue.pop(0))
            r.state = "decoding"
            r.chunk = min(r.left, budget)
            budget -= r.chunk or 1
        if i.batch:
            i.step_start, i.step_end = now, now + self.decode_step_time(i)

    def decode_step_time(self, i: Instance) -> int:
        decoding = [r for r in i.batch if r.left == 0]
        chunk = sum(r.chunk for r in i.batch)
        if not decoding:
            return int(self.times.prefill_ps[chunk])
        context = sum(r.size for r in decoding)
        time = int(self.times.decode_ps[len(decoding)]) + self.times.context_ps * context
        if chunk:
            time += int(self.times.prefill_ps[chunk]) - self.times.fixed_ps
        return time

    def end_decode(self, i: Instance, now: int) -> None:
        for r in list(i.batch):
            i.counters["prefill"] += r.chunk
            r.left -= r.chunk
            r.chunk = 0
            if r.left:
                continue
            self.token(r, now)
            i.counters["decode"] += 1
            if r.generated == r.output:
                i.batch.remove(r)
                self.finish(i, r, now)

    # ---- scrapes

    def scrape(self, now: int) -> None:
        rows: list[tuple[object, ...]] = []
        for i in self.live("", "ready", "draining"):
            running = [r for r in i.queue if r.state == "prefilling"]
            rows.append(
                (
                    f"{i.pool}-{i.number}",
                    *(i.counters[n] for n in ("prefill", "prompt", "decode")),
                    *(i.counters[n] for n in ("completions", "preemptions")),
                    len(running) if i.pool == "prefill" else len(i.batch),
                    len(i.queue) - len(running),
                    self.kv_used(i),
                    self.load(i) if i.pool == "prefill" else 0,
                )
            )
        self.scrapes.append(rows)
        self.gaps_at_scrape.append(len(self.gaps))
