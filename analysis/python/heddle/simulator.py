"""One launch, step by step."""
from __future__ import annotations

import warnings
from typing import Dict, Iterable, Optional, Sequence, Union

from heddle._checks import integer
from heddle._native import native, pandas
from heddle.config import Config, as_config
from heddle.errors import Error, HeddleWarning
from heddle.results import Results
from heddle.run import Window, settings
from heddle.trace import Traces, one_launch

_END = 2**62


class Simulator:
    """A launch on a machine of its own that is simulated in steps; its counters can be read in between.

    Args:
        gpu: a name, the path of a configuration file, or a Config.
        trace: one launch: a Launch, or a path or Trace with one.
        fidelity: preset, "default" unless `gpu` is a Config.
        set: overrides "path=value".
        threads: host threads; results do not depend on it.
        allow_capability_mismatch: simulate traces of another compute capability than the GPU's.
        cluster: blocks of a cluster, as in heddle.run().
        l2_set_aside: bytes of L2 for persisting lines only, as in heddle.run().
        l2_window: the access-policy window, as in heddle.run().

    Raises:
        ConfigError, TraceError: something given is wrong. Presets that simulate a share of the machine (fidelity "fast")
            have no steps.

    The machine advances in quanta of some hundred cycles, so a step ends at the first quantum's end at or behind the cycle
    asked for. Steps change no result.
    """

    def __init__(self, gpu: Union[str, Config], trace: Traces, *, fidelity: Optional[str] = None,
                 set: Sequence[str] = (), threads: int = 1, allow_capability_mismatch: bool = False,
                 cluster: Optional[Sequence[int]] = None, l2_set_aside: int = 0, l2_window: Optional[Window] = None):
        config = as_config(gpu, fidelity, set)
        how = settings(threads=threads, allow_capability_mismatch=allow_capability_mismatch,
                       l2_set_aside=l2_set_aside, l2_window=l2_window)
        self._steps = native.Steps(config._draft, one_launch(trace, cluster)._planned, how)
        for message in self._steps.warnings:
            warnings.warn(message, HeddleWarning, stacklevel=2)

    @property
    def cycle(self) -> int:
        """Core cycles simulated; of a finished launch its cycles, the fixed cost at the end included."""
        return self._steps.cycle

    @property
    def finished(self) -> bool:
        """Whether the launch is over."""
        return self._steps.finished

    def step(self, cycles: int = 1000) -> bool:
        """Simulates further. Other Python threads go on meanwhile; Ctrl-C stops between quanta, from where one can go on.

        Args:
            cycles: core cycles, at least 1.

        Returns:
            True while the launch is not over.

        Raises:
            SimulationError, DeadlockError: the launch cannot go on.
            Error: `cycles` is not positive.
        """
        cycles = integer("cycles", cycles, 1)
        return self._steps.advance(min(self._steps.cycle + cycles, _END))

    def run(self) -> Results:
        """Simulates to the end.

        Returns:
            Results of the launch, those of heddle.run().

        Raises:
            SimulationError, DeadlockError: the launch cannot go on.
        """
        self._steps.advance(_END)
        return self.result()

    def result(self) -> Results:
        """The result of the finished launch.

        Returns:
            Results.

        Raises:
            Error: it is not finished.
        """
        if not self.finished:
            raise Error(f"the launch is not finished (cycle {self.cycle}): step() or run() it to the end first")
        return Results(self._steps.so_far())

    def counters(self) -> Dict[str, float]:
        """All metrics so far, under Nsight Compute's names where the meaning is the same.

        Returns:
            dict from name to value; units: heddle.metrics(). Counts are since the launch. The time of a warp in a state is
            counted when the state ends, residency (sm__warps_active) when the warp leaves.
        """
        values = self._steps.so_far().counters()[0]
        return {m[0]: float(v) for m, v in zip(native.catalogue(), values)}

    def stalls(self) -> Dict[str, int]:
        """Warp-cycles by state so far.

        Returns:
            dict from reason (heddle.stall_reasons()) to warp-cycles; a state is counted when it ends.
        """
        values = self._steps.so_far().stalls()[0]
        return {s[0]: int(v) for s, v in zip(native.stall_reasons(), values)}

    def series(self, every: int = 1000, metrics: Optional[Iterable[str]] = None) -> pandas.DataFrame:
        """Simulates to the end and keeps counters on the way.

        Args:
            every: core cycles between two rows, at least; rows lie at the ends of quanta.
            metrics: names of heddle.metrics(); all if not given.

        Returns:
            DataFrame of float with the index `cycle` and a column per metric; counts are since the launch (diff() gives those
            of each interval). The last row is the launch's result.

        Raises:
            Error: `every` is not positive, or a metric's name is not known.
            SimulationError, DeadlockError: the launch cannot go on.
        """
        integer("every", every, 1)
        names = list(metrics) if metrics is not None else [m[0] for m in native.catalogue()]
        known = {m[0] for m in native.catalogue()}
        for n in names:
            if n not in known:
                raise Error(f"no metric {n!r}; heddle.metrics() lists them")
        rows, cycles = [], []
        more = not self.finished
        while True:
            if more:
                more = self.step(every)
            counters = self.counters()
            rows.append([counters[n] for n in names])
            cycles.append(self.cycle)
            if not more:
                break
        frame = pandas()
        return frame.DataFrame(rows, columns=names, index=frame.Index(cycles, name="cycle"))
