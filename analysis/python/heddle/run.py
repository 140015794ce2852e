"""Simulating whole launches."""
from __future__ import annotations

import dataclasses
import os
import warnings
from typing import Any, Callable, Optional, Sequence, Union

from heddle._checks import integer
from heddle._native import native
from heddle._progress import reporter
from heddle.config import Config, as_config
from heddle.errors import Error, HeddleWarning, Interrupted
from heddle.results import Results, check_exists
from heddle.trace import Traces, launches_of

Window = Union[str, Sequence[Any]]


@dataclasses.dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes:
        launches, finished: of the run.
        share: of all the work, 0 to 1, an estimate.
        warp_instructions: simulated so far.
        running: "trace/number" of the oldest launch that runs; empty between launches.
        cycle: core cycle of that launch.
        blocks_done, blocks_total: of that launch.
    """
    launches: int
    finished: int
    share: float
    warp_instructions: int
    running: str
    cycle: int
    blocks_done: int
    blocks_total: int


def settings(*, threads: int = 1, jobs: int = 1, cpus: int = 0, sample: bool = False, strict: bool = False,
             allow_capability_mismatch: bool = False, watchdog_cycles: int = 5_000_000, profile: bool = False,
             profile_interval: int = 128, l2_set_aside: int = 0, l2_window: Optional[Window] = None,
             between: str = "flush", warm_up: int = 0):
    """The C++ side's settings, checked."""
    out = native.Settings()
    for name, value, low, high in (("threads", threads, 1, 1024), ("jobs", jobs, 1, 1024), ("cpus", cpus, 0, 1024),
                                   ("watchdog_cycles", watchdog_cycles, 1, 2**62),
                                   ("profile_interval", profile_interval, 1, 2**30),
                                   ("l2_set_aside", l2_set_aside, 0, 2**62), ("warm_up", warm_up, 0, 100)):
        value = integer(name, value, low, high)
        if name != "profile_interval" or profile:
            setattr(out, name, value)
    if cpus and (threads != 1 or jobs != 1):
        raise Error("cpus shares out what threads and jobs set: give either it or them")
    if sample and profile:
        raise Error("profile is of all blocks, and sample leaves some out: give only one of them")
    if between not in ("flush", "keep"):
        raise Error(f"between={between!r}; legal: 'flush', 'keep'")
    out.keep = between == "keep"
    if l2_window is not None:
        out.set_l2_window(l2_window if isinstance(l2_window, str) else ",".join(str(part) for part in l2_window))
    out.sample, out.strict, out.allow_capability_mismatch = sample, strict, allow_capability_mismatch
    return out


