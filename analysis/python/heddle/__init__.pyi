# Written by analysis/python/make_stubs.py: signatures for editors and type checkers. Documentation: help(heddle).
import dataclasses
import os
from typing import Any, Callable, ContextManager, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import pandas

from heddle import plot as plot

__version__: str

@dataclasses.dataclass(frozen=True)
class Access:
    text: str

@dataclasses.dataclass(frozen=True)
class AccessPolicyWindow:
    text: str

class Config:
    name: str
    product: str
    capability: str
    limits: _Limits
    topology: _Topology
    clocks: _Clocks
    launch: _Launch
    sm: _Sm
    noc: _Noc
    l2: _L2
    dram: _Dram
    tlb: _Tlb
    seed: int  # 0
    share: _Share
    host: _Host
    def __init__(self, gpu: str = 'h200', fidelity: str = 'default', set: Sequence[str] = ()): ...
    @property
    def file(self) -> str: ...
    @property
    def fidelity(self) -> str: ...
    @property
    def overrides(self) -> List[str]: ...
    def get(self, path: str) -> Any: ...
    def set(self, path: str, value: Any) -> 'Config': ...
    def with_set(self, *assignments: str) -> 'Config': ...
    def copy(self) -> 'Config': ...
    def problems(self) -> List[str]: ...
    def validate(self) -> 'Config': ...
    def describe(self, path: str) -> Field: ...
    def diff(self, other: Union[str, 'Config']) -> List[Difference]: ...
    def to_text(self, annotate: bool = True, flat: bool = False, under: Optional[str] = None) -> str: ...
    def hash(self) -> str: ...

class DeviceArray:
    def __init__(self, x: Any): ...
    def copy_to_host(self) -> numpy.ndarray: ...
    def free(self) -> None: ...

@dataclasses.dataclass(frozen=True)
class Difference:
    path: str
    a: str
    b: str

@dataclasses.dataclass(frozen=True)
class Executed:
    warp_instructions: int
    thread_instructions: int
    output: str

@dataclasses.dataclass(frozen=True)
class Field:
    path: str
    value: Any
    unit: str
    legal: str
    provenance: str
    source: str
    comment: str

class Group:
    def __init__(self, draft, path: str): ...

@dataclasses.dataclass(frozen=True)
class Handle:
    kind: str
    name: str
    graph: str

class HostResults:
    def __init__(self, columns: Dict[str, Any]): ...
    @property
    def spans(self) -> pandas.DataFrame: ...
    def critical_path(self) -> pandas.DataFrame: ...
    def kernel_gaps(self) -> pandas.DataFrame: ...
    @property
    def tracks(self) -> pandas.DataFrame: ...
    @property
    def engines(self) -> pandas.DataFrame: ...
    @property
    def errors(self) -> pandas.DataFrame: ...
    @property
    def device_errors(self) -> pandas.DataFrame: ...
    @property
    def findings(self) -> pandas.DataFrame: ...
    @property
    def elapsed(self) -> pandas.DataFrame: ...
    @property
    def answers(self) -> pandas.DataFrame: ...
    def save_timeline(self, path: Union[str, os.PathLike], force: bool = False) -> None: ...

@dataclasses.dataclass(frozen=True)
class Instruction:
    pc: int
    opcode: str
    text: str

class Kernel:
    def __init__(self, module: 'Module', name: str, readable: str, parameters: List[Tuple[str, str, int]]): ...
    def __getitem__(self, size: Tuple[Size, Size]) -> _Configured: ...

