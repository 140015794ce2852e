"""Workloads from PyTorch's profiler (torch.profiler's export_chrome_trace): its host calls, kernels, copies."""
from __future__ import annotations

import dataclasses
import gzip
import json
import lzma
import math
import os
import warnings
from typing import Any, Dict, List, Optional, Tuple, Union

from heddle._profile_waits import Stream, Waits
from heddle.errors import Error, HeddleWarning

RUNTIME = ("cuda_runtime", "cuda_driver")
ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
SYNC = "cuda_sync"  # of profiles with enable_cuda_sync_events: what a call waits for
DEFAULT_STREAM = 7  # CUPTI's number of the legacy default stream
# Sides of a copy, as the profiler names it ("Memcpy HtoD (Pageable -> Device)").
SIDES = {"pinned": "pinned", "pageable": "pageable", "device": "device", "unified": "device"}


class Item:
    """An event of the file that this reads."""

    def __init__(self, place: str, e: Dict[str, Any]):
        self.place, self.category, self.name = place, e["cat"], str(e.get("name", ""))
        self.args = e.get("args", {})
        if not isinstance(self.args, dict):
            raise Error(f"{place}: args: an object")
        self.ts, self.dur = self.number(e, "ts"), self.number(e, "dur", 0)
        self.thread = f"{e.get('pid')} {e.get('tid')}"

    def number(self, of: Dict[str, Any], key: str, otherwise: Optional[float] = None) -> float:
        value = of.get(key, otherwise)
        try:
            value = float(value)
        except (TypeError, ValueError):
            raise Error(f"{self.place}: {key}={value!r}: a number") from None
        if not math.isfinite(value) or (key == "dur" and not 0 <= value <= 1e9):
            raise Error(f"{self.place}: {key}={value!r}: microseconds, legal: 0 to 1e9")
        return value

    def whole(self, key: str, otherwise: Optional[int] = None) -> int:
        value = self.args.get(key, otherwise)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value) or value < 0:
            raise Error(f"{self.place}: args.{key}={value!r}: a whole number")
        return int(value)

    def maybe(self, key: str) -> Optional[int]:
        """A number that the profiler may not know: it writes -1 then."""
        value = self.args.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32 - 1 else None

    def dims(self, key: str) -> Tuple[int, ...]:
        value = self.args.get(key)
        if not isinstance(value, list) or len(value) != 3 or not all(isinstance(v, int) and v > 0 for v in value):
            raise Error(f"{self.place}: args.{key}={value!r}: three whole numbers above 0")
        return tuple(value)


@dataclasses.dataclass(frozen=True)
class Recording:
    """What a file has.

    Attributes:
        calls: of the host, by time.
        made: what each has made on devices, by correlation.
        syncs: what each has waited for, by correlation; empty unless enable_cuda_sync_events was on.
        gpu, sms: the devices' name and number of SMs; "" and 0 where it does not say.
    """
    calls: List[Item]
    made: Dict[int, List[Item]]
    syncs: Dict[int, Item]
    gpu: str
    sms: int


def device_of(data: Any) -> Tuple[str, int]:
    """The name and the number of SMs of the GPUs that a file says it is of."""
    listed = data.get("deviceProperties") if isinstance(data, dict) else None
    devices = [d for d in listed if isinstance(d, dict)] if isinstance(listed, list) else []
    names = sorted({d["name"] for d in devices if isinstance(d.get("name"), str)})
    sms = {d.get("numSms") for d in devices}
    count = sms.pop() if len(sms) == 1 else 0
    return ", ".join(names), count if isinstance(count, int) and 0 < count < 1 << 16 else 0


def open_text(name: str) -> Any:
    """A file, decompressed where its name says that it is not plain."""
    opened = {".gz": gzip.open, ".xz": lzma.open}.get(os.path.splitext(name)[1], open)
    return opened(name, "rt", encoding="utf-8")


def read(path: Union[str, os.PathLike]) -> Recording:
    """The events of a file."""
    name = os.fspath(path)
    try:
        with open_text(name) as f:
            data = json.load(f)
    except (OSError, EOFError, lzma.LZMAError) as e:
        raise Error(f"{name}: {getattr(e, 'strerror', None) or e}") from None
    except UnicodeDecodeError as e:
        raise Error(f"{name}: not UTF-8: {e.reason} (a compressed one ends in .gz or .xz)") from None
    except json.JSONDecodeError as e:
        raise Error(f"{name}:{e.lineno}:{e.colno}: not JSON: {e.msg}") from None
    except RecursionError:
        raise Error(f"{name}: arrays or objects inside each other too deep") from None
    events = data.get("traceEvents") if isinstance(data, dict) else data
    if not isinstance(events, list):
        raise Error(f'{name}: no "traceEvents": not of torch.profiler\'s export_chrome_trace')
    calls, made, syncs = [], {}, {}
    for i, e in enumerate(events):
        place = f"{name}: traceEvents[{i}]"
        if not isinstance(e, dict):
            raise Error(f"{place}: an object")
        if e.get("ph") != "X" or e.get("cat") not in (*RUNTIME, *ON_DEVICE, SYNC):
            continue
        item = Item(f"{place} ({e.get('name')!r})", e)
        if item.category in RUNTIME:
            calls.append(item)
        elif item.category == SYNC:
            syncs[item.whole("correlation")] = item
        else:
            made.setdefault(item.whole("correlation"), []).append(item)
    if not calls:
        raise Error(f"{name}: no calls of CUDA (events of the categories {', '.join(RUNTIME)}): was ProfilerActivity.CUDA on?")
    calls.sort(key=lambda c: (c.ts, -c.dur))
    for items in made.values():
        items.sort(key=lambda c: c.ts)
    return Recording(calls, made, syncs, *device_of(data))