def run(traces: Traces, gpu: Union[str, Config] = "h200", *, fidelity: Optional[str] = None, set: Sequence[str] = (),
        sample: bool = False, profile: bool = False, profile_interval: int = 128, threads: int = 1, jobs: int = 1, cpus: int = 0,
        cluster: Optional[Sequence[int]] = None, between: str = "flush", warm_up: int = 0, l2_set_aside: int = 0,
        l2_window: Optional[Window] = None,
        progress: Union[None, bool, Callable[[Progress], None]] = None, out: Union[str, os.PathLike, None] = None,
        exists: str = "error", host_timing: bool = True, keep_going: bool = False, strict: bool = False,
        allow_capability_mismatch: bool = False, watchdog_cycles: int = 5_000_000) -> Results:
    """Simulates launches, as `heddle run` does. Other Python threads go on meanwhile.

    Args:
        traces: a path, a Trace, a Launch, or a list of such.
        gpu: a name, the path of a configuration file, or a Config.
        fidelity: preset, "default" unless `gpu` is a Config, which has its own.
        set: overrides "path=value".
        sample: simulate only as many blocks of a long grid as tell how long the others take; the result is marked.
        profile: also collect counts and stalls by instruction, and counters over time: Results.instructions,
            instruction_stalls, series.
        profile_interval: core cycles between two rows of the series, at least; doubled when there are more than 1024.
        threads: host threads that simulate one launch. Results depend on none of threads, jobs and cpus.
        jobs: launches simulated at a time.
        cpus: host threads in all, shared out between the two; 0: as they say.
        cluster: blocks of a cluster of all launches, (x, y, z), for kernels with a compiled-in size (__cluster_dims__), which
            a trace lacks; Launch.with_cluster() for single ones.
        between: what a launch finds in the L2: nothing ("flush", as Nsight Compute measures by default), or what the launches
            before it in its recording have left ("keep", as in a program).
        warm_up: so often each launch is simulated before the time that counts, on the same machine.
        l2_set_aside: bytes of L2 for persisting lines only (cudaLimitPersistingL2CacheSize), at most
            l2.max_persisting_bytes.
        l2_window: cudaAccessPolicyWindow: (base, bytes), and if wanted hit ratio, hit and miss property ("normal", "streaming",
            "persisting"); or the text that --l2-window takes.
        progress: True for a bar, in notebooks, too; or a function that is called with a Progress in the calling thread, at
            most ten times a second, and once when all is done. What it raises stops the run and is raised.
        out: store the results in this SQLite file, each launch as it is finished.
        exists: what to do with a file that is there: "error", "append" (another run) or "replace".
        host_timing: False leaves wall-clock times out of the file, so that equal runs give equal bytes.
        keep_going: go on with the next launch after one that fails; see Results.failures.
        strict: unknown opcodes and unknown lines of a kernelslist.g are errors.
        allow_capability_mismatch: simulate traces of another compute capability than the GPU's.
        watchdog_cycles: core cycles without an issued instruction that count as a deadlock.

    Returns:
        Results, in the order of the traces.

    Raises:
        ConfigError, ResultsError: something given is wrong; nothing was simulated then.
        TraceError: a trace cannot be found, or is damaged, which may be seen only where it is read.
        SimulationError, DeadlockError: a launch failed. `results` of it, and of a TraceError of a launch, has those that were
            finished.
        Interrupted: Ctrl-C; a KeyboardInterrupt whose `results` has the finished launches.
    """
    if out is None and (check_exists(exists) != "error" or not host_timing):
        raise Error("exists and host_timing are of the file that `out` names, and there is none")
    config = as_config(gpu, fidelity, set)
    how = settings(threads=threads, jobs=jobs, cpus=cpus, sample=sample, strict=strict,
                   allow_capability_mismatch=allow_capability_mismatch, watchdog_cycles=watchdog_cycles,
                   profile=profile, profile_interval=profile_interval, l2_set_aside=l2_set_aside, l2_window=l2_window,
                   between=between, warm_up=warm_up)
    launches = launches_of(traces, strict, cluster)
    report = reporter(progress)

    def tell(state):
        count, finished, share, instructions, running, cycle, done, total = state
        name = f"{launches[running].trace}/{launches[running].number}" if running >= 0 else ""
        report(Progress(count, finished, share, instructions, name, cycle, done, total))

    records, failures, stopped, warned = native.run(
        config._draft, [x._planned for x in launches], how, os.fspath(out) if out is not None else "",
        check_exists(exists), host_timing, keep_going, tell if report else None)
    results = Results(records, failures)
    for message in warned + _unknown(results):
        warnings.warn(message, HeddleWarning, stacklevel=2)
    if isinstance(stopped, KeyboardInterrupt):
        raise Interrupted(f"{len(results)} of {len(launches)} launches finished", results) from None
    if stopped is not None:
        raise stopped
    if failures and not keep_going:
        error = failures[0][1]
        error.results = results
        raise error
    return results


def _unknown(results: Results):
    total = {}
    for counts in results.unknown_opcodes:
        for opcode, n in counts.items():
            total[opcode] = total.get(opcode, 0) + n
    listed = ", ".join(f"{opcode} {n}" for opcode, n in sorted(total.items()))
    return [f"opcodes classified by prefix only, with executed warp instructions: {listed}"] if total else []