class Launch:
    def __init__(self, planned): ...
    @property
    def trace(self) -> str: ...
    @property
    def number(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def kernel(self) -> str: ...
    @property
    def mangled(self) -> str: ...
    @property
    def compute_capability(self) -> int: ...
    @property
    def grid(self) -> Tuple[int, int, int]: ...
    @property
    def block(self) -> Tuple[int, int, int]: ...
    @property
    def cluster(self) -> Tuple[int, int, int]: ...
    @property
    def registers(self) -> int: ...
    @property
    def static_shared(self) -> int: ...
    @property
    def dynamic_shared(self) -> int: ...
    @property
    def control_bits(self) -> bool: ...
    @property
    def unknown_opcodes(self) -> Dict[str, int]: ...
    @property
    def code(self) -> List[Instruction]: ...
    @property
    def opcodes(self) -> Dict[str, int]: ...
    def with_cluster(self, x: int, y: int = 1, z: int = 1) -> 'Launch': ...

@dataclasses.dataclass(frozen=True)
class MemSyncDomain:
    text: str

class Module:
    def __init__(self, text: str, path: str): ...
    def bind(self, name: str, texture: Texture) -> None: ...

@dataclasses.dataclass(frozen=True)
class Occupancy:
    blocks: int
    warps: int
    percent: float
    limiter: str
    limit_blocks: int
    limit_registers: int
    limit_shared: int
    limit_warps: int
    shared_carveout: int
    l1: int
    shared_per_block: int
    clusters: Optional[int]

@dataclasses.dataclass(frozen=True)
class Point:
    value: int
    blocks: int
    warps: int
    percent: float
    limiter: str

@dataclasses.dataclass(frozen=True)
class Progress:
    launches: int
    finished: int
    share: float
    warp_instructions: int
    running: str
    cycle: int
    blocks_done: int
    blocks_total: int

class Results:
    failures: List[Tuple[str, SimulationError]]
    def __init__(self, records, failures: Sequence[Tuple[str, SimulationError]] = ()): ...
    def __len__(self) -> int: ...
    @property
    def info(self) -> Dict[str, Any]: ...
    @property
    def launches(self) -> pandas.DataFrame: ...
    @property
    def cycles(self) -> int: ...
    @property
    def counters(self) -> pandas.DataFrame: ...
    @property
    def stalls(self) -> pandas.DataFrame: ...
    @property
    def stall_shares(self) -> pandas.DataFrame: ...
    @property
    def peak_shares(self) -> pandas.DataFrame: ...
    @property
    def instructions(self) -> pandas.DataFrame: ...
    @property
    def instruction_stalls(self) -> pandas.DataFrame: ...
    @property
    def series(self) -> pandas.DataFrame: ...
    @property
    def unknown_opcodes(self) -> List[Dict[str, int]]: ...
    def select(self, trace: str) -> 'Results': ...
    def report(self) -> str: ...
    def save(self, file: Union[str, os.PathLike], exists: str = 'error') -> None: ...

class Simulator:
    def __init__(self, gpu: Union[str, Config], trace: Traces, *, fidelity: Optional[str] = None, set: Sequence[str] = (), threads: int = 1, allow_capability_mismatch: bool = False, cluster: Optional[Sequence[int]] = None, l2_set_aside: int = 0, l2_window: Optional[Window] = None): ...
    @property
    def cycle(self) -> int: ...
    @property
    def finished(self) -> bool: ...
    def step(self, cycles: int = 1000) -> bool: ...
    def run(self) -> Results: ...
    def result(self) -> Results: ...
    def counters(self) -> Dict[str, float]: ...
    def stalls(self) -> Dict[str, int]: ...
    def series(self, every: int = 1000, metrics: Optional[Iterable[str]] = None) -> pandas.DataFrame: ...

class Sweep:
    def __init__(self, file: Union[str, os.PathLike]): ...
    def __len__(self) -> int: ...
    @property
    def axes(self) -> List[str]: ...
    @property
    def points(self) -> pandas.DataFrame: ...
    def frame(self, metrics: Union[str, Sequence[str]] = 'cycles') -> pandas.DataFrame: ...
    def results(self, point: int, gpu: Optional[str] = None) -> Results: ...
    @property
    def failures(self) -> pandas.DataFrame: ...
    @property
    def skipped(self) -> pandas.DataFrame: ...

class Table:
    def __init__(self, draft, path: str): ...
    def __getitem__(self, name: str) -> Group: ...
    def keys(self) -> List[str]: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __contains__(self, name: str) -> bool: ...

class Texture:
    def __init__(self, x: Any, is_surface: bool, options: Dict[str, Any]): ...
    def copy_to_host(self) -> numpy.ndarray: ...
    def free(self) -> None: ...

@dataclasses.dataclass(frozen=True)
class Event(Handle):
    kind: str
    name: str
    graph: str
    def record(self, stream: Optional[Handle] = None) -> None: ...
    def synchronize(self) -> None: ...
    def query(self) -> None: ...
    def elapsed_time(self, end: Handle) -> None: ...

@dataclasses.dataclass(frozen=True)
class Queue(Handle):
    kind: str
    name: str
    graph: str
    def __len__(self) -> int: ...
    def put(self, item: Any = None) -> None: ...
    def get(self, max: Optional[int] = None, timeout_us: float = 0, give_up_us: Optional[float] = None) -> Any: ...
    def get_nowait(self, max: Optional[int] = None) -> Any: ...
    def close(self) -> None: ...

@dataclasses.dataclass(frozen=True)
class Stream(Handle):
    kind: str
    name: str
    graph: str
    def launch(self, kernel: Union[Handle, str], grid: Optional[Dim] = None, block: Optional[Dim] = None, **more: Any) -> None: ...
    def memcpy_async(self, to: Handle, source: Handle, bytes: Optional[int] = None, **more: Any) -> None: ...
    def memset_async(self, to: Handle, bytes: Optional[int] = None, **more: Any) -> None: ...
    def graph_launch(self, exec: Handle) -> None: ...
    def launch_host_func(self, us: float = 0, **more: Any) -> None: ...
    def record(self, event: Handle) -> None: ...
    def wait_event(self, event: Handle) -> None: ...
    def synchronize(self) -> None: ...
    def query(self) -> None: ...

class Error(Exception): ...

class Interrupted(KeyboardInterrupt):
    results: Optional[Results]
    def __init__(self, message, results=None): ...

class CallError(Error):
    def __init__(self, error, message): ...

class ConfigError(Error): ...

class ResultsError(Error): ...

class SimulationError(Error):
    results: Optional[Results]

class TraceError(Error):
    results: Optional[Results]

class DeadlockError(SimulationError):
    report: List[str]
    def __init__(self, message, report=()): ...

class HeddleWarning(UserWarning): ...

class ConfigNameError(ConfigError, AttributeError): ...

class Trace(Sequence):
    def __init__(self, launches: Sequence[Launch]): ...
    def __len__(self) -> int: ...
    def __getitem__(self, at: Any) -> Any: ...
    def __iter__(self) -> Iterator[Launch]: ...

class Workload:
    def __init__(self, name: str = 'workload', devices: int = 1, environment: Optional[Dict[str, Any]] = None, *, peer_access: bool = True): ...
    def repeat(self, times: int) -> ContextManager[Workload]: ...
    def expect(self, error: str) -> ContextManager[Workload]: ...
    def call(self, text: str, expect: Optional[str] = None) -> None: ...
    def memcpy_2d_async(self, to: Handle, to_pitch: int, source: Handle, source_pitch: int, width: int, height: int, stream: Optional[Handle] = None, *, to_offset: Optional[int] = None, source_offset: Optional[int] = None) -> None: ...
    def memcpy_2d(self, to: Handle, to_pitch: int, source: Handle, source_pitch: int, width: int, height: int, *, to_offset: Optional[int] = None, source_offset: Optional[int] = None) -> None: ...
    def launch_cooperative_kernel(self, kernel: Handle, grid: Optional[Dim] = None, block: Optional[Dim] = None, stream: Optional[Handle] = None, **more: Any) -> Handle: ...
    def stream_create_with_priority(self, priority: int, non_blocking: bool = False, name: str = '', device: int = 0) -> Handle: ...
    def graph_clone(self, original: Handle, name: str = '') -> Handle: ...
    def device_launch(self, kernel: Handle, child: Handle, into: str = 'null_stream', stream: Optional[str] = None, *, passes_local: Optional[bool] = None, passes_shared: Optional[bool] = None, **who: Any) -> None: ...
    def device_event_create(self, kernel: Handle, events: int, **who: Any) -> None: ...
    def device_event_record(self, kernel: Handle, event: str, stream: Optional[str] = None, **who: Any) -> None: ...
    def device_stream_wait_event(self, kernel: Handle, stream: Optional[str], event: str, **who: Any) -> None: ...
    def device_kernel_synchronize(self, kernel: Handle, **who: Any) -> None: ...
    def graph_create(self, name: str = '', device: int = 0) -> Handle: ...
    def graph_add_kernel_node(self, graph: Handle, kernel: Handle, after: Edges = (), name: str = '', *, priority: Optional[int] = None, window: Optional[AccessPolicyWindow] = None, sync_domain: Optional[MemSyncDomain] = None) -> Handle: ...
    def graph_add_memcpy_node(self, graph: Handle, to: Handle, source: Handle, bytes: Optional[int] = None, after: Edges = (), name: str = '', *, rows: Optional[int] = None, to_offset: int = 0, source_offset: int = 0) -> Handle: ...
    def graph_add_memset_node(self, graph: Handle, to: Handle, bytes: Optional[int] = None, after: Edges = (), name: str = '', *, offset: int = 0) -> Handle: ...
    def graph_add_host_node(self, graph: Handle, us: float = 0, after: Edges = (), name: str = '', *, sets_flag: Optional[Handle] = None) -> Handle: ...
    def graph_add_empty_node(self, graph: Handle, after: Edges = (), name: str = '') -> Handle: ...
    def graph_add_event_record_node(self, graph: Handle, event: Handle, after: Edges = (), name: str = '') -> Handle: ...
    def graph_add_event_wait_node(self, graph: Handle, event: Handle, after: Edges = (), name: str = '') -> Handle: ...
    def graph_add_child_graph_node(self, graph: Handle, child: Handle, after: Edges = (), name: str = '') -> Handle: ...
    def conditional_handle(self, name: str = '', default: Optional[int] = None) -> Handle: ...
    def graph_add_conditional_node(self, graph: Handle, handle: Handle, kind: str, bodies: Sequence[Handle], after: Edges = (), name: str = '') -> Handle: ...
    def graph_add_mem_alloc_node(self, graph: Handle, bytes: int, after: Edges = (), name: str = '', *, access_devices: Sequence[int] = (), device: int = 0) -> Tuple[Handle, Handle]: ...
    def graph_add_mem_free_node(self, graph: Handle, buffer: Handle, after: Edges = (), name: str = '') -> Handle: ...
    def graph_get_node(self, graph: Handle, number: int) -> Handle: ...
    def stream_begin_capture(self, stream: Handle, mode: str = 'global', graph: Optional[Handle] = None) -> None: ...
    def stream_end_capture(self, stream: Handle, graph: Optional[Handle] = None, name: str = '') -> Handle: ...
    def stream_get_capture_info(self, stream: Handle, edge_data: bool = True) -> None: ...
    def graph_get_edges(self, graph: Handle, edge_data: bool = True) -> None: ...
    def graph_exec(self, name: str = '') -> Handle: ...
    def graph_instantiate(self, graph: Handle, exec: Optional[Handle] = None, *, use_node_priority: bool = False, auto_free_on_launch: bool = False, device_launch: bool = False) -> Handle: ...
    def graph_launch(self, exec: Handle, stream: Optional[Handle] = None) -> None: ...
    def graph_upload(self, exec: Handle, stream: Optional[Handle] = None) -> None: ...
    def device_graph_launch(self, kernel: Handle, exec: Optional[Handle] = None, into: str = 'fire_and_forget', *, after_us: float = 0, times: int = 1, executions: Optional[int] = None) -> None: ...
    def graph_exec_update(self, exec: Handle, graph: Handle) -> None: ...
    def graph_exec_node_set_params(self, exec: Handle, node: Handle, **params: Any) -> None: ...
    def graph_node_set_params(self, node: Handle, **params: Any) -> None: ...
    def graph_node_set_enabled(self, exec: Handle, node: Handle, enabled: bool) -> None: ...
    def graph_exec_destroy(self, exec: Handle) -> None: ...
    def graph_destroy(self, graph: Handle) -> None: ...
    def graph_mem_alloc_node_get_params(self, node: Handle) -> None: ...
    def device_graph_mem_trim(self) -> None: ...
    def device_get_graph_mem_attribute(self) -> None: ...
    def device_graph_mem_reset_high(self) -> None: ...
    def mem_get_allocation_granularity(self, device: int = 0) -> None: ...
    def mem_create(self, bytes: Union[int, Handle], device: int = 0, name: str = '') -> Handle: ...
    def mem_release(self, memory: Handle) -> None: ...
    def mem_address_reserve(self, bytes: Union[int, Handle], name: str = '') -> Handle: ...
    def mem_address_free(self, range: Handle, bytes: Optional[int] = None) -> None: ...
    def mem_map(self, range: Handle, memory: Handle, offset: int = 0, bytes: Optional[int] = None, memory_offset: int = 0) -> None: ...
    def mem_unmap(self, range: Handle, offset: int = 0, bytes: Optional[int] = None) -> None: ...
    def mem_set_access(self, range: Handle, device: int = 0, protection: str = 'read_write', offset: int = 0, bytes: Optional[int] = None) -> None: ...
    def multicast_create(self, devices: int, bytes: int) -> None: ...
    def buffer(self, bytes: Optional[int], memory: str = 'device', name: str = '', device: int = 0, *, trace_address: Optional[int] = None, data: Union[str, os.PathLike, None] = None, result: Union[str, os.PathLike, None] = None) -> Handle: ...
    def device(self, bytes: int, name: str = '', device: int = 0) -> Handle: ...
    def pinned(self, bytes: int, name: str = '') -> Handle: ...
    def pageable(self, bytes: int, name: str = '') -> Handle: ...
    def managed(self, bytes: int, name: str = '') -> Handle: ...
    def access(self, buffer: Handle, mode: str = 'read', offset: int = 0, bytes: Optional[int] = None, *, element_bytes: Optional[int] = None, stride_bytes: Optional[int] = None, alias_fence: Optional[bool] = None, after_call: Optional[int] = None, before_call: Optional[int] = None, by_caller: Optional[bool] = None) -> Access: ...
    def host_access(self, reads: Sequence[Handle] = (), writes: Sequence[Handle] = (), accesses: Sequence[Access] = ()) -> None: ...
    def malloc(self, bytes: Union[int, Handle], name: str = '', device: int = 0) -> Handle: ...
    def malloc_host(self, bytes: Union[int, Handle], name: str = '', memory: str = 'pinned') -> Handle: ...
    def host_register(self, buffer: Handle) -> None: ...
    def host_unregister(self, buffer: Handle) -> None: ...
    def malloc_managed(self, bytes: Union[int, Handle], name: str = '') -> Handle: ...
    def free(self, buffer: Handle) -> None: ...
    def malloc_async(self, bytes: Union[int, Handle], stream: Optional[Handle] = None, pool: Optional[Handle] = None, name: str = '', device: int = 0) -> Handle: ...
    def free_async(self, buffer: Handle, stream: Optional[Handle] = None) -> None: ...
    def mem_get_info(self) -> None: ...
    def mem_pool(self, name: str = '', max_bytes: Optional[int] = None, device: int = 0) -> Handle: ...
    def mem_pool_set_attribute(self, pool: Optional[Handle], attribute: str, value: Union[int, bool]) -> None: ...
    def mem_pool_set_access(self, pool: Optional[Handle], device: int, enabled: bool = True) -> None: ...
    def mem_pool_trim_to(self, pool: Optional[Handle] = None, keep_bytes: int = 0) -> None: ...
    def mem_pool_stats(self, pool: Optional[Handle] = None) -> None: ...
    def mem_pool_reset_high(self, pool: Optional[Handle] = None) -> None: ...
    def mem_prefetch_async(self, buffer: Handle, device: Optional[int] = None, stream: Optional[Handle] = None, offset: int = 0, bytes: Optional[int] = None) -> None: ...
    def mem_advise(self, buffer: Handle, advice: str, device: Optional[int] = None) -> None: ...
    def mem_range_attributes(self, buffer: Handle) -> None: ...
    def stream_attach_mem_async(self, stream: Optional[Handle], buffer: Handle, to: str = 'single') -> None: ...
    def device_set_limit(self, limit: str, value: int) -> None: ...
    def device_get_limit(self, limit: str) -> None: ...
    def access_policy_window(self, buffer: Handle, bytes: Optional[int] = None, hit_ratio: float = 1.0, *, hit: str = 'persisting', miss: str = 'streaming', offset: int = 0) -> AccessPolicyWindow: ...
    def stream_set_access_policy_window(self, stream: Optional[Handle], window: Optional[AccessPolicyWindow] = None) -> None: ...
    def ctx_reset_persisting_l2_cache(self) -> None: ...
    def stream(self, name: str = '', non_blocking: bool = False, priority: int = 0, device: int = 0, *, sync_domain: Optional[MemSyncDomain] = None) -> Handle: ...
    def mem_sync_domain(self, domain: Optional[str] = None, *, map_default: Optional[int] = None, map_remote: Optional[int] = None) -> MemSyncDomain: ...
    def event(self, name: str = '', timing: bool = True, device: int = 0, *, blocking_sync: bool = False) -> Handle: ...
    def flag(self, name: str = '') -> Handle: ...
    def stream_create(self, name: str = '', non_blocking: bool = False, priority: int = 0, device: int = 0) -> Handle: ...
    def stream_destroy(self, stream: Handle) -> None: ...
    def event_create(self, name: str = '', timing: bool = True, device: int = 0) -> Handle: ...
    def event_destroy(self, event: Handle) -> None: ...
    def event_record(self, event: Handle, stream: Optional[Handle] = None, *, external: bool = False) -> None: ...
    def stream_wait_event(self, stream: Optional[Handle], event: Handle, *, external: bool = False) -> None: ...
    def event_synchronize(self, event: Handle) -> None: ...
    def event_query(self, event: Handle) -> None: ...
    def event_elapsed_time(self, start: Handle, end: Handle) -> None: ...
    def stream_synchronize(self, stream: Optional[Handle] = None) -> None: ...
    def stream_query(self, stream: Optional[Handle] = None) -> None: ...
    def device_synchronize(self) -> None: ...
    def memcpy_async(self, to: Handle, source: Handle, bytes: Optional[int] = None, stream: Optional[Handle] = None, rows: Optional[int] = None, *, to_offset: Optional[int] = None, source_offset: Optional[int] = None) -> None: ...
    def memcpy(self, to: Handle, source: Handle, bytes: Optional[int] = None, rows: Optional[int] = None, *, to_offset: Optional[int] = None, source_offset: Optional[int] = None) -> None: ...
    def memset_async(self, to: Handle, bytes: Optional[int] = None, stream: Optional[Handle] = None, *, offset: Optional[int] = None) -> None: ...
    def memset(self, to: Handle, bytes: Optional[int] = None, *, offset: Optional[int] = None) -> None: ...
    def compute(self, us: float) -> None: ...
    def launch_host_func(self, us: float = 0, stream: Optional[Handle] = None, sets_flag: Optional[Handle] = None, *, calls_cuda: bool = False) -> None: ...
    def set_flag(self, flag: Handle) -> None: ...
    def clear_flag(self, flag: Handle) -> None: ...
    def wait_flag(self, flag: Handle) -> None: ...
    def get_last_error(self) -> None: ...
    def peek_at_last_error(self) -> None: ...
    def set_device(self, device: int) -> None: ...
    def get_device_count(self) -> None: ...
    def device_get_stream_priority_range(self) -> None: ...
    def device_get_pci_bus_id(self, device: int) -> None: ...
    def thread(self, name: Union[str, Callable], *args: Any, thread_name: str = '') -> Any: ...
    def queue(self, name: str = '', capacity: int = 0) -> Queue: ...
    def now(self) -> None: ...
    def sleep(self, us: Optional[float] = None, *, ns: Optional[float] = None) -> None: ...
    def sleep_until(self, us: Optional[float] = None, *, ns: Optional[float] = None) -> None: ...
    def kernel(self, name: str = '', grid: Optional[Dim] = None, block: Optional[Dim] = None, *, us: Optional[float] = None, block_us: Optional[float] = None, trace: Union[str, os.PathLike, None] = None, module: Union[str, os.PathLike, None] = None, kernel: Optional[str] = None, args: Sequence[Union[int, float, str, os.PathLike]] = (), cluster: Optional[Dim] = None, registers: Optional[int] = None, static_shared_bytes: Optional[int] = None, dynamic_shared_bytes: int = 0, trigger_us: Optional[float] = None, wait_us: Optional[float] = None, until_flag: Optional[Handle] = None, sets_flag: Optional[Handle] = None, sets_handle: Optional[Handle] = None, handle_value: Sequence[int] = (), reads: Sequence[Handle] = (), writes: Sequence[Handle] = (), accesses: Sequence[Access] = (), **more: Any) -> Handle: ...
    def launch(self, kernel: Union[Handle, str], grid: Optional[Dim] = None, block: Optional[Dim] = None, stream: Optional[Handle] = None, *, us: Optional[float] = None, block_us: Optional[float] = None, priority: Optional[int] = None, programmatic: bool = False, cluster: Optional[Dim] = None, programmatic_event: Optional[Handle] = None, trigger_at_block_start: bool = False, window: Optional[AccessPolicyWindow] = None, accesses: Sequence[Access] = (), sync_domain: Optional[MemSyncDomain] = None, dynamic_shared_bytes: Optional[int] = None, cooperative: bool = False) -> Handle: ...
    def func_get_attributes(self, kernel: Handle) -> None: ...
    @classmethod
    def from_profile(cls, path: Union[str, os.PathLike], devices: int = 0) -> Workload: ...
    def text(self) -> str: ...
    def save(self, path: Union[str, os.PathLike], force: bool = False) -> None: ...

class _Limits(Group):
    compute_capability: int  # 50 to 200
    warp_size: int  # threads; 32
    max_warps_per_sm: int  # warps; 4 to 64
    max_blocks_per_sm: int  # blocks; 1 to 64
    max_threads_per_block: int  # threads; 32 to 2048
    registers_per_sm: int  # 32-bit registers; 1024 to 1048576
    max_registers_per_block: int  # 32-bit registers; 1024 to 1048576
    max_registers_per_thread: int  # 32-bit registers; 16 to 255
    register_allocation_unit: int  # registers per warp; 1 to 4096
    warp_allocation_unit: int  # warps; 1 to 16
    shared_bytes_per_sm: int  # bytes; 0 to 1048576
    max_shared_bytes_per_block: int  # bytes; 0 to 1048576
    shared_allocation_unit: int  # bytes; 1 to 4096
    reserved_shared_bytes_per_block: int  # bytes; 0 to 65536
    max_cluster_blocks: int  # blocks; 1 to 32
    max_resident_grids: int  # grids; 1 to 1024

class _Topology(Group):
    sms: int  # 1 to 1024
    sms_per_tpc: int  # 1 to 8
    tpcs_per_gpc: Tuple[int, ...]  # a list of whole numbers
    singleton_tpcs: int  # TPCs; 0 to 1024

class _Clocks(Group):
    core_mhz: float  # MHz; 1 to 10000
    l2_mhz: float  # MHz; 1 to 10000
    dram_mhz: float  # MHz; 1 to 20000

class _Launch(Group):
    flush_cycles: int  # core cycles; 0 to 1e+05
    flush_data_cycles: int  # core cycles; 0 to 1e+05
    flush_half_bytes: int  # bytes; 1 to 1099511627776
    start_cycles: int  # core cycles; 0 to 1e+06
    end_cycles: int  # core cycles; 0 to 1e+06
    block_interval: float  # core cycles; 0 to 1000
    sm_block_interval: int  # core cycles; 1 to 10000
    sm_warp_interval: float  # core cycles per warp; 0 to 1000
    retire_interval: float  # core cycles; 0 to 1000
    block_start_latency: int  # core cycles; 1 to 1e+05
    warp_start_interval: float  # core cycles per warp; 0 to 1000
    block_retire_latency: int  # core cycles; 1 to 1e+05
    nanosleep_ns: int  # ns; 0 to 1e+06
    code_beyond_bytes: int  # bytes; 0 to 65536
    constant_bytes: int  # bytes; 0 to 65536
    slice_membars: int  # barriers per slice; 0 to 1000
    idle_membars: int  # requests; 0 to 1e+06
    dirty_bytes: int  # bytes; 0 to 1073741824

class _Sm(Group):
    subcores: int  # 1 to 8
    issue: _SmIssue
    fetch: _SmFetch
    registers: _SmRegisters
    constants: _SmConstants
    pipe: _SmPipeTable
    op: _SmOpTable
    tensor: _SmTensor
    memory: _SmMemory
    shared: _SmShared
    l1: _SmL1
    barrier: _SmBarrier
    async_copy: _SmAsyncCopy
    tensor_memory: _SmTensorMemory

class _Noc(Group):
    request_latency: int  # core cycles; 1 to 4096
    response_latency: int  # core cycles; 1 to 4096
    distance_spread: int  # core cycles; 0 to 1024
    sm_response_bytes: float  # bytes per core cycle; 1 to 4096
    tpc_request_bytes: float  # bytes per core cycle; 1 to 4096
    tpc_response_bytes: float  # bytes per core cycle; 1 to 4096
    gpc_request_bytes: float  # bytes per core cycle; 1 to 65536
    gpc_response_bytes: float  # bytes per core cycle; 1 to 65536
    merge_sms: int  # SMs; 1 to 64
    merge_entries: int  # lines; 0 to 65536
    packet_header_bytes: int  # bytes; 0 to 256

class _L2(Group):
    total_bytes: int  # bytes; 65536 to 1099511627776
    partitions: int  # 1 to 8
    slices: int  # slices on the device; 1 to 1024
    ways: int  # 1 to 256
    line_bytes: int  # bytes; 128
    sector_bytes: int  # bytes; 32
    hash: str  # XOR_FOLD, MODULO
    chunk_bytes: int  # bytes; a power of two from 128 to 1048576
    hit_latency: int  # L2 cycles; 1 to 4096
    far_latency: int  # core cycles; 0 to 4096
    fabric_bytes: float  # bytes per L2 cycle; 1 to 65536
    slice_bytes_per_cycle: float  # bytes per L2 cycle; 0.1 to 1024
    slice_write_bytes_per_cycle: float  # bytes per L2 cycle; 0.1 to 1024
    slice_requests_per_cycle: float  # requests per L2 cycle; 0.01 to 16
    atomic_interval: float  # L2 cycles per pass; 0.1 to 256
    atomic_latency: int  # core cycles; 0 to 4096
    max_persisting_bytes: int  # bytes; 0 to 1099511627776
    set_aside_replacement: str  # LRU, KEEP
    max_dirty_bytes: int  # bytes; 0 to 1099511627776
    dirty_full_aside_bytes: int  # bytes; 0 to 1099511627776
    dirty_none_aside_bytes: int  # bytes; 0 to 1099511627776
    lowered_write_batch: int  # 0 to 1024
    scarce_write_batch: int  # 0 to 1024
    scarce_dirty_bytes: int  # bytes; 0 to 1099511627776
    max_partial_bytes: int  # bytes; 0 to 1099511627776

class _Dram(Group):
    model: str  # BANKS, ROOFLINE
    total_bytes: int  # bytes; 1048576 to 281474976710656
    channels: int  # 1 to 1024
    banks: int  # banks per channel; 1 to 1024
    row_bytes: int  # bytes; a power of two from 64 to 65536
    bytes_per_cycle: float  # bytes per DRAM cycle per channel; 0.1 to 1024
    efficiency: float  # 0.05 to 1
    latency: int  # core cycles; 0 to 8192
    t_rcd: int  # DRAM cycles; 1 to 256
    t_rp: int  # DRAM cycles; 1 to 256
    t_cl: int  # DRAM cycles; 1 to 256
    t_ras: int  # DRAM cycles; 1 to 256
    t_ccd: int  # DRAM cycles; 1 to 64
    t_wr_turnaround: int  # DRAM cycles; 0 to 256
    t_rrd: float  # DRAM cycles; 0 to 256
    t_rfc: int  # DRAM cycles; 0 to 65536
    t_refi: int  # DRAM cycles; 1 to 1048576
    write_batch: int  # 1 to 1024
    collected_writes: int  # 0 to 65536
    access_bytes: int  # bytes; a power of two from 16 to 256

class _Tlb(Group):
    enabled: bool  # true, false
    page_bytes: int  # bytes; a power of two from 4096 to 1073741824
    walk_bytes: int  # bytes; a power of two from 4096 to 281474976710656
    l1_entries: int  # 1 to 65536
    l2_entries: int  # 1 to 65536
    l3_entries: int  # 1 to 1048576
    l2_latency: int  # core cycles; 0 to 8192
    l3_latency: int  # core cycles; 0 to 8192
    walk_latency: int  # core cycles; 0 to 65536
    walkers: int  # page walks at a time; 1 to 4096

class _Share(Group):
    sms: int  # 2 to 1024

class _Host(Group):
    link: _HostLink
    peer: _HostPeer
    copy: _HostCopy
    staging: _HostStaging
    queues: _HostQueues
    latency: _HostLatency
    calls: _HostCalls
    first: _HostFirst
    pauses: _HostPauses
    priorities: int  # 1 to 100
    graph: _HostGraph
    graph_memory: _HostGraphMemory
    memory: _HostMemory
    um: _HostUm
    vmm: _HostVmm
    l2: _HostL2
    dynamic: _HostDynamic
    sharing: _HostSharing

class _SmIssue(Group):
    policy: str  # GREEDY_THEN_YOUNGEST, GREEDY_THEN_OLDEST, LOOSE_ROUND_ROBIN, GREEDY_UNTIL_YIELD
    dependences: str  # CONTROL_BITS, SCOREBOARD
    stall_zero_cycles: int  # core cycles; 1 to 64
    branch_cycles: int  # core cycles; 1 to 64
    branch_next_line_cycles: int  # core cycles; 1 to 64
    branch_far_cycles: int  # core cycles; 1 to 64
    wasted_fetches: int  # instructions; 0 to 16
    fetch_ahead: int  # instructions; 1 to 64
    reconverge_cycles: int  # core cycles; 1 to 64
    scoreboard_wakeup_cycles: int  # core cycles; 0 to 64
    dual_issue: bool  # true, false

class _SmFetch(Group):
    model: str  # CACHED, PERFECT
    line_bytes: int  # bytes; a power of two from 16 to 1024
    l0_bytes: int  # bytes per sub-core; 128 to 1048576
    l1_bytes: int  # bytes per SM; 1024 to 4194304
    gcc_bytes: int  # bytes per GPC; 1024 to 16777216
    l1_latency: int  # core cycles; 1 to 1024
    gcc_latency: int  # core cycles; 1 to 4096
    l2_latency: int  # core cycles; 1 to 8192
    dram_latency: int  # core cycles; 1 to 16384
    prefetch_lines: int  # 0 to 256
    prefetch_interval: int  # core cycles; 1 to 1024
    l1_prefetch_lines: int  # 0 to 256
    launch_prefetch_bytes: int  # bytes; 0 to 4194304
    first_fetch_bytes: int  # bytes; 0 to 65536
    launch_latency: int  # core cycles; 0 to 4096
    launch_lines: int  # 0 to 256
    launch_line_wait: float  # core cycles; 0 to 1024
    launch_line_interval: float  # core cycles; 0 to 1024
    l1_interval: int  # core cycles; 1 to 256
    gcc_interval: int  # core cycles; 1 to 256

class _SmRegisters(Group):
    model: str  # PORTS, IDEAL
    banks: int  # a power of two from 1 to 8
    read_window: int  # core cycles; 1 to 8
    reuse_cache: bool  # true, false

class _SmConstants(Group):
    model: str  # CACHED, PERFECT
    line_bytes: int  # bytes; a power of two from 16 to 1024
    l0_bytes: int  # bytes; 64 to 1048576
    l1_bytes: int  # bytes; 64 to 4194304
    l1_latency: int  # core cycles; 1 to 4096
    gcc_latency: int  # core cycles; 1 to 4096
    memory_latency: int  # core cycles; 1 to 16384
    parameter_latency: int  # core cycles; 1 to 16384
    operand_latency: int  # core cycles; 1 to 4096
    line_interval: float  # core cycles; 0.01 to 4096
    launch_code_bytes: int  # bytes; 0 to 16777216
    launch_code_latency: int  # core cycles; 0 to 16384
    gcc_sms: int  # SMs; 1 to 64
    gcc_interval: int  # core cycles; 0 to 4096

class _SmPipe(Group):
    pipe: str
    interval: int  # core cycles; 1 to 1024
    shared_by_sm: bool  # true, false
    queue: int  # entries; 0 to 16
    queue_latency: int  # core cycles; 0 to 64

class _SmPipeTable(Table):
    def __getitem__(self, name: str) -> _SmPipe: ...

class _SmOp(Group):
    op: str
    pipe: str
    latency: int  # core cycles; 0 to 4096
    interval: int  # core cycles; 1 to 1024
    extra_stall: int  # core cycles; 0 to 64
    counted_pipe: str

class _SmOpTable(Table):
    def __getitem__(self, name: str) -> _SmOp: ...

class _SmTensor(Group):
    mma_rate: int  # bit-products per core cycle per sub-core; 1 to 1048576
    mma_overhead: int  # core cycles; 0 to 1024
    mma_latency: int  # core cycles; 1 to 1024
    mma_latency_factor: float  # 0 to 64
    mma_f32_sum_factor: float  # 1 to 16
    dmma_rate: int  # bit-products per core cycle per sub-core; 1 to 1048576
    dmma_overhead: int  # core cycles; 0 to 1024
    dmma_latency: int  # core cycles; 1 to 1024
    dmma_latency_factor: float  # 0 to 64
    gmma_rate: int  # bit-products per core cycle per sub-core; 1 to 1048576
    gmma_min_interval: int  # core cycles; 1 to 1024
    gmma_latency: int  # core cycles; 1 to 1024
    gmma_port_cycles: int  # core cycles; 0 to 64
    gmma_stream: int  # instructions; 0 to 255
    gmma_turns: int  # instructions of two steps; 0 to 64
    gmma_register_turns: int  # instructions of two steps, A in registers; 0 to 64
    gmma_queue: int  # instructions; 0 to 16
    gmma_step_data: int  # half core cycles; 0 to 64
    gmma_operand_data: int  # half core cycles; 0 to 128

class _SmMemory(Group):
    lg_queue: int  # instructions per sub-core; 1 to 64
    mio_queue: int  # instructions per sub-core; 1 to 64
    subcore_interval: int  # core cycles; 1 to 64
    register_read_interval: int  # core cycles per register; 0 to 64
    shared_interval: int  # core cycles; 1 to 64
    queue_latency: int  # core cycles; 1 to 64
    load_read_latency: int  # core cycles; 1 to 64
    store_read_latency: int  # core cycles; 1 to 64
    store_read_per_register: int  # core cycles; 0 to 16
    mio_places: int  # warp instructions; 1 to 256
    lg_places: int  # warp instructions; 1 to 256
    writeback_bytes_per_cycle: int  # bytes per core cycle per sub-core; 4 to 512

class _SmShared(Group):
    banks: int  # a power of two from 1 to 64
    bank_bytes: int  # bytes; 4
    load_latency_32: int  # core cycles; 1 to 256
    load_latency_64: int  # core cycles; 1 to 256
    load_latency_128: int  # core cycles; 1 to 256
    wavefront_cycles: int  # core cycles; 1 to 16
    wavefront_latency: int  # core cycles; 1 to 16
    atomic_latency: int  # core cycles; 1 to 512
    atomic_wavefront_cycles: int  # core cycles; 1 to 64
    ldmatrix_latency: int  # core cycles; 1 to 256
    shuffle_cycles: int  # core cycles; 1 to 64

class _SmL1(Group):
    total_bytes: int  # bytes; 16384 to 4194304
    carveout_bytes: Tuple[int, ...]  # bytes; a list of whole numbers
    default_min_carveout_bytes: int  # bytes; 0 to 4194304
    default_min_carveout_threads: int  # threads; 1 to 2048
    default_carveout_headroom: float  # 0 to 16
    line_bytes: int  # bytes; 128
    sector_bytes: int  # bytes; 32
    ways: int  # 1 to 4096
    hit_latency_32: int  # core cycles; 1 to 256
    hit_latency_64: int  # core cycles; 1 to 256
    hit_latency_128: int  # core cycles; 1 to 256
    tags_per_cycle: int  # 128-byte lines per core cycle; 1 to 32
    data_bytes_per_cycle: int  # bytes per core cycle; 16 to 1024
    miss_interval: int  # core cycles; 1 to 64
    miss_sectors: int  # 8 to 65536
    pending_requests: int  # warp instructions; 4 to 65536
    miss_latency: int  # core cycles; 0 to 1024
    posted_entries: int  # 1 to 65536
    posted_queue: int  # warp instructions; 1 to 256
    partial_store_tags: int  # core cycles; 1 to 16
    port_packets: int  # 1 to 1024
    merge_lines: int  # 128-byte lines; 0 to 256
    merge_latency: int  # core cycles; 0 to 1024
    merge_interval: float  # core cycles; 0 to 64
    store_bytes_per_cycle: int  # bytes per core cycle; 1 to 1024
    fill_bytes_per_cycle: int  # bytes per core cycle; 1 to 1024
    apart_from_shared: bool  # true, false
    subcores_per_unit: int  # 1 to 8
    read_only: bool  # true, false

class _SmBarrier(Group):
    release_latency: int  # core cycles; 1 to 1024
    arrive_interval: int  # core cycles per warp; 1 to 64
    membar_behind_stores: int  # core cycles; 0 to 65536
    membar_cta: int  # core cycles; 1 to 65536
    membar_gpu: int  # core cycles; 1 to 65536
    membar_sys: int  # core cycles; 1 to 65536
    cluster_barrier: int  # core cycles; 1 to 65536
    mbarrier_arrive: int  # core cycles; 1 to 4096
    mbarrier_try_wait: int  # core cycles; 1 to 4096

class _SmAsyncCopy(Group):
    tma_latency: int  # core cycles over a plain load; 1 to 4096
    tma_request_interval: int  # core cycles per 128-byte line; 1 to 256
    tma_requests_in_flight: int  # 128-byte lines; 1 to 4096
    dsm_latency: int  # core cycles; 1 to 4096
    dsm_packet_cycles: float  # core cycles per packet; 0.01 to 1024
    dsm_cpcs: int  # per GPC; 1 to 64
    dsm_slices: int  # per CPC; a power of two from 1 to 64
    dsm_slice_cycles: float  # core cycles per packet that asks; 0 to 1024
    dsm_ways_in: int  # per CPC; a power of two from 1 to 64
    dsm_answer_cycles: float  # core cycles per packet that answers, of a CPC; 0 to 1024
    tensor_copy_interval: int  # core cycles per copy; 1 to 4096
    tensor_row_cycles: float  # core cycles per row, at least; 0.01 to 1024
    tensor_line_cycles: float  # core cycles per 128 bytes of a row; 0.01 to 1024
    tensor_store_latency: int  # core cycles to a store's first row; 1 to 4096
    tensor_reduction_cycles: float  # core cycles per 128 bytes; 0.01 to 1024
    tensor_maps_at_hand: int  # 1 to 1024
    tensor_map_refill: int  # core cycles; 0 to 4096
    tensor_map_first_use: int  # core cycles; 0 to 65536
    tensor_parameter_first_use: int  # core cycles, of a kernel parameter; 0 to 65536
    ldgsts_extra_latency: int  # core cycles over a plain load; 0 to 1024

class _SmTensorMemory(Group):
    columns: int  # columns of 128 lanes of 32 bits; 0 to 512
    mma_column_cycles: float  # core cycles per column; 0.01 to 64
    shared_byte_cycles: float  # core cycles per byte; 1e-04 to 64
    mma_latency: int  # core cycles; 1 to 4096
    pair_latency: int  # core cycles more, of two SMs; 0 to 4096
    move_byte_cycles: float  # core cycles per byte, of a sub-core; 1e-04 to 64
    move_latency: int  # core cycles; 1 to 4096
    allocation_latency: int  # core cycles; 1 to 4096

class _HostLink(Group):
    generation: int  # 1 to 7
    lanes: int  # 1 to 32
    max_payload_bytes: int  # bytes; a power of two from 64 to 4096
    read_request_bytes: int  # bytes; a power of two from 64 to 4096
    efficiency: float  # 0.1 to 1
    write_combined_gain: float  # 0.5 to 2
    read_piece_bytes: int  # bytes; a power of two from 32 to 128
    access_ns: int  # ns; 0 to 1e+06
    partial_write_ns: float  # ns; 0 to 1000
    engine_bytes: int  # bytes; 0 to 1073741824
    posted_bytes_per_sm: int  # bytes; 1 to 1073741824
    posted_bytes: int  # bytes; 1 to 1073741824
    flush_scale: float  # 0 to 100
    flush_loads_ns: int  # ns; 0 to 1e+06
    store_sm_gb_per_s: float  # GB/s; 0 to 1e+05
    flush_bytes_per_sm: int  # bytes; 0 to 1073741824
    flush_bytes: int  # bytes; 0 to 1073741824
    flush_share: float  # 0 to 1
    integrated: bool  # true, false

class _HostPeer(Group):
    links: int  # 0 to 64
    link_gb_per_s: float  # GB/s, one direction; 0.1 to 10000
    efficiency: float  # 0.1 to 1
    start_ns: int  # ns; 0 to 1e+06

class _HostCopy(Group):
    engines: int  # 1 to 16
    h2d_start_ns: int  # ns; 0 to 1e+06
    d2h_start_ns: int  # ns; 0 to 1e+06
    d2d_start_ns: int  # ns; 0 to 1e+06
    graph_d2d_start_ns: int  # ns; 0 to 1e+06
    d2d_efficiency: float  # 0.05 to 1
    memset_efficiency: float  # 0.05 to 1
    memset_start_ns: int  # ns; 0 to 1e+06
    memset_inline_bytes: int  # bytes; 0 to 1048576
    memset_inline_start_ns: int  # ns; 0 to 1e+06
    d2h_to_kernel_ns: int  # ns; 0 to 1e+06
    h2d_to_kernel_ns: int  # ns; 0 to 1e+06
    other_engine_ns: int  # ns; 0 to 1e+06
    inline_bytes: int  # bytes; 0 to 1048576

class _HostStaging(Group):
    inline_bytes: int  # bytes; 0 to 16777216
    inline_host_gb_per_s: float  # GB/s; 0.01 to 1000
    inline_device_gb_per_s: float  # GB/s; 0.01 to 1000
    chunk_bytes: int  # bytes; 4096 to 1073741824
    inline_start_ns: int  # ns; 0 to 1e+07
    chunk_ns: int  # ns; 0 to 1e+07
    to_device_gb_per_s: float  # GB/s; 0.01 to 1000
    to_device_uncached_gb_per_s: float  # GB/s; 0.01 to 1000
    cached_bytes: int  # bytes; 0 to 1099511627776
    from_device_gb_per_s: float  # GB/s; 0.01 to 1000
    from_device_ns: int  # ns; 0 to 1e+07

class _HostQueues(Group):
    connections: int  # 1 to 32
    copy_connections: int  # of each engine; 1 to 32
    depth: int  # commands; 1 to 1048576

class _HostLatency(Group):
    submit_ns: int  # ns; 0 to 1e+07
    kernel_start_ns: int  # ns; 0 to 1e+07
    kernel_end_ns: int  # ns; 0 to 1e+07
    cooperative_start_ns: int  # ns; 0 to 1e+07
    grid_barrier_ns: int  # ns; 0 to 1e+07
    same_stream_ns: int  # ns; 0 to 1e+07
    other_stream_ns: int  # ns; 0 to 1e+07
    event_ns: int  # ns; 0 to 1e+07
    spin_ns: int  # ns; 0 to 1e+07
    yield_ns: int  # ns; 0 to 1e+07
    block_ns: int  # ns; 0 to 1e+07
    host_function_start_ns: int  # ns; 0 to 1e+07
    host_function_end_ns: int  # ns; 0 to 1e+07
    host_function_next_ns: int  # ns; 0 to 1e+07
    halted_after_ns: int  # ns; 0 to 1e+08
    halted_ns: int  # ns; 0 to 1e+07
    idle_after_ns: int  # ns; 0 to 1e+08
    idle_ns: int  # ns; 0 to 1e+07
    idle_ns_per_us: float  # ns per us; 0 to 1000
    idle_most_ns: int  # ns; 0 to 1e+08
    wake_spread: float  # 0 to 3
    idle_spread: float  # 0 to 3

class _HostCalls(Group):
    launch_ns: int  # ns; 0 to 1e+07
    stream_switch_ns: int  # ns; 0 to 1e+07
    memcpy_ns: int  # ns; 0 to 1e+07
    d2d_ns: int  # ns; 0 to 1e+07
    memset_ns: int  # ns; 0 to 1e+07
    event_record_ns: int  # ns; 0 to 1e+07
    event_record_no_timing_ns: int  # ns; 0 to 1e+07
    wait_event_ns: int  # ns; 0 to 1e+07
    query_ns: int  # ns; 0 to 1e+07
    synchronize_ns: int  # ns; 0 to 1e+07
    host_function_ns: int  # ns; 0 to 1e+07
    event_create_ns: int  # ns; 0 to 1e+07
    mem_get_info_ns: int  # ns; 0 to 1e+07
    create_ns: int  # ns; 0 to 1e+07
    malloc_ns: int  # ns; 0 to 1e+09
    free_ns: int  # ns; 0 to 1e+09
    malloc_host_ns: int  # ns; 0 to 1e+09
    malloc_host_ns_per_mib: int  # ns per MiB; 0 to 1e+09
    free_host_ns: int  # ns; 0 to 1e+09
    launch_programmatic_ns: int  # ns; 0 to 1e+07
    launch_parameters_ns_per_kib: int  # ns per KiB; 0 to 1e+06
    launch_lock_ns: int  # ns; 0 to 1e+07
    stream_lock_ns: int  # ns; 0 to 1e+07
    malloc_ns_per_mib: int  # ns per MiB; 0 to 1e+09
    free_ns_per_mib: int  # ns per MiB; 0 to 1e+09
    host_register_ns: int  # ns; 0 to 1e+09
    host_register_ns_per_mib: int  # ns per MiB; 0 to 1e+09
    host_unregister_ns: int  # ns; 0 to 1e+09
    host_unregister_ns_per_mib: int  # ns per MiB; 0 to 1e+09
    malloc_cut_ns: int  # ns; 0 to 1e+07
    free_cut_ns: int  # ns; 0 to 1e+07
    malloc_host_cut_ns: int  # ns; 0 to 1e+07
    free_host_cut_ns: int  # ns; 0 to 1e+07
    free_host_ns_per_mib: int  # ns per MiB; 0 to 1e+09
    cpu_speed: float  # times; 0.01 to 100
    cpu_spread: float  # 0 to 3

class _HostFirst(Group):
    process_ns: int  # ns; 0 to 4e+09
    context_ns: int  # ns; 0 to 4e+09
    call_ns: int  # ns; 0 to 1e+09
    launch_ns: int  # ns; 0 to 1e+09
    module_ns: int  # ns; 0 to 1e+09
    module_kernel_ns: int  # ns; 0 to 1e+09
    module_ns_per_kib: int  # ns per KiB; 0 to 1e+09
    module_printf_ns: int  # ns; 0 to 1e+09
    module_heap_ns: int  # ns; 0 to 1e+09
    kernel_ns: int  # ns; 0 to 1e+09
    kernel_ns_per_kib: int  # ns per KiB; 0 to 1e+09
    kernel_copied_from_kib: int  # KiB; 0 to 1e+06
    kernel_copied_ns_per_kib: int  # ns per KiB; 0 to 1e+09
    printf_ns: int  # ns; 0 to 1e+09
    heap_ns: int  # ns; 0 to 1e+09

class _HostPauses(Group):
    worked_from_us: int  # us; 1 to 1e+09
    worked_decade_ns: int  # ns; 0 to 1e+09
    worked_most_ns: int  # ns; 0 to 1e+09
    slept_from_us: int  # us; 1 to 1e+09
    slept_decade_ns: int  # ns; 0 to 1e+09
    slept_most_ns: int  # ns; 0 to 1e+09

class _HostGraph(Group):
    launch_ns: int  # ns; 0 to 1e+07
    launch_node_ns: float  # ns; 0 to 1e+06
    launch_root_ns: int  # ns; 0 to 1e+07
    launch_sink_ns: int  # ns; 0 to 1e+07
    launch_branch_ns: int  # ns; 0 to 1e+07
    launch_copy_ns: int  # ns; 0 to 1e+07
    launch_event_ns: int  # ns; 0 to 1e+07
    launch_host_ns: int  # ns; 0 to 1e+07
    launch_conditions_ns: int  # ns; 0 to 1e+07
    launch_condition_ns: int  # ns; 0 to 1e+07
    instantiate_body_ns: int  # ns; 0 to 1e+08
    condition_ns: int  # ns; 0 to 1e+07
    inner_condition_ns: int  # ns; 0 to 1e+07
    body_ns: int  # ns; 0 to 1e+07
    front_end_ns: int  # ns; 0 to 1e+07
    instantiate_ns: int  # ns; 0 to 1e+08
    instantiate_node_ns: float  # ns; 0 to 1e+06
    first_instantiate_ns: int  # ns; 0 to 1e+08
    instantiate_again_ns: float  # ns; 0 to 1e+06
    instantiate_kept_nodes: int  # nodes; 0 to 1e+08
    instantiate_root_ns: int  # ns; 0 to 1e+07
    upload_ns: int  # ns; 0 to 1e+08
    upload_node_ns: float  # ns; 0 to 1e+06
    update_ns: int  # ns; 0 to 1e+07
    update_each_ns: float  # ns; 0 to 1e+06
    update_node_ns: int  # ns; 0 to 1e+07
    add_node_ns: int  # ns; 0 to 1e+07
    capture_ns: int  # ns; 0 to 1e+07
    capture_begin_ns: int  # ns; 0 to 1e+07
    capture_end_ns: int  # ns; 0 to 1e+07
    start_ns: int  # ns; 0 to 1e+07
    node_ns: int  # ns; 0 to 1e+07
    branch_ns: int  # ns; 0 to 1e+07
    join_ns: int  # ns; 0 to 1e+07
    programmatic_ns: int  # ns; 0 to 1e+07
    launch_completion_ns: int  # ns; 0 to 1e+07
    instantiate_device_ns: int  # ns; 0 to 1e+08
    upload_device_ns: int  # ns; 0 to 1e+08
    device_launcher_ns: int  # ns; 0 to 1e+07
    device_launch_ns: int  # ns; 0 to 1e+07
    device_start_ns: int  # ns; 0 to 1e+07
    device_tail_ns: int  # ns; 0 to 1e+07
    device_node_ns: int  # ns; 0 to 1e+07

class _HostGraphMemory(Group):
    launch_ns: int  # ns; 0 to 1e+09
    map_ns: int  # ns; 0 to 1e+09
    map_chunk_ns: int  # ns per chunk; 0 to 1e+09
    take_ns: int  # ns; 0 to 1e+09
    take_chunk_ns: int  # ns per chunk; 0 to 1e+09
    stream_chunk_ns: int  # ns per chunk; 0 to 1e+09
    trim_ns: int  # ns; 0 to 1e+09
    trim_chunk_ns: int  # ns per chunk; 0 to 1e+09

class _HostMemory(Group):
    context_bytes: int  # bytes; 0 to 1099511627776
    granularity_bytes: int  # bytes; a power of two from 4096 to 1073741824
    alignment_bytes: int  # bytes; a power of two from 16 to 2097152
    pool_chunk_bytes: int  # bytes; a power of two from 4096 to 1099511627776
    pool_malloc_ns: int  # ns; 0 to 1e+09
    pool_free_ns: int  # ns; 0 to 1e+09
    pool_grow_ns: int  # ns; 0 to 1e+09
    pool_grow_chunk_ns: int  # ns; 0 to 1e+09
    pool_shrink_chunk_ns: int  # ns; 0 to 1e+09

class _HostUm(Group):
    support: str  # LIMITED, MANAGED, HMM, ATS
    page_bytes: int  # bytes; a power of two from 4096 to 2097152
    block_bytes: int  # bytes; a power of two from 4096 to 1073741824
    fault_batch_pages: int  # pages; 1 to 65536
    gpu_fault_ns: int  # ns per batch; 0 to 1e+09
    fault_batch_entries: int  # entries; 1 to 65536
    fault_entry_ns: int  # ns per entry; 0 to 1e+09
    fault_block_ns: int  # ns per block; 0 to 1e+09
    fault_move_ns: int  # ns per block; 0 to 1e+09
    fault_page_ns: int  # ns per page; 0 to 1e+09
    fault_along_ns: int  # ns per page; 0 to 1e+09
    fault_density_percent: int  # percent; 1 to 100
    first_fault_ns: int  # ns; 0 to 1e+09
    populate_ns: int  # ns per page; 0 to 1e+09
    populate_block_ns: int  # ns per block; 0 to 1e+09
    prefetch_ns: int  # ns; 0 to 1e+09
    prefetch_page_ns: int  # ns per page; 0 to 1e+09
    prefetch_start_ns: int  # ns; 0 to 1e+09
    prefetch_home_ns: int  # ns per page; 0 to 1e+09
    malloc_ns: int  # ns; 0 to 1e+09
    malloc_ns_per_mib: int  # ns per MiB; 0 to 1e+09
    free_ns: int  # ns; 0 to 1e+09
    free_ns_per_mib: int  # ns per MiB; 0 to 1e+09
    cpu_fault_ns: int  # ns; 0 to 1e+09
    cpu_block_ns: int  # ns per block; 0 to 1e+09
    cpu_along_ns: int  # ns per page; 0 to 1e+09
    cpu_touch_ns: int  # ns per 4 KiB; 0 to 1e+09
    evict_ns: int  # ns per block; 0 to 1e+09
    thrash_count: int  # moves; 2 to 1000
    thrash_lapse_us: int  # us; 0 to 1e+09
    direct_host_access: bool  # true, false

class _HostVmm(Group):
    reserve_ns: int  # ns; 0 to 1e+09
    reserve_large_ns: int  # ns; 0 to 1e+09
    reserve_large_bytes: int  # bytes; 0 to 1099511627776
    create_ns: int  # ns; 0 to 1e+09
    map_ns: int  # ns; 0 to 1e+09
    set_access_ns: int  # ns; 0 to 1e+09
    unmap_ns: int  # ns; 0 to 1e+09
    release_ns: int  # ns; 0 to 1e+09
    create_ns_per_mib: float  # ns per MiB; 0 to 1e+06
    set_access_ns_per_mib: float  # ns per MiB; 0 to 1e+06
    unmap_ns_per_mib: float  # ns per MiB; 0 to 1e+06
    release_ns_per_mib: float  # ns per MiB; 0 to 1e+06

class _HostL2(Group):
    max_window_bytes: int  # bytes; 0 to 1099511627776
    set_aside_steps: int  # parts of the L2; 1 to 65536
    default_steps: int  # parts; 0 to 65536
    set_limit_ns: int  # ns; 0 to 1e+09
    reset_ns: int  # ns; 0 to 1e+09

class _HostDynamic(Group):
    forget_call_ns: int  # ns; 0 to 1e+07
    stream_call_ns: int  # ns; 0 to 1e+07
    behind_call_ns: int  # ns; 0 to 1e+07
    tail_call_ns: int  # ns; 0 to 1e+07
    forget_serial_ns: int  # ns; 0 to 1e+07
    stream_serial_ns: int  # ns; 0 to 1e+07
    first_contention_ns: int  # ns for each doubling; 0 to 1e+07
    contention_ns: int  # ns for each doubling; 0 to 1e+07
    stream_create_ns: int  # ns; 0 to 1e+07
    event_call_ns: int  # ns; 0 to 1e+07
    start_ns: int  # ns; 0 to 1e+07
    next_ns: int  # ns; 0 to 1e+07
    event_wait_ns: int  # ns; 0 to 1e+07
    tail_start_ns: int  # ns; 0 to 1e+07
    join_ns: int  # ns; 0 to 1e+07
    finish_ns: int  # ns; 0 to 1e+07
    cleanup_ns: int  # ns; 0 to 1e+07
    parent_ns: int  # ns; 0 to 1e+07
    runtime_ns: int  # ns; 0 to 1e+07
    pending_launches: int  # 1 to 1048576
    least_pending_launches: int  # 1 to 1048576
    parameter_bytes: int  # bytes; 64 to 65536
    virtual_pool_ns: int  # ns; 0 to 1e+07
    sync_depth: int  # levels; 0 to 24
    sync_level_bytes: int  # bytes; 0 to 1099511627776

class _HostSharing(Group):
    slice_us: int  # us; 1 to 1e+07
    change_ns: int  # ns; 0 to 1e+08

Dim = Union[int, Sequence[int]]

Axes = Dict[str, Sequence[Any]]

Edges = Sequence[Union[Handle, Tuple[Handle, str]]]

Traces = Union[str, os.PathLike, Trace, Launch, Sequence[Any]]

def bank_conflicts(addresses: Sequence[int], width: int = 4, kind: str = 'load', mask: int = 4294967295) -> Dict[str, int]: ...
def banks(trace: Traces) -> pandas.DataFrame: ...
def coalesce(trace: Traces) -> pandas.DataFrame: ...
def collect(folder: Union[str, os.PathLike]) -> Sweep: ...
def compare(results: Results, measured: Union[str, os.PathLike], metrics: Optional[Iterable[str]] = None) -> pandas.DataFrame: ...
def fidelities() -> List[str]: ...
def gpus() -> List[str]: ...
def load(*paths: Union[str, os.PathLike], strict: bool = False) -> Trace: ...
def load_cubin(path: Union[str, os.PathLike]) -> Module: ...
def load_ptx(text_or_path: Union[str, os.PathLike]) -> Module: ...
def metrics(text: str = '') -> pandas.DataFrame: ...
def occupancy(gpu: Union[str, Config] = 'h200', *, registers: int, block: int = 256, smem: int = 0, dynamic_smem: int = 0, cluster: int = 1, carveout: Union[str, int] = 'driver', set: Sequence[str] = ()) -> Occupancy: ...
def occupancy_curve(gpu: Union[str, Config] = 'h200', resource: str = 'block', *, registers: int, block: int = 256, smem: int = 0, dynamic_smem: int = 0, cluster: int = 1, carveout: Union[str, int] = 'driver', set: Sequence[str] = ()) -> pandas.DataFrame: ...
def open(file: Union[str, os.PathLike], run: int = 0) -> Results: ...
def peaks(gpu: Union[str, Config] = 'h200', *, set: Sequence[str] = ()) -> Dict[str, float]: ...
def read_ncu(file: Union[str, os.PathLike]) -> pandas.DataFrame: ...
def revision() -> str: ...
def run(traces: Traces, gpu: Union[str, Config] = 'h200', *, fidelity: Optional[str] = None, set: Sequence[str] = (), sample: bool = False, profile: bool = False, profile_interval: int = 128, threads: int = 1, jobs: int = 1, cpus: int = 0, cluster: Optional[Sequence[int]] = None, between: str = 'flush', warm_up: int = 0, l2_set_aside: int = 0, l2_window: Optional[Window] = None, progress: Union[None, bool, Callable[[Progress], None]] = None, out: Union[str, os.PathLike, None] = None, exists: str = 'error', host_timing: bool = True, keep_going: bool = False, strict: bool = False, allow_capability_mismatch: bool = False, watchdog_cycles: int = 5000000) -> Results: ...
def run_host(workload: Union[Workload, str, os.PathLike], gpu: Union[str, Config] = 'h200', *, set: Sequence[str] = (), check: bool = False, together: bool = False, threads: int = 1, limits: Optional[Dict[str, int]] = None, timeline: bool = True, jitter: Optional[int] = None, progress: Optional[Callable[[float, int], None]] = None) -> HostResults: ...
def runs(file: Union[str, os.PathLike]) -> pandas.DataFrame: ...
def sectors(addresses: Sequence[int], width: int = 4, mask: int = 4294967295) -> Dict[str, int]: ...
def stall_reasons() -> Dict[str, str]: ...
def suggest_block_size(gpu: Union[str, Config] = 'h200', *, registers: int, smem: int = 0, dynamic_smem: int = 0, carveout: Union[str, int] = 'driver', set: Sequence[str] = ()) -> Point: ...
def surface(x: Any, dims: Optional[str] = None, channels: int = 1) -> Texture: ...
def sweep(what: Union[str, os.PathLike, Axes], traces: Any = None, gpu: Any = None, *, out: Union[str, os.PathLike, None] = None, fidelity: Optional[str] = None, set: Sequence[str] = (), jobs: int = 0, retry_failed: bool = False, skip_impossible: bool = False, progress: Union[None, bool, Callable[[Progress], None]] = None) -> Sweep: ...
def texture(x: Any, dims: Optional[str] = None, channels: int = 1, memory: str = 'array', address: str = 'clamp', filter: str = 'point', normalized: bool = False, read: str = 'element', border: float = 0.0) -> Texture: ...
def to_device(x: Any) -> DeviceArray: ...

__all__: List[str]
