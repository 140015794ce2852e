"""Running host programs."""
from __future__ import annotations

import json
import os
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import numpy

from heddle import _engines
from heddle._checks import integer
from heddle._native import native, pandas
from heddle.config import Config, as_config
from heddle.errors import Error, HeddleWarning
from heddle.workload import Workload


class _Said:
    """What has been made, for who calls for it."""

    def __init__(self, made):
        self._made = made

    def __call__(self):
        return self._made


class HostResults:
    """What a host program did; heddle.run_host makes it.

    Attributes:
        end_us: when the last work and the last host thread ended.
        calls, commands, blocks: made by threads, given to devices, run on SMs.
        overlap_us: time in which copies and kernels were both under way, by device.
        deadlock: who waits for whom if it could not end; otherwise empty.
        counters: by name, such as "device 0 memory peak bytes".
        hazards: kernels that may read what is not written yet, a line each (programmatic launch).
        dependency_wait_us: waited by blocks for the kernels before theirs, added up.
        buffers: what the buffers with data or a result hold at the end, as numpy's arrays, by name (Workload.buffer).
        left_out: what is beyond run_host's limits and not kept, by kind: "spans", "errors", "answers", "elapsed", "findings".
        unexpected: with check=True, a line for each error that the program does not expect (Workload.expect), and for each
            that it expects and that did not come. Lines are those of Workload.text().
    """

    def __init__(self, columns: Dict[str, Any]):
        self._columns = columns
        self.end_us: float = columns["end_us"]
        self.calls: int = columns["calls"]
        self.commands: int = columns["commands"]
        self.blocks: int = columns["blocks"]
        self.overlap_us: List[float] = columns["overlap_us"]
        self.deadlock: List[str] = columns["deadlock"]
        self.counters: Dict[str, int] = columns["counters"]
        self.hazards: List[str] = columns["hazards"]
        self.dependency_wait_us: float = columns["dependency_wait_us"]
        self.buffers: Dict[str, numpy.ndarray] = {
            name: numpy.frombuffer(bytearray(data), dtype=kind).reshape(shape, order="F" if fortran else "C")
            for name, (kind, fortran, shape, data) in columns.pop("buffers").items()}
        self.left_out: Dict[str, int] = columns["left_out"]
        self.unexpected: List[str] = columns["unexpected"]

    def __getstate__(self):
        made = {name: _Said(value()) for name, value in self._columns.items() if callable(value)}  # when asked for; a pickle has it
        return {**self.__dict__, "_columns": {**self._columns, **made}}

    def _summary(self) -> str:
        parts = [f"{self.end_us:.3f} us", f"{self.calls} calls", f"{self.commands} commands"]
        parts += [f"{len(frame)} {what}" for what, frame in (("errors", self.errors), ("findings", self.findings))
                  if len(frame)]
        return ", ".join(parts + (["DEADLOCK"] if self.deadlock else []))

    def __repr__(self) -> str:
        return f"<heddle.HostResults: {self._summary()}>"

    def _repr_html_(self) -> str:
        frame = self.tracks
        return f"<p>{self._summary()}</p>" + frame[frame.spans > 0].to_html(index=False, float_format="%.3f")

    def _frame(self, name):
        return pandas().DataFrame(self._columns[name])

    @property
    def spans(self) -> pandas.DataFrame:
        """The timeline: track ("thread main", "device 0 stream s", "device 0 copy to device"; nodes of a graph: "device 0 stream s
        graph g", "... branch 2"), name, start_us, end_us (microseconds since the program's start); kind ("call", "kernel", "copy",
        "memset", "host function", "graph", "other"), stream (its name; "default": a legacy one, "": none), bytes (of copies
        and memsets, and of calls that ask for them), call (of kind "call": its number in its thread, from 1; otherwise 0), and
        correlation (the same number for a call and for all that it has made; 0: of none)."""
        columns = {}
        for name, of in self._columns["spans"]().items():
            numbers, names = of if isinstance(of, tuple) else (of, None)
            columns[name] = numbers if names is None else numpy.array(names, dtype=object)[numbers]
        return pandas().DataFrame(columns).sort_values(["start_us", "end_us"], kind="stable", ignore_index=True)

    def _steps(self, name: str) -> pandas.DataFrame:
        if self._columns["steps_left_out"] or self.left_out["spans"]:
            raise Error("what led to what is not kept: run_host(timeline=True), and a limit of spans that is high enough")
        return pandas().DataFrame(self._columns[name]())

    def critical_path(self) -> pandas.DataFrame:
        """What the end of the program waited for, from its start: a row for each step, without a hole, so that `us` add up to
        end_us. critical_path().groupby("kind").us.sum() says what a faster link or faster kernels can give at most.

        Returns:
            kind ("host work": the program's own, "host call", "launch latency": from a call to the start of the work, "device
            latency": between pieces of work, "room on the SMs", "kernel", "copy to device", "copy from device", "copy inside":
            also memsets, "copy to peer", "host function", "wake-up": from the end of work to the thread's noticing, "sleep",
            "other"), name and track (of what it was), start_us, end_us, us (microseconds).

        Raises:
            Error: the timeline is not kept, or not all of it.
        """
        return self._steps("critical_path")

    def kernel_gaps(self) -> pandas.DataFrame:
        """Why kernels did not follow each other at once: a row for each time in which no kernel of a device ran between two.

        Returns:
            engine ("device 0 kernels"), before and after (the kernel that ended last, the one that starts), start_us, end_us, us
            (microseconds), reason (of the kinds of critical_path(), the one with most of the gap) and reason_us.

        Raises:
            Error: the timeline is not kept, or not all of it.
        """
        return self._steps("kernel_gaps")

    @property
    def tracks(self) -> pandas.DataFrame:
        """Each thread, stream and engine: track, spans, busy_us, waiting_us (of threads: for devices, flags, room in a queue;
        not busy), busy_percent of the whole time."""
        frame = self._frame("tracks")
        frame["busy_percent"] = frame["busy_us"] * (100.0 / self.end_us if self.end_us else 0.0)
        return frame

    @property
    def engines(self) -> pandas.DataFrame:
        """Each device's kernels and copy engines: engine, busy_us, of that alone_us and beside_us (while another engine was busy, of
        any device), idle_us, and busy_percent, beside_percent, idle_percent of the whole time. Of the spans that were kept."""
        names = [t for t in self._columns["tracks"]["track"] if t.startswith("device ") and " stream " not in t and " graph" not in t]
        return _engines.engines(self.spans, names, self.end_us, pandas(), numpy)

    @property
    def errors(self) -> pandas.DataFrame:
        """Calls that returned an error: thread, call (from 1), api, error (CUDA's name), why."""
        return self._frame("errors")

    @property
    def device_errors(self) -> pandas.DataFrame:
        """Calls of kernels that returned an error: call, error (CUDA's name), why."""
        return self._frame("device_errors")

    @property
    def findings(self) -> pandas.DataFrame:
        """With check=True, undefined behaviour, a row for each pair of calls of the text: kind ("race", "use after free",
        ...), buffer, thread, call (from 1), api, the same of the other call that it is about: other_thread, other_call (-1:
        none), other_api, and times, how often."""
        return self._frame("findings")

    @property
    def elapsed(self) -> pandas.DataFrame:
        """What cudaEventElapsedTime said: thread, call, from, to, us."""
        return self._frame("elapsed")

    @property
    def answers(self) -> pandas.DataFrame:
        """What queries, cudaGetLastError and the like said: thread, call, answer."""
        return self._frame("answers")

    def save_timeline(self, path: Union[str, os.PathLike], force: bool = False) -> None:
        """Writes the timeline for https://ui.perfetto.dev and chrome://tracing, as `heddle host --timeline` does.

        Args:
            path: of the file, such as timeline.json.
            force: replace a file that is no timeline, too.

        Raises:
            Error: it cannot be written, or is there and no timeline.
        """
        native.write_timeline(os.fspath(path), self._columns["timeline"](), force)


