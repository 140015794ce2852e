"""Heddle: a simulator of NVIDIA GPUs, from Python.

The package calls the library that the `heddle` command is made of; it starts no other program.

    import heddle
    cfg = heddle.Config("h200")
    cfg.l2.ways = 8                                  # wrong names and values raise ConfigError
    results = heddle.run("traces/h200/softmax", gpu=cfg)
    results.launches[["kernel", "cycles"]]           # pandas data frames
    results.counters["dram__bytes_read.sum"]         # counters under Nsight Compute's names
    heddle.compare(results, "traces/h200/suite.csv")  # beside what silicon measured
    heddle.sweep({"l2.ways": [5, 10, 20]}, "traces/h200/softmax").frame()

Times are core cycles of the simulated GPU unless a name says otherwise, sizes bytes, percentages 0 to 100. Every error
is a heddle.Error; Ctrl-C in a run raises heddle.Interrupted, which is a KeyboardInterrupt and has the finished launches.
"""
from heddle import plot
from heddle._native import revision
from heddle.access import bank_conflicts, banks, coalesce, sectors
from heddle.compare import compare, read_ncu
from heddle.config import Config, Difference, Field, Group, Table, fidelities, gpus
from heddle.errors import (CallError, ConfigError, ConfigNameError, DeadlockError, Error, HeddleWarning, Interrupted,
                           ResultsError, SimulationError, TraceError)
from heddle.host import HostResults, run_host
from heddle.occupancy import Occupancy, Point, occupancy, occupancy_curve, suggest_block_size
from heddle.ptx import DeviceArray, Executed, Kernel, Module, Texture, load_cubin, load_ptx, surface, texture, to_device
from heddle.results import Results, metrics, open, peaks, runs, stall_reasons
from heddle.run import Progress, run
from heddle.simulator import Simulator
from heddle.sweep import Sweep, collect, sweep
from heddle.trace import Instruction, Launch, Trace, load
from heddle.workload import Access, AccessPolicyWindow, Event, Handle, MemSyncDomain, Queue, Stream, Workload

__version__ = revision()

__all__ = [
    "Access", "AccessPolicyWindow", "CallError", "Config", "ConfigError", "ConfigNameError", "DeadlockError", "DeviceArray", "Difference",
    "Error", "Event", "Executed", "Field", "Group", "Handle", "HeddleWarning", "HostResults", "Instruction", "Interrupted", "Kernel", "Launch",
    "MemSyncDomain", "Module", "Occupancy", "Point", "Progress", "Queue", "Results", "ResultsError", "SimulationError", "Simulator", "Stream", "Sweep", "Table", "Texture",
    "Trace", "TraceError", "Workload", "bank_conflicts", "banks", "coalesce", "collect", "compare", "fidelities",
    "gpus", "load", "load_cubin", "load_ptx", "metrics", "occupancy", "occupancy_curve", "open", "peaks", "read_ncu", "revision", "run",
    "run_host", "runs", "sectors", "stall_reasons", "suggest_block_size", "surface", "sweep", "texture", "to_device",
]
