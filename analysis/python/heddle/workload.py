"""Host programs: what a program calls of CUDA, on the model of the machine around the SMs."""
from __future__ import annotations

import operator
import os
import re
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy

from heddle import _profile
from heddle._native import native
from heddle._workload_base import (Access, AccessPolicyWindow, Dim, Handle, Lines, MemSyncDomain, Word, caller, dim, fields, message,
                                    text_of)
from heddle._workload_declared import add_methods
from heddle._workload_graphs import GraphCalls
from heddle._workload_live import Event, LiveThreads, Queue, Stream, yielded
from heddle._workload_memory import MemoryCalls
from heddle._workload_names import CudaNames
from heddle._workload_nested import NestedCalls
from heddle._workload_streams import StreamCalls
from heddle._workload_vmm import VirtualMemoryCalls
from heddle.errors import Error

# CUDA's environment variables, by the fields of `environment`.
_VARIABLES = {"CUDA_LAUNCH_BLOCKING": "launch_blocking", "CUDA_DEVICE_MAX_CONNECTIONS": "max_connections",
              "CUDA_DEVICE_MAX_COPY_CONNECTIONS": "max_copy_connections", "CUDA_SCALE_LAUNCH_QUEUES": "scale_launch_queues",
              "CUDA_MODULE_LOADING": "module_loading", "CUDA_VISIBLE_DEVICES": "visible_devices",
              "CUDA_GRAPHS_USE_NODE_PRIORITY": "graphs_use_node_priority"}
_SWITCHES = ("launch_blocking", "graphs_use_node_priority")


# Kernel's other fields, of frontends/workload/command.proto.
_KERNEL_FIELDS = ("max_threads", "cooperative", "fails", "asserts", "non_portable_cluster", "needs_cluster",
                  "max_cluster_blocks", "parameter_bytes", "carveout_percent", "polls_plainly", "grid_barrier", "cdp1")


def _environment(values: Dict[str, Any]) -> str:
    out = []
    for name, v in values.items():
        field = _VARIABLES.get(name, name)
        if field != name:
            v = v if isinstance(v, bool) or field == "visible_devices" or not str(v).isdigit() else int(v)
            if field in _SWITCHES and v not in (0, 1):
                raise Error(f"{name}={v!r}: legal values: 0 and 1")
            v = bool(v) if field in _SWITCHES else str(v) if field == "visible_devices" else v
        out.append(f"{field}: {text_of(Word(v) if isinstance(v, str) and re.fullmatch('[A-Z][A-Z0-9_]*', v) else v)}")
    return " ".join(out)


def _argument(name: str, value: Any) -> str:
    """An argument of a module's kernel as a workload file has it."""
    if isinstance(value, Handle) and value.kind == "buffer":
        return "&" + value.name
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        return os.path.abspath(text) if text.endswith(".npy") else text
    # Arrays of one element, or of no index, are arrays here: 8 bytes of a kernel may be an address.
    if not hasattr(value, "shape") or isinstance(value, numpy.generic) and value.dtype.kind in "biuf":
        for number in (operator.index, float):
            try:
                return repr(number(value.item() if isinstance(value, numpy.bool_) else value))
            except (TypeError, ValueError, OverflowError):
                pass
    raise Error(f"kernel {name!r}: args: {type(value).__name__} is no number and no text (a workload is a file: numpy.save writes "
                "an array to FILE.npy, whose path is an argument)")


def _module(name: str, module: Any, kernel: Optional[str], args: Sequence[Any], dims: str) -> str:
    """The message of a kernel's module; empty without one."""
    if module is None:
        if kernel is not None or len(args):
            raise Error(f"kernel {name!r}: kernel and args are of a module")
        return ""
    if not isinstance(module, (str, os.PathLike)):
        raise Error(f"kernel {name!r}: module={module!r}: the path of a .ptx, .cubin or .fatbin")
    if not kernel and not name or "grid" not in dims:
        raise Error(f"kernel {name!r}: a module's kernel needs its name there, grid and block")
    return message("module", fields(file=os.path.abspath(module), kernel=kernel or name, arg=[_argument(name, a) for a in args]))


