"""What the end of a host program waited for, from its timeline."""
from __future__ import annotations

import bisect
from typing import Any, Dict, List, Optional, Tuple

EPSILON_US = 1e-6
DEVICE_KINDS = ("kernel", "copy", "memset", "host function")


class Ends:
    """Spans by their ends."""

    def __init__(self, spans: List[Any]):
        self.spans = sorted(spans, key=lambda s: (s.end_us, s.start_us))
        self.ends = [s.end_us for s in self.spans]

    def last(self, at: float, after: float = -1.0) -> Optional[Any]:
        """The one that ends last, not later than `at` and later than `after`."""
        i = bisect.bisect_right(self.ends, at + EPSILON_US)
        return self.spans[i - 1] if i > 0 and self.ends[i - 1] > after else None


def _groups(spans: List[Any], key) -> Dict[Any, Ends]:
    out: Dict[Any, List[Any]] = {}
    for s in spans:
        out.setdefault(key(s), []).append(s)
    return {k: Ends(v) for k, v in out.items()}


class Path:
    """Goes back from the end."""

    def __init__(self, frame: Any):
        rows = list(frame.itertuples(index=False))
        calls = [s for s in rows if s.kind == "call"]
        # Work by engine: a stream's track has the same work again, with the time until the stream knows of its end.
        work = [s for s in rows if s.kind in DEVICE_KINDS and " stream " not in s.track]
        self.call_of = {s.correlation: s for s in calls}
        self.threads = _groups(calls, lambda s: s.track)
        self.streams = _groups(work, lambda s: s.stream)
        self.engines = _groups(work, lambda s: s.track)
        self.all_work, self.all_calls = Ends(work), Ends(calls)
        self.last = Ends(calls + work)

    def before(self, s: Any) -> Optional[Any]:
        """What `s` has waited for: of what it depends on, the one that ended last."""
        if s.kind == "call":
            # A call that waits for devices ends after their work; else it follows the thread's call before.
            of = self.streams.get(s.stream) if s.stream else self.all_work
            waited = of.last(s.end_us, s.start_us) if of and ("Synchronize" in s.name or s.name == "cudaMemcpy") else None
            if waited is None and s.name == "(queue get)":
                other = self.all_calls.last(s.end_us, s.start_us)
                waited = other if other is not None and other.track != s.track else None
            return waited if waited is not None else self.threads[s.track].last(s.start_us)
        found = [self.streams[s.stream].last(s.start_us), self.engines[s.track].last(s.start_us)]
        call = self.call_of.get(s.correlation)
        if call is not None and call.end_us <= s.start_us + EPSILON_US:
            found.append(call)
        return max((f for f in found if f is not None), key=lambda f: f.end_us, default=call)

    def steps(self) -> List[Tuple[str, str, str, float, float]]:
        out, at = [], self.last.last(float("inf"))
        end = at.end_us if at is not None else 0.0
        while at is not None and end > 0:
            before = self.before(at)
            begin = min(max(before.end_us if before is not None else 0.0, at.start_us), end)
            if before is not None and before.end_us <= at.start_us:
                begin = min(at.start_us, end)
            if end > begin:
                out.append((at.kind, at.track, at.name, begin, end))
            if before is None:
                if begin > 0:
                    out.append(("start", "", "(before it)", 0.0, begin))
                break
            if begin > before.end_us:  # the way from one to the next
                out.append(("latency", "", f"{before.name} to {at.name}", before.end_us, begin))
            if before.end_us >= end and before.start_us >= at.start_us:
                break  # no progress
            end, at = min(end, before.end_us), before
        return out[::-1]


def critical_path(frame: Any, frames: Any) -> Any:
    steps = Path(frame).steps()
    out = frames.DataFrame(steps, columns=["kind", "track", "name", "start_us", "end_us"])
    out["us"] = out.end_us - out.start_us
    return out


def engines(frame: Any, names: List[str], end_us: float, frames: Any, numpy: Any) -> Any:
    """A row for each engine: busy, alone, beside others, idle, as shares of the whole time."""
    marks, covers = [], {}
    for name in names:
        of = frame[(frame.track == name) & (frame.end_us > frame.start_us)]
        if len(of):
            covers[name] = (of.start_us.to_numpy(), of.end_us.to_numpy())
            marks += [covers[name][0], covers[name][1]]
    if not marks:
        return frames.DataFrame(columns=["engine", "busy_us", "alone_us", "beside_us", "idle_us", "busy_percent", "beside_percent", "idle_percent"])
    cuts = numpy.unique(numpy.concatenate(marks))
    length = numpy.diff(cuts)
    busy = {}
    for name, (begin, end) in covers.items():
        open_spans = numpy.zeros(len(cuts), dtype="int64")
        numpy.add.at(open_spans, numpy.searchsorted(cuts, begin), 1)
        numpy.add.at(open_spans, numpy.searchsorted(cuts, end), -1)
        busy[name] = numpy.cumsum(open_spans)[:-1] > 0
    several = sum(b.astype("int64") for b in busy.values()) > 1
    rows = []
    for name, b in busy.items():
        all_us, beside = float(length[b].sum()), float(length[b & several].sum())
        share = 100 / end_us if end_us else 0
        rows.append((name, all_us, all_us - beside, beside, end_us - all_us, all_us * share, beside * share, 100 - all_us * share))
    return frames.DataFrame(rows, columns=["engine", "busy_us", "alone_us", "beside_us", "idle_us", "busy_percent", "beside_percent", "idle_percent"])
