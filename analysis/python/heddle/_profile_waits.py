"""What the calls of a profile wait for: which record of an event, and in which stream."""
from __future__ import annotations

import dataclasses
import re
from typing import Any, Dict, List, Optional, Tuple

Stream = Tuple[int, int]  # device, the profiler's number

_RECORD = re.compile(r"cu(da)?EventRecord")
_WAIT = re.compile(r"cu(da)?StreamWaitEvent")
_SYNCHRONIZE = re.compile(r"cu(da)?EventSynchronize")
_CLOCK = 2.0  # microseconds by which times of a profile may be off


@dataclasses.dataclass(frozen=True)
class Wait:
    """One call that waits for an event.

    Attributes:
        record: correlation of the call that records it.
        thread: that makes that call.
        stream: that waits; None: the host thread does.
    """
    record: int
    thread: str
    stream: Optional[Stream]


class Waits:
    """The waits of a profile. Its cuda_sync events say what is waited for (torch.profiler's enable_cuda_sync_events). Without
    one, a cudaStreamWaitEvent is taken to be for the thread's last record, in the stream that the thread had used last, by the
    stream that it uses next: if work began there when what came before the record had ended.

    Attributes:
        of: by correlation of the waiting call.
        records: stream of each record that is waited for, by its call's correlation.
        by_others: those of them that another thread waits for.
    """

    def __init__(self, calls: List[Any], made: Dict[int, List[Any]], syncs: Dict[int, Any], default: int):
        self.of: Dict[int, Wait] = {}
        self.records: Dict[int, Stream] = {}
        self.by_others: set = set()
        self._guessed = self._lost = self._before = 0
        self._default = default
        self._used = {self._stream(item) for items in made.values() for item in items}
        of_call = [made.get(c.whole("correlation", 0), []) for c in calls]
        behind: List[Any] = [None] * len(calls)  # the thread's next work of a device
        following: Dict[str, Any] = {}
        for at in range(len(calls) - 1, -1, -1):
            behind[at] = following.get(calls[at].thread)
            if of_call[at]:
                following[calls[at].thread] = of_call[at][0]
        recorded: Dict[int, Any] = {}  # calls so far, by correlation
        last: Dict[str, Any] = {}  # work, likewise, by thread
        record: Dict[str, Tuple[Any, Any]] = {}  # the thread's last one, and the work before it
        for c, items, first in zip(calls, of_call, behind):
            correlation = c.whole("correlation", 0)
            if items:
                last[c.thread] = items[-1]
            elif _RECORD.match(c.name):
                recorded[correlation] = c
                record[c.thread] = c, last.get(c.thread)
            elif _WAIT.match(c.name) or _SYNCHRONIZE.match(c.name):
                if correlation in syncs:
                    self._as_said(c, syncs[correlation], recorded)
                elif _WAIT.match(c.name):
                    self._guess(c, *record.get(c.thread, (None, None)), first)

    def warnings(self) -> List[str]:
        """A line for each thing that is not sure."""
        out = []
        if self._guessed:
            out.append(f"cudaStreamWaitEvent, {self._guessed} times: for which event and by which stream is a guess from the order and times of the "
                       "calls (torch.profiler's enable_cuda_sync_events says it)")
        if self._lost:
            out.append(f"cudaStreamWaitEvent, {self._lost} times: for which event is not in the file (torch.profiler's enable_cuda_sync_events "
                       "says it): taken for time of the host, its order is lost")
        if self._before:
            out.append(f"cudaStreamWaitEvent or cudaEventSynchronize, {self._before} times: the event's record is not in the file before it: taken "
                       "for time of the host")
        return out

    def _add(self, c: Any, record: Any, of: Stream, by: Optional[Stream]) -> None:
        correlation = record.whole("correlation", 0)
        self.of[c.whole("correlation", 0)] = Wait(correlation, record.thread, by)
        self.records.setdefault(correlation, of)
        if record.thread != c.thread:
            self.by_others.add(correlation)

    def _as_said(self, c: Any, sync: Any, recorded: Dict[int, Any]) -> None:
        record, of = recorded.get(sync.maybe("wait_on_cuda_event_record_corr_id")), sync.maybe("wait_on_stream")
        by, stream_waits = sync.maybe("stream"), _WAIT.match(c.name)
        if record is None or of is None or (by is None and stream_waits):
            self._before += 1
            return
        device = sync.whole("device", 0)
        devices = {d for d, s in self._used if s == of}  # the event may be of another one, which the file does not say
        self._add(c, record, (devices.pop() if len(devices) == 1 else device, of), (device, by) if stream_waits else None)

    def _guess(self, c: Any, record: Any, before: Any, first: Any) -> None:
        if (record is None or before is None or first is None or self._stream(first) == self._stream(before) or
                first.ts < before.ts + before.dur - _CLOCK or not (c.whole("correlation", 0) and record.whole("correlation", 0))):
            self._lost += 1
            return
        self._guessed += 1
        self._add(c, record, self._stream(before), self._stream(first))

    def _stream(self, item: Any) -> Stream:
        return item.whole("device", 0), item.whole("stream", self._default)


__all__ = ["Stream", "Wait", "Waits"]
