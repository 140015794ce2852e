"""Workloads from PyTorch's profiler (torch.profiler's export_chrome_trace): its host calls, kernels, copies."""
from __future__ import annotations

import gzip
import json
import math
import os
import warnings
from typing import Any, Dict, List, Optional, Tuple, Union

from heddle.errors import Error, HeddleWarning

RUNTIME = ("cuda_runtime", "cuda_driver")
ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
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
        self.pid, self.tid = e.get("pid"), e.get("tid")

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

    def dims(self, key: str) -> Tuple[int, ...]:
        value = self.args.get(key)
        if not isinstance(value, list) or len(value) != 3 or not all(isinstance(v, int) and v > 0 for v in value):
            raise Error(f"{self.place}: args.{key}={value!r}: three whole numbers above 0")
        return tuple(value)


def read(path: Union[str, os.PathLike]) -> Tuple[List[Item], Dict[int, List[Item]]]:
    """Host calls by time, and what each has made on devices, by correlation."""
    name = os.fspath(path)
    try:
        with (gzip.open(name, "rt", encoding="utf-8") if name.endswith(".gz") else open(name, encoding="utf-8")) as f:
            data = json.load(f)
    except (OSError, EOFError) as e:
        raise Error(f"{name}: {getattr(e, 'strerror', None) or e}") from None
    except UnicodeDecodeError as e:
        raise Error(f"{name}: not UTF-8: {e.reason} (a compressed one ends in .gz)") from None
    except json.JSONDecodeError as e:
        raise Error(f"{name}:{e.lineno}:{e.colno}: not JSON: {e.msg}") from None
    except RecursionError:
        raise Error(f"{name}: arrays or objects inside each other too deep") from None
    events = data.get("traceEvents") if isinstance(data, dict) else data
    if not isinstance(events, list):
        raise Error(f'{name}: no "traceEvents": not of torch.profiler\'s export_chrome_trace')
    calls, made = [], {}
    for i, e in enumerate(events):
        place = f"{name}: traceEvents[{i}]"
        if not isinstance(e, dict):
            raise Error(f"{place}: an object")
        if e.get("ph") != "X" or e.get("cat") not in RUNTIME + ON_DEVICE:
            continue
        item = Item(f"{place} ({e.get('name')!r})", e)
        if item.category in RUNTIME:
            calls.append(item)
        else:
            made.setdefault(item.whole("correlation"), []).append(item)
    if not calls:
        raise Error(f"{name}: no calls of CUDA (events of the categories {', '.join(RUNTIME)}): was ProfilerActivity.CUDA on?")
    calls.sort(key=lambda c: (c.ts, -c.dur))
    for items in made.values():
        items.sort(key=lambda c: c.ts)
    return calls, made


class Rebuilt:
    """A workload that grows call by call."""

    def __init__(self, w: Any, calls: List[Item], made: Dict[int, List[Item]]):
        self.w, self.made = w, made
        self.streams: Dict[Tuple[int, int], Any] = {}
        self.kernels: Dict[tuple, Any] = {}
        self.buffers: Dict[tuple, Any] = {}
        self.last_stream: Dict[str, Any] = {}  # of each thread
        self.device: Dict[str, int] = {}
        self.graphs: Dict[tuple, Any] = {}
        launches = [made[k] for c in calls for k in (c.whole("correlation", 0),) if "GraphLaunch" in c.name and k in made]
        self.ready = self.set_up(launches) if launches else None
        self.unknown: Dict[str, int] = {}
        used: set = set()
        begin, ends = calls[0].ts, {}
        for c in calls:
            thread = f"{c.pid} {c.tid}"
            if c.ts < ends.get(thread, -math.inf):
                continue  # inside of another call, as the driver's in the runtime's
            with w.thread(thread):
                gap = c.ts - ends.get(thread, begin)
                if thread not in ends and self.ready is not None:
                    w.wait_flag(self.ready)
                    w.sleep(us=max(gap, 0))
                elif thread not in ends:
                    w.sleep_until(us=max(gap, 0))
                elif gap > 0:
                    w.compute(us=gap)
                used |= self.call(thread, c)
            ends[thread] = c.ts + c.dur
        left = sum(len(items) for k, items in made.items() if k not in used)
        if left:
            warnings.warn(f"{left} kernels and copies are of no call of the file and left out", HeddleWarning, stacklevel=4)
        for name, times in sorted(self.unknown.items()):
            warnings.warn(f"{name}, {times} times: taken for time of the host, {name} being unknown here", HeddleWarning, stacklevel=4)

    def stream(self, item: Item) -> Any:
        key = item.whole("device", 0), item.whole("stream", DEFAULT_STREAM)
        if key not in self.streams:
            if key[0] >= self.w._devices:
                raise Error(f"{item.place}: device {key[0]}: there are {self.w._devices}")
            self.streams[key] = None if key == (0, DEFAULT_STREAM) else self.w.stream(f"device {key[0]} stream {key[1]}", True, device=key[0])
        return self.streams[key]

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
        if self.device.get(thread, 0) != device:
            self.device[thread] = device
            self.w.set_device(device)
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
        elif "StreamSynchronize" in c.name or "EventSynchronize" in c.name:
            self.w.stream_synchronize(self.last_stream.get(thread))
        elif "DeviceSynchronize" in c.name or "CtxSynchronize" in c.name:
            self.w.device_synchronize()
        else:
            if c.name.startswith(("cudaLaunch", "cuLaunch", "cudaStreamWaitEvent", "cuStreamWaitEvent")):
                self.unknown[c.name] = self.unknown.get(c.name, 0) + 1
            if c.dur > 0:
                self.w.compute(us=c.dur)
        return {correlation}


__all__ = ["Rebuilt", "read"]
