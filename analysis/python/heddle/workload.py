"""Host programs: what a program calls of CUDA, on the model of the machine around the SMs."""
from __future__ import annotations

import contextlib
import dataclasses
import os
from typing import Any, ContextManager, Dict, List, Optional, Sequence, Tuple, Union

from heddle._native import native, pandas
from heddle.config import Config, as_config
from heddle.errors import Error

Dim = Union[int, Sequence[int]]
_MEMORY = ("device", "pinned", "pageable", "write_combined", "mapped", "managed")


@dataclasses.dataclass(frozen=True)
class Handle:
    """A stream, event, buffer, kernel or flag of one Workload.

    Attributes:
        kind: "stream", "event", "buffer", "kernel" or "flag".
        name: in the workload's text, on the timeline and in messages.
    """
    kind: str
    name: str


def _text(value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return repr(value)


def _dim(value: Dim) -> str:
    parts = [value] if isinstance(value, int) else list(value)
    if not 1 <= len(parts) <= 3 or any(not isinstance(p, int) or p < 0 for p in parts):
        raise Error(f"{value!r}: a grid, block or cluster is one to three whole numbers")
    return "{ " + " ".join(f"{axis}: {p}" for axis, p in zip("xyz", parts)) + " }"


def _fields(**values) -> str:
    """`name: value`, those that are not None; names of handles for handles."""
    out = []
    for name, v in values.items():
        if v is not None:
            out.append(f"{name}: {_text(v.name if isinstance(v, Handle) else v)}")
    return " ".join(out)


class Workload:
    """A host program, built by calls that are named as CUDA's.

        w = heddle.Workload()
        s = w.stream()
        host, dev = w.pinned(1 << 20), w.device(1 << 20)
        k = w.kernel("saxpy", grid=264, block=256, block_us=8)
        w.memcpy_async(dev, host, stream=s)
        w.launch(k, stream=s)
        w.stream_synchronize(s)
        r = heddle.run_host(w, gpu="h200")

    A call without a stream goes to stream 0, the legacy default stream. Calls are of the thread "main"; those in
    `with w.thread("other"):` are of that one. Times are microseconds, sizes bytes. It is the text of a workload file
    (frontends/workload/README.md) all the time: `text()` gives it, `heddle host` takes it.

    Args:
        name: in messages.
        devices: GPUs of the machine.
        environment: what frontends/workload/workload.proto calls environment, such as {"max_connections": 1,
            "launch_blocking": True, "implicit_sync": "GUIDE_12_4"}.
    """

    def __init__(self, name: str = "workload", devices: int = 1, environment: Optional[Dict[str, Any]] = None):
        self._name, self._devices = name, devices
        self._environment = dict(environment or {})
        self._objects: List[str] = []
        self._names: Dict[Tuple[str, str], Handle] = {}
        self._threads: Dict[str, List[str]] = {"main": []}
        self._thread, self._depth = "main", 0

    # ---- what exists

    def _new(self, kind: str, name: str, fields: str) -> Handle:
        name = name or f"{kind}{sum(k == kind for k, _ in self._names) + 1}"
        if (kind, name) in self._names:
            raise Error(f'{kind} "{name}" is given twice')
        handle = self._names[kind, name] = Handle(kind, name)
        self._objects.append(f"flag: {_text(name)}" if kind == "flag" else
                             f"{kind} {{ name: {_text(name)} {fields}".rstrip() + " }")
        return handle

    def _is(self, kind: str, value, none_ok: bool = False):
        if none_ok and value is None:
            return None
        if not isinstance(value, Handle) or self._names.get((kind, value.name)) is not value:
            raise Error(f"{value!r} is no {kind} of this workload")
        return value

    def stream(self, name: str = "", non_blocking: bool = False, priority: int = 0, device: int = 0) -> Handle:
        """A stream that exists from the start.

        Args:
            name: "stream1", ... if empty.
            non_blocking: cudaStreamNonBlocking: the legacy default stream does not hold it up.
            priority: lower numbers go first, as in CUDA.
            device: its GPU.

        Returns:
            What calls take as `stream`.
        """
        return self._new("stream", name, _fields(non_blocking=non_blocking, priority=priority, device=device))

    def event(self, name: str = "", timing: bool = True, device: int = 0) -> Handle:
        """An event.

        Args:
            name: "event1", ... if empty.
            timing: False: cudaEventDisableTiming.
            device: its GPU.

        Returns:
            What calls take as `event`.
        """
        return self._new("event", name, _fields(disable_timing=not timing, device=device))

    def buffer(self, bytes: int, memory: str = "device", name: str = "", device: int = 0) -> Handle:
        """Memory that exists from the start.

        Args:
            bytes: its size.
            memory: "device", "pinned", "pageable", "write_combined", "mapped" or "managed".
            name: "buffer1", ... if empty.
            device: the GPU of device memory.

        Returns:
            What copies and memsets take.
        """
        if memory not in _MEMORY:
            raise Error(f"memory={memory!r}; legal values: {', '.join(_MEMORY)}")
        return self._new("buffer", name, f"memory: {memory.upper()} " + _fields(bytes=bytes, device=device))

    def device(self, bytes: int, name: str = "", device: int = 0) -> Handle:
        """Device memory.

        Args:
            bytes: its size.
            name: "buffer1", ... if empty.
            device: its GPU.

        Returns:
            What copies and memsets take.
        """
        return self.buffer(bytes, "device", name, device)

    def pinned(self, bytes: int, name: str = "") -> Handle:
        """Pinned host memory (cudaMallocHost).

        Args:
            bytes: its size.
            name: "buffer1", ... if empty.

        Returns:
            What copies take.
        """
        return self.buffer(bytes, "pinned", name)

    def pageable(self, bytes: int, name: str = "") -> Handle:
        """Host memory from malloc.

        Args:
            bytes: its size.
            name: "buffer1", ... if empty.

        Returns:
            What copies take.
        """
        return self.buffer(bytes, "pageable", name)

    def flag(self, name: str = "") -> Handle:
        """A variable of the program's in host memory, false at first.

        Args:
            name: "flag1", ... if empty.

        Returns:
            What set_flag, wait_flag and kernels take.
        """
        return self._new("flag", name, "")

    def kernel(self, name: str = "", grid: Optional[Dim] = None, block: Optional[Dim] = None, *,
               us: Optional[float] = None, block_us: Optional[float] = None, cluster: Optional[Dim] = None,
               registers: int = 32, static_shared_bytes: int = 0, dynamic_shared_bytes: int = 0,
               trigger_us: Optional[float] = None, wait_us: Optional[float] = None,
               until_flag: Optional[Handle] = None, sets_flag: Optional[Handle] = None,
               reads: Sequence[Handle] = (), writes: Sequence[Handle] = (), **more: Any) -> Handle:
        """A kernel, by what it needs and how long it takes.

        Args:
            name: "kernel1", ... if empty.
            grid, block, cluster: a number or up to three; without a grid it takes its time and no room on SMs.
            us: the whole kernel's time, alone on the device.
            block_us: a block's time, instead.
            registers: per thread.
            static_shared_bytes, dynamic_shared_bytes: per block.
            trigger_us: so long after its start a block lets the next kernel start (programmatic launch).
            wait_us: so long after its start a block waits for the kernel before.
            until_flag: it runs until this flag is set.
            sets_flag: it sets this one at its end.
            reads, writes: buffers, all of each: what unified memory moves by and what run_host(check=True) looks at.
            more: other fields of Kernel in frontends/workload/workload.proto.

        Returns:
            What launch takes.
        """
        dims = " ".join(f"{n} {_dim(d)}" for n, d in (("grid", grid), ("block", block), ("cluster", cluster))
                        if d is not None)
        accesses = "".join(f' access {{ buffer: {_text(self._is("buffer", b).name)} mode: {mode} }}'
                           for mode, buffers in (("READ", reads), ("WRITE", writes)) for b in buffers)
        return self._new("kernel", name, dims + " " + _fields(
            us=us, block_us=block_us, registers=registers, static_shared_bytes=static_shared_bytes,
            dynamic_shared_bytes=dynamic_shared_bytes, trigger_us=trigger_us, wait_us=wait_us,
            until_flag=self._is("flag", until_flag, True), sets_flag=self._is("flag", sets_flag, True), **more) +
                         accesses)

    # ---- calls

    @contextlib.contextmanager
    def thread(self, name: str) -> ContextManager[Workload]:
        """`with w.thread("other"):` the calls inside are that host thread's.

        Args:
            name: of a thread, new or not.

        Returns:
            The workload.
        """
        before, self._thread = self._thread, name
        self._threads.setdefault(name, [])
        try:
            yield self
        finally:
            self._thread = before

    @contextlib.contextmanager
    def repeat(self, times: int) -> ContextManager[Workload]:
        """`with w.repeat(10):` the calls inside are made ten times.

        Args:
            times: how often.

        Returns:
            The workload.
        """
        calls = self._threads[self._thread]
        self._threads[self._thread] = []
        try:
            yield self
        finally:
            body = self._threads[self._thread]
            self._threads[self._thread] = calls
        self.call(f"repeat {{ times: {times}\n" + "\n".join(body) + "\n}")

    def call(self, text: str, expect: Optional[str] = None) -> None:
        """A call in the syntax of workload files, for what has no method here.

        Args:
            text: such as 'stream_synchronize: "s"'.
            expect: CUDA's name of the error that it must return (heddle host --check).
        """
        self._threads[self._thread].append(f"call {{ {text}{' ' + _fields(expect=expect) if expect else ''} }}")

    def compute(self, us: float) -> None:
        """The program's own work on the host.

        Args:
            us: how long.
        """
        self.call(_fields(compute_us=us))

    def launch(self, kernel: Union[Handle, str], grid: Optional[Dim] = None, block: Optional[Dim] = None,
               stream: Optional[Handle] = None, *, us: Optional[float] = None, block_us: Optional[float] = None,
               priority: Optional[int] = None, programmatic: bool = False, cluster: Optional[Dim] = None) -> Handle:
        """cudaLaunchKernel.

        Args:
            kernel: of this workload; or the name of a new one, with grid, block and a time.
            grid, block, us, block_us: of a new kernel.
            stream: None: stream 0.
            priority: launch attribute, over the stream's.
            programmatic: it may start when the kernel before it in the stream has triggered.
            cluster: launch attribute.

        Returns:
            The kernel.
        """
        if isinstance(kernel, str):
            kernel = self.kernel(kernel, grid, block, us=us, block_us=block_us)
        elif any(v is not None for v in (grid, block, us, block_us)):
            raise Error(f'kernel "{self._is("kernel", kernel).name}" has its grid, block and time already')
        self._is("kernel", kernel)
        self.call("launch { " + _fields(kernel=kernel, stream=self._is("stream", stream, True), priority=priority,
                                        programmatic=programmatic or None) +
                  (f" cluster {_dim(cluster)}" if cluster is not None else "") + " }")
        return kernel

    def _copy(self, what, to, source, bytes, stream, rows):
        self.call(f"{what} {{ " + _fields(**{"to": self._is("buffer", to), "from": self._is("buffer", source),
                                             "bytes": bytes, "stream": self._is("stream", stream, True),
                                             "rows": rows}) + " }")

    def memcpy_async(self, to: Handle, source: Handle, bytes: Optional[int] = None,
                     stream: Optional[Handle] = None, rows: Optional[int] = None) -> None:
        """cudaMemcpyAsync.

        Args:
            to, source: buffers.
            bytes: None: the smaller one's.
            stream: None: stream 0.
            rows: contiguous pieces that the bytes come in, of a 2D or 3D copy.
        """
        self._copy("memcpy_async", to, source, bytes, stream, rows)

    def memcpy(self, to: Handle, source: Handle, bytes: Optional[int] = None, rows: Optional[int] = None) -> None:
        """cudaMemcpy.

        Args:
            to, source: buffers.
            bytes: None: the smaller one's.
            rows: contiguous pieces that the bytes come in, of a 2D or 3D copy.
        """
        self._copy("memcpy", to, source, bytes, None, rows)

    def memset_async(self, to: Handle, bytes: Optional[int] = None, stream: Optional[Handle] = None) -> None:
        """cudaMemsetAsync.

        Args:
            to: the buffer.
            bytes: None: all.
            stream: None: stream 0.
        """
        self.call("memset_async { " + _fields(to=self._is("buffer", to), bytes=bytes,
                                              stream=self._is("stream", stream, True)) + " }")

    def event_record(self, event: Handle, stream: Optional[Handle] = None) -> None:
        """cudaEventRecord.

        Args:
            event: the event.
            stream: None: stream 0.
        """
        self.call("event_record { " + _fields(event=self._is("event", event),
                                              stream=self._is("stream", stream, True)) + " }")

    def stream_wait_event(self, stream: Optional[Handle], event: Handle) -> None:
        """cudaStreamWaitEvent.

        Args:
            stream: None: stream 0.
            event: the event.
        """
        self.call("stream_wait_event { " + _fields(event=self._is("event", event),
                                                   stream=self._is("stream", stream, True)) + " }")

    def event_synchronize(self, event: Handle) -> None:
        """cudaEventSynchronize.

        Args:
            event: the event.
        """
        self.call(_fields(event_synchronize=self._is("event", event)))

    def event_query(self, event: Handle) -> None:
        """cudaEventQuery; see HostResults.answers.

        Args:
            event: the event.
        """
        self.call(_fields(event_query=self._is("event", event)))

    def event_elapsed_time(self, start: Handle, end: Handle) -> None:
        """cudaEventElapsedTime; see HostResults.elapsed.

        Args:
            start, end: events.
        """
        self.call("event_elapsed { " + _fields(**{"from": self._is("event", start), "to": self._is("event", end)}) +
                  " }")

    def stream_synchronize(self, stream: Optional[Handle] = None) -> None:
        """cudaStreamSynchronize.

        Args:
            stream: None: stream 0.
        """
        self.call("stream_synchronize: " + _text(self._is("stream", stream).name if stream else ""))

    def stream_query(self, stream: Optional[Handle] = None) -> None:
        """cudaStreamQuery; see HostResults.answers.

        Args:
            stream: None: stream 0.
        """
        self.call("stream_query: " + _text(self._is("stream", stream).name if stream else ""))

    def device_synchronize(self) -> None:
        """cudaDeviceSynchronize."""
        self.call("device_synchronize: true")

    def set_device(self, device: int) -> None:
        """cudaSetDevice, of the thread.

        Args:
            device: the GPU.
        """
        self.call(_fields(set_device=device))

    def launch_host_func(self, us: float = 0, stream: Optional[Handle] = None,
                         sets_flag: Optional[Handle] = None) -> None:
        """cudaLaunchHostFunc.

        Args:
            us: the function's time.
            stream: None: stream 0.
            sets_flag: what it sets at its end.
        """
        self.call("launch_host_func { " + _fields(us=us, stream=self._is("stream", stream, True),
                                                  sets_flag=self._is("flag", sets_flag, True)) + " }")

    def set_flag(self, flag: Handle) -> None:
        """The host thread sets a flag.

        Args:
            flag: the flag.
        """
        self.call(_fields(set_flag=self._is("flag", flag)))

    def wait_flag(self, flag: Handle) -> None:
        """The host thread polls a flag until it is set.

        Args:
            flag: the flag.
        """
        self.call(_fields(wait_flag=self._is("flag", flag)))

    # ---- as a file

    def text(self) -> str:
        """The workload as a file for `heddle host`.

        Returns:
            Protobuf text (frontends/workload/workload.proto).
        """
        lines = [_fields(name=self._name, devices=self._devices)]
        if self._environment:
            lines.append("environment { " + " ".join(f"{n}: {v if isinstance(v, str) else _text(v)}"
                                                     for n, v in self._environment.items()) + " }")
        lines += self._objects
        for name, calls in self._threads.items():
            lines += [f"thread {{ name: {_text(name)}", *calls, "}"]
        return "\n".join(lines) + "\n"

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes text() to a file.

        Args:
            path: by custom NAME.workload.textproto.
        """
        native.check_workload(self.text(), self._name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.text())


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

    def _frame(self, name):
        return pandas().DataFrame(self._columns[name])

    @property
    def spans(self) -> pandas.DataFrame:
        """The timeline: track ("thread main", "device 0 stream s", "device 0 copy to device"), name, start_us, end_us."""
        return self._frame("spans").sort_values(["start_us", "end_us"], kind="stable", ignore_index=True)

    @property
    def tracks(self) -> pandas.DataFrame:
        """Each thread, stream and engine: track, spans, busy_us, busy_percent of the whole time."""
        frame = self._frame("tracks")
        frame["busy_percent"] = frame["busy_us"] * (100.0 / self.end_us if self.end_us else 0.0)
        return frame

    @property
    def errors(self) -> pandas.DataFrame:
        """Calls that returned an error: thread, call (from 1), api, error (CUDA's name), why."""
        return self._frame("errors")

    @property
    def findings(self) -> pandas.DataFrame:
        """With check=True, undefined behaviour: kind ("race", "use after free", ...), buffer, thread, call (from 1), api,
        and the same of the other call that it is about: other_thread, other_call (-1: none), other_api."""
        return self._frame("findings")

    @property
    def elapsed(self) -> pandas.DataFrame:
        """What cudaEventElapsedTime said: thread, call, from, to, us."""
        return self._frame("elapsed")

    @property
    def answers(self) -> pandas.DataFrame:
        """What queries and cudaGetLastError said: thread, call, answer."""
        return self._frame("answers")


def run_host(workload: Union[Workload, str, os.PathLike], gpu: Union[str, Config] = "h200", *,
             set: Sequence[str] = (), check: bool = False) -> HostResults:
    """Runs a host program on the model of the machine around the SMs, as `heddle host` does.

    Args:
        workload: a Workload, or the path of a workload file without traces.
        gpu: a name, the path of a configuration file, or a Config.
        set: overrides "path=value".
        check: look for races and use of freed memory: HostResults.findings.

    Returns:
        Timeline, busy times, errors. A program that cannot end is no exception: see HostResults.deadlock.
    """
    if isinstance(workload, Workload):
        text, name = workload.text(), workload._name
    else:
        name = os.fspath(workload)
        try:
            with open(name, encoding="utf-8") as f:
                text = f.read()
        except OSError as e:
            raise Error(f"{name}: {e.strerror}") from None
    return HostResults(native.run_host(text, name, as_config(gpu, None, set)._draft, check))
