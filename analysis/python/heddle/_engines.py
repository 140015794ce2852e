"""How busy the engines of a host program's devices were, from its timeline."""
from __future__ import annotations

from typing import Any, List


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