def run_host(workload: Union[Workload, str, os.PathLike], gpu: Union[str, Config] = "h200", *,
             set: Sequence[str] = (), check: bool = False, together: bool = False, threads: int = 1,
             limits: Optional[Dict[str, int]] = None, timeline: bool = True, jitter: Optional[int] = None,
             progress: Optional[Callable[[float, int], None]] = None) -> HostResults:
    """Runs a host program on the model of the machine around the SMs, as `heddle host` does. Other Python threads go on
    meanwhile; Ctrl-C raises KeyboardInterrupt.

    Args:
        workload: a Workload, or the path of a workload file or of an Accel-Sim kernelslist.g.
        gpu: a name, the path of a configuration file, or a Config.
        set: overrides "path=value".
        check: look for races and use of freed memory, and for errors that the program does not expect:
            HostResults.findings, unexpected.
        together: kernels given as traces or modules are simulated on one machine with what runs beside them, each launch; otherwise each
            trace once, by itself.
        threads: host threads that simulate such kernels; results do not depend on it.
        limits: what a run may take and keep, by name, such as {"spans": 10_000_000}: see frontends/workload/README.md.
        timeline: keep its spans; without, busy times are kept all the same and left_out counts the spans.
        jitter: a seed. The processor's speed and each wake-up of a thread are drawn as they were seen to vary from run to run (the
            configuration's host.calls.cpu_spread, host.latency.wake_spread, idle_spread), so that
            [run_host(w, jitter=i).end_us for i in range(100)] is a distribution. None: all as it mostly is.
        progress: called about ten times a second with the simulated microseconds and the traced kernels that have ended
            (0 unless together). What it raises stops the run and is raised.

    Returns:
        Timeline, busy times, errors. A program that cannot end is no exception: see HostResults.deadlock.

    Raises:
        ConfigError: of the GPU.
        Error: the program is wrong, or a kernel's trace.
    """
    threads = integer("threads", threads, 1, 1024)
    if not timeline:
        limits = {**(limits or {}), "spans": 0}
    own = isinstance(workload, Workload)
    text, name = (workload._text(), workload._name) if own else ("", os.fspath(workload))
    live = workload._begin() if own else []
    try:
        columns, warned = native.run_host(text, name, as_config(gpu, None, set)._draft, check, together, threads, progress,
                                          limits or {}, {d.name: (d.step, d.refuse) for d in live},
                                          None if jitter is None else integer("jitter", jitter, 0, 2**64 - 1))
    except Error as e:
        raise (workload._located(e) if own else e) from None
    finally:
        if own:
            workload._end(live)
    for line in warned:
        warnings.warn(line, HeddleWarning, stacklevel=2)
    return HostResults(columns)