class Workload(LiveThreads, StreamCalls, MemoryCalls, VirtualMemoryCalls, GraphCalls, NestedCalls, CudaNames):
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
    `with w.thread("other"):` are of that one; `@w.thread` makes one that decides while it runs. Times are microseconds, sizes bytes. It is the text of a workload file
    (frontends/workload/README.md) all the time: `text()` gives it, `heddle host` takes it. Errors of calls are no exceptions
    but values: HostResults.errors. (SO01) and the like are rules of the specification, listed in sim/host/COVERAGE.md.

    Args:
        name: in messages.
        devices: GPUs of the machine.
        environment: CUDA's variables, such as {"CUDA_DEVICE_MAX_CONNECTIONS": 1, "CUDA_VISIBLE_DEVICES": "2,1"}, and what
            frontends/workload/workload.proto calls environment, such as {"per_thread_default_stream": True,
            "implicit_sync": "GUIDE_12_4"}.
        peer_access: devices reach each other's memory; without it, copies between them go through the host.
    """

    def __init__(self, name: str = "workload", devices: int = 1, environment: Optional[Dict[str, Any]] = None, *,
                 peer_access: bool = True):
        super().__init__()
        self._name, self._devices, self._peer_access = name, devices, peer_access
        self._environment = dict(environment or {})
        self._measured = ""
        self._place = caller()

    def __repr__(self) -> str:
        calls = sum(len(c) for c in self._threads.values())
        return f"<heddle.Workload {self._name!r}: {calls} calls in the text of {len(self._threads)} threads>"

    def kernel(self, name: str = "", grid: Optional[Dim] = None, block: Optional[Dim] = None, *,
               us: Optional[float] = None, block_us: Optional[float] = None,
               trace: Union[str, os.PathLike, None] = None, module: Union[str, os.PathLike, None] = None,
               kernel: Optional[str] = None, args: Sequence[Union[int, float, str, os.PathLike]] = (),
               cluster: Optional[Dim] = None, registers: Optional[int] = None, static_shared_bytes: Optional[int] = None, dynamic_shared_bytes: int = 0,
               trigger_us: Optional[float] = None, wait_us: Optional[float] = None,
               until_flag: Optional[Handle] = None, sets_flag: Optional[Handle] = None,
               sets_handle: Optional[Handle] = None, handle_value: Sequence[int] = (),
               reads: Sequence[Handle] = (), writes: Sequence[Handle] = (), accesses: Sequence[Access] = (),
               **more: Any) -> Handle:
        """A kernel, by what it needs and how long it takes, by its trace, or as one of a module of code.

            w.kernel("saxpy", 4, 256, module="saxpy.cubin", args=[1000, 2.0, "arange:f32:1000", "zeros:f32:1000"])

        Args:
            name: "kernel1", ... if empty.
            grid, block, cluster: a number or up to three; launches may give their own. Without a grid, here and there, it takes its
                time and no room on SMs.
            us: the whole kernel's time, alone on the device.
            block_us: a block's time, instead.
            trace: a capture's folder, .traceg or .heddle with one launch, which has grid, block and resources: simulated once
                by itself, or, with run_host(together=True), each launch with what runs beside it.
            module: a .ptx, .cubin or .fatbin: the kernel is executed while it is simulated, as often as one from a trace. With
                grid and block; registers and static_shared_bytes are what the module says.
            kernel: its name in the module; None: `name`.
            args: of a module's kernel, in the order of its parameters: numbers, the path of a .npy, "zeros:TYPE:COUNT",
                "ones:TYPE:COUNT", "arange:TYPE:COUNT", "buffer:BYTES": memory of its own; or a buffer of the workload, on whose data it
                works then (see buffer()).
            registers: per thread; None: 32.
            static_shared_bytes, dynamic_shared_bytes: per block; None: 0.
            trigger_us: so long after its start a block lets the next kernel start (programmatic launch).
            wait_us: so long after its start a block waits for the kernel before.
            until_flag: it runs until this flag is set.
            sets_flag: it sets this one at its end.
            sets_handle, handle_value: as a node: the n-th time in one execution of the graph it sets the conditional handle to
                the n-th value, then to the last.
            reads, writes: buffers, all of each: what unified memory moves by and what run_host(check=True) looks at.
            accesses: parts of buffers, of access().
            more: other fields of Kernel in frontends/workload/command.proto: max_threads, cooperative, fails, asserts,
                non_portable_cluster, needs_cluster, max_cluster_blocks, parameter_bytes, carveout_percent, polls_plainly,
                grid_barrier, cdp1.

        Returns:
            What launch and graph_add_kernel_node take.
        """
        for field in more:
            if field not in _KERNEL_FIELDS:
                raise Error(f"kernel {name!r}: no argument {field!r}; legal: {', '.join(_KERNEL_FIELDS)}")
        dims = " ".join(f"{n} {dim(d)}" for n, d in (("grid", grid), ("block", block), ("cluster", cluster))
                        if d is not None)
        if grid is not None and block is None:
            raise Error(f"kernel {name!r}: a grid needs a block: the threads of each of its blocks")
        ends = until_flag is not None or more.get("fails") or more.get("asserts")
        if us is None and block_us is None and trace is None and module is None and not ends:
            raise Error(f"kernel {name!r} needs its time: one of us, block_us, trace and module")
        of_module = _module(name, module, kernel, args, dims)
        if not of_module:  # which says them itself
            registers, static_shared_bytes = 32 if registers is None else registers, static_shared_bytes or 0
        return self._new("kernel", name, dims, of_module, fields(
            us=us, block_us=block_us, trace=os.path.abspath(trace) if trace is not None else None, registers=registers,
            static_shared_bytes=static_shared_bytes, dynamic_shared_bytes=dynamic_shared_bytes, trigger_us=trigger_us, wait_us=wait_us,
            until_flag=self._is("flag", until_flag, True), sets_flag=self._is("flag", sets_flag, True),
            sets_handle=self._is("handle", sets_handle, True), handle_value=list(handle_value), **more),
            self._accesses(reads, writes, accesses))

    def launch(self, kernel: Union[Handle, str], grid: Optional[Dim] = None, block: Optional[Dim] = None,
               stream: Optional[Handle] = None, *, us: Optional[float] = None, block_us: Optional[float] = None,
               priority: Optional[int] = None, programmatic: bool = False, cluster: Optional[Dim] = None,
               programmatic_event: Optional[Handle] = None, trigger_at_block_start: bool = False,
               window: Optional[AccessPolicyWindow] = None, accesses: Sequence[Access] = (),
               sync_domain: Optional[MemSyncDomain] = None, dynamic_shared_bytes: Optional[int] = None,
               cooperative: bool = False) -> Handle:
        """cudaLaunchKernel, cudaLaunchKernelEx, cudaLaunchCooperativeKernel (ST12, PD07, PD08).

        Args:
            kernel: of this workload; or the name of a new one, with a time.
            grid, block, us, block_us, dynamic_shared_bytes: of this launch; None: the kernel's.
            stream: None: stream 0.
            priority: launch attribute, over the stream's.
            programmatic: cudaLaunchAttributeProgrammaticStreamSerialization: it may start when the kernel before it in the
                stream has triggered.
            cluster: launch attribute.
            programmatic_event: cudaLaunchAttributeProgrammaticEvent: recorded when all blocks have triggered.
            trigger_at_block_start: or have started.
            window: what the L2 keeps while it runs, of access_policy_window().
            accesses: besides the kernel's, of access().
            sync_domain: over the stream's, of mem_sync_domain().
            cooperative: cudaLaunchCooperativeKernel: all blocks start together.

        Returns:
            The kernel.
        """
        if isinstance(kernel, str):
            kernel = self.kernel(kernel, grid, block, us=us, block_us=block_us)
            grid = block = us = block_us = None
        self._is("kernel", kernel)
        if us is not None and block_us is not None:
            raise Error(f'launch of kernel "{kernel.name}": one of us and block_us')
        self.call(message("launch", " ".join(t for t in (
            fields(kernel=kernel, stream=self._is("stream", stream, True), priority=priority,
                   programmatic=programmatic or None, programmatic_event=self._is("event", programmatic_event, True),
                   trigger_at_block_start=trigger_at_block_start or None, us=us, block_us=block_us,
                   dynamic_shared_bytes=dynamic_shared_bytes, cooperative=cooperative or None),
            *(f"{n} {dim(d)}" for n, d in (("grid", grid), ("block", block)) if d is not None),
            f"cluster {dim(cluster)}" if cluster is not None else "", self._window(window),
            self._domain(sync_domain), self._accesses((), (), accesses)) if t)))
        return kernel

    def func_get_attributes(self, kernel: Handle) -> None:
        """cudaFuncGetAttributes: with lazy loading, loads the kernel.

        Args:
            kernel: of this workload.
        """
        self.call(fields(func_get_attributes=self._is("kernel", kernel)))

    # ---- as a file

    @classmethod
    def from_profile(cls, path: Union[str, os.PathLike], devices: int = 0) -> Workload:
        """What a PyTorch program did, of torch.profiler's export_chrome_trace(path).

        Each host thread makes its calls in their order; between them it works as long as it did. Kernels take the times that were
        measured, with the grids, registers and shared memory of the file; copies and calls take the model's. Kernels of a
        launch of a graph follow each other by stream, its copies too; such graphs are instantiated and uploaded by a thread "set-up"
        before the file's first call, and modules are loaded, since the program had run before. Streams other than the default one (7) are taken for non-blocking.
        The file says for which event or stream a call waits if it was made with torch.profiler's enable_cuda_sync_events. Without,
        a thread is taken to wait for the stream that it used last, and a stream (cudaStreamWaitEvent), where the measured times allow
        it, for the thread's last record of an event; a warning says how many of these are guessed, and how many left out.
        Kernels last as measured on whatever GPU the workload is run: a run on another one warns of it.

        Args:
            path: of the JSON; of a .gz or .xz of it.
            devices: GPUs of the machine; 0: as many as the file's kernels and copies are on.

        Returns:
            A workload, to run, to save or to add to.

        Raises:
            Error: it cannot be read or is none; names the event.
        """
        recording = _profile.read(path)
        used = [item.whole("device", 0) for items in recording.made.values() for item in items]
        w = cls(os.path.basename(os.fspath(path)), devices or max(used, default=0) + 1, environment={"CUDA_MODULE_LOADING": "EAGER"})
        w._measured = message("measured", fields(gpu=recording.gpu or None, sms=recording.sms or None))
        _profile.Rebuilt(w, recording)
        return w

    def text(self) -> str:
        """The workload as a file for `heddle host`.

        Returns:
            Protobuf text (frontends/workload/workload.proto).
        """
        if self._live:
            raise Error(f'thread "{next(iter(self._live))}" is a generator function: such a program is no file')
        return self._text()

    def _text(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> List[Lines]:
        made = self._place
        head = [fields(name=self._name, devices=self._devices, peer_access=None if self._peer_access else False)]
        if self._environment:
            head.append(message("environment", _environment(self._environment)))
        if self._measured:
            head.append(self._measured)
        lines = [Lines.at(text, [made]) for text in head] + self._object_lines()
        for name, calls in self._threads.items():
            place = [self._places.get(("thread", name), made)]
            lines += [Lines.at(f"thread {{ name: {text_of(name)}", place), *calls, Lines.at("}", place)]
        return lines

    def _located(self, error: Error) -> Error:
        """The error, with the line of Python in front if it names a line of text()."""
        found = re.match(re.escape(self._name) + r":(\d+):", str(error))
        places = [p for line in self._lines() for p in line.places]
        if type(error) is not Error or not found or not 1 <= int(found[1]) <= len(places):
            return error
        return Error(f"{places[int(found[1]) - 1]}: {error}")

    def save(self, path: Union[str, os.PathLike], force: bool = False) -> None:
        """Writes text() to a file.

        Args:
            path: by custom NAME.workload.textproto.
            force: replace a file that is no workload, too.

        Raises:
            Error: the workload is wrong, or the file cannot be written or is there and no workload.
        """
        try:
            native.check_workload(self.text(), self._name)
        except Error as e:
            raise self._located(e) from None
        native.write_workload(os.fspath(path), self.text(), force)


add_methods(Workload, native.declared_calls())
for _name, _method in {n: getattr(Workload, n) for n in dir(Workload) if not n.startswith("_")}.items():
    if callable(_method) and _name not in ("thread", "text", "save", "repeat", "expect", "call", "from_profile"):
        setattr(Workload, _name, yielded(_method))
for _name in ("_queue_put", "_queue_get", "_queue_close", "call"):
    setattr(Workload, _name, yielded(getattr(Workload, _name)))