def outermost(calls: List[Item]) -> List[Item]:
    """The calls that are not made by another call, as the driver's in the runtime's."""
    out, ends = [], {}
    for c in calls:
        if c.ts >= ends.get(c.thread, -math.inf):
            out.append(c)
            ends[c.thread] = c.ts + c.dur
    return out


class Rebuilt:
    """A workload that grows call by call."""

    def __init__(self, w: Any, recording: Recording):
        made = recording.made
        self.w, self.made, self.syncs = w, made, recording.syncs
        self.streams: Dict[Stream, Any] = {}
        self.kernels: Dict[tuple, Any] = {}
        self.buffers: Dict[tuple, Any] = {}
        self.last_stream: Dict[str, Any] = {}  # of each thread
        self.device: Dict[str, int] = {}
        self.graphs: Dict[tuple, Any] = {}
        self.events: Dict[int, Any] = {}  # by the correlation of the call that records it
        self.recorded: Dict[int, Any] = {}  # flags, likewise: where a call of another thread waits for it
        calls = outermost(recording.calls)
        self.waits = Waits(calls, made, recording.syncs, DEFAULT_STREAM)
        launches = [made[k] for c in calls for k in (c.whole("correlation", 0),) if "GraphLaunch" in c.name and k in made]
        self.ready = self.set_up(launches) if launches else None
        self.unknown: Dict[str, int] = {}
        used: set = set()
        begin, ends = calls[0].ts, {}
        for c in calls:
            with w.thread(c.thread):
                gap = c.ts - ends.get(c.thread, begin)
                if c.thread not in ends and self.ready is not None:
                    w.wait_flag(self.ready)
                    w.sleep(us=max(gap, 0))
                elif c.thread not in ends:
                    w.sleep_until(us=max(gap, 0))
                elif gap > 0:
                    w.compute(us=gap)
                used |= self.call(c.thread, c)
            ends[c.thread] = c.ts + c.dur
        left = sum(len(items) for k, items in made.items() if k not in used)
        said = [f"{left} kernels and copies are of no call of the file and left out"] if left else []
        said += [f"{name}, {times} times: taken for time of the host, {name} being unknown here" for name, times in sorted(self.unknown.items())]
        for line in said + self.waits.warnings():
            warnings.warn(line, HeddleWarning, stacklevel=4)

    def stream(self, item: Item) -> Any:
        return self.stream_of((item.whole("device", 0), item.whole("stream", DEFAULT_STREAM)), item)

    def stream_of(self, key: Stream, item: Item) -> Any:
        if key not in self.streams:
            if key[0] >= self.w._devices:
                raise Error(f"{item.place}: device {key[0]}: there are {self.w._devices}")
            self.streams[key] = None if key == (0, DEFAULT_STREAM) else self.w.stream(f"device {key[0]} stream {key[1]}", True, device=key[0])
        return self.streams[key]

    def use(self, thread: str, device: int) -> None:
        if self.device.get(thread, 0) != device:
            self.device[thread] = device
            self.w.set_device(device)

    def kernel(self, item: Item, with_time: bool) -> Any:
        shape = {"grid": item.dims("grid"), "block": item.dims("block")} if "grid" in item.args else {}
        registers, shared = item.whole("registers per thread", 32), item.whole("shared memory", 0)
        time = round(item.dur, 3)
        key = (item.name, registers, shared, *shape.values(), *([time] if with_time else []))
        if key not in self.kernels:
            again = sum(k[0] == item.name for k in self.kernels)
            self.kernels[key] = self.w.kernel(item.name + (f" ({again + 1})" if again else ""), us=time, registers=registers,
                                              dynamic_shared_bytes=shared, **shape)
        return self.kernels[key]

    def buffer(self, side: str, device: int, bytes: int) -> Any:
        size = 1 << max(12, (bytes - 1).bit_length() if bytes > 1 else 0)  # a few buffers instead of one for each copy
        key = side, device if side == "device" else 0, size
        if key not in self.buffers:
            make = getattr(self.w, side)
            name = f"{side} {device} {size}" if side == "device" else f"{side} {size}"
            self.buffers[key] = make(size, name, device) if side == "device" else make(size, name)
        return self.buffers[key]

    def on_device(self, thread: str, c: Item, item: Item) -> None:
        s = self.last_stream[thread] = self.stream(item)
        device = item.whole("device", 0)
        self.use(thread, device)
        if item.category == "kernel":
            self.w.launch(self.kernel(item, False), stream=s, us=round(item.dur, 3))
            return
        size = item.whole("bytes")
        if size == 0:
            return
        if item.category == "gpu_memset":
            self.w.memset_async(self.buffer("device", device, size), size, s)
            return
        source, to = self.sides(item, device, size)
        waits = "Async" not in c.name and c.name.startswith(("cudaMemcpy", "cuMemcpy")) and s is None
        if waits:
            self.w.memcpy(to, source, size)
        else:
            self.w.memcpy_async(to, source, size, s)

    def set_up(self, launches: List[List[Item]]) -> Any:
        """Graphs as the file found them: instantiated, and launched before. Threads of the file wait for the flag."""
        ready = self.w.flag("set-up done")
        with self.w.thread("set-up"):
            for items in launches:
                if self.key(items) not in self.graphs:
                    self.graphs[self.key(items)] = exec = self.w.graph_instantiate(self.graph(items))
                    self.w.graph_upload(exec)
            self.w.device_synchronize()
            self.w.set_flag(ready)
        return ready

    @staticmethod
    def key(items: List[Item]) -> tuple:
        return tuple((i.name, i.args.get("stream"), str(i.args.get("grid")), i.args.get("bytes")) for i in items)

    def graph(self, items: List[Item]) -> Any:
        """What a launch of it has made, one after the other in each stream."""
        g, last = self.w.graph_create(), {}
        for item in items:
            stream = item.args.get("stream")
            after = [last[stream]] if stream in last else []
            if item.category == "kernel":
                last[stream] = self.w.graph_add_kernel_node(g, self.kernel(item, True), after)
                continue
            size, device = item.whole("bytes"), item.whole("device", 0)
            if size == 0:
                continue
            if item.category == "gpu_memset":
                last[stream] = self.w.graph_add_memset_node(g, self.buffer("device", device, size), size, after)
            else:
                source, to = self.sides(item, device, size)
                last[stream] = self.w.graph_add_memcpy_node(g, to, source, size, after)
        return g

    def sides(self, item: Item, device: int, size: int) -> Tuple[Any, Any]:
        """Buffers from and to which a copy goes."""
        sides = item.name.partition("(")[2].rstrip(")").lower().split(" -> ")
        if len(sides) != 2 or any(side not in SIDES for side in sides):
            raise Error(f'{item.place}: a copy\'s name is "Memcpy HtoD (Pinned -> Device)" or the like')
        return self.buffer(SIDES[sides[0]], device, size), self.buffer(SIDES[sides[1]], device, size)

    def call(self, thread: str, c: Item) -> set:
        """Makes the call; the correlations that it accounts for."""
        correlation = c.whole("correlation", 0)
        items = self.made.get(correlation, [])
        if "GraphLaunch" in c.name and items:
            self.w.graph_launch(self.graphs[self.key(items)], self.last_stream.get(thread))
        elif items:
            for item in items:
                self.on_device(thread, c, item)
        elif correlation in self.waits.records:
            self.record(thread, c, self.waits.records[correlation])
        elif correlation in self.waits.of:
            self.wait(thread, c)
        elif "StreamSynchronize" in c.name or "EventSynchronize" in c.name:
            self.synchronize(thread, c)
        elif "DeviceSynchronize" in c.name or "CtxSynchronize" in c.name:
            self.w.device_synchronize()
        else:
            if c.name.startswith(("cudaLaunch", "cuLaunch")):
                self.unknown[c.name] = self.unknown.get(c.name, 0) + 1
            if c.dur > 0:
                self.w.compute(us=c.dur)
        return {correlation}

    def record(self, thread: str, c: Item, stream: Stream) -> None:
        """A record that some call waits for: with an event of its own."""
        correlation = c.whole("correlation")
        s = self.stream_of(stream, c)
        self.use(thread, stream[0])
        self.events[correlation] = event = self.w.event(f"recorded by {correlation}", timing=False, device=stream[0])
        self.w.event_record(event, s)
        if correlation in self.waits.by_others:
            self.recorded[correlation] = flag = self.w.flag(f"recorded by {correlation}")
            self.w.set_flag(flag)

    def wait(self, thread: str, c: Item) -> None:
        """A stream or the thread waits for an event, not before it was recorded: calls of several threads may come in another order."""
        wait = self.waits.of[c.whole("correlation")]
        if wait.thread != thread:
            self.w.wait_flag(self.recorded[wait.record])
        if wait.stream is None:
            self.w.event_synchronize(self.events[wait.record])
            return
        s = self.stream_of(wait.stream, c)
        self.use(thread, wait.stream[0])
        self.w.stream_wait_event(s, self.events[wait.record])

    def synchronize(self, thread: str, c: Item) -> None:
        """For the stream that the file names; else for the one that the thread used last."""
        sync = self.syncs.get(c.whole("correlation", 0))
        named = sync.maybe("stream") if sync is not None and "StreamSynchronize" in c.name else None
        if named is None:
            self.w.stream_synchronize(self.last_stream.get(thread))
            return
        key = sync.whole("device", 0), named
        s = self.stream_of(key, sync)
        self.use(thread, key[0])
        self.w.stream_synchronize(s)


__all__ = ["Rebuilt", "read"]
