"""Many configurations at once: what `heddle sweep` does (analysis/sweep/README.md)."""
from __future__ import annotations

import os
import sqlite3
import tempfile
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from heddle._checks import integer
from heddle._native import CONFIGS, native, pandas
from heddle._progress import reporter
from heddle._workload_base import text_of
from heddle.config import Config
from heddle.errors import Error, HeddleWarning, ResultsError
from heddle.results import Results, open as open_results
from heddle.run import Progress

Axes = Dict[str, Sequence[Any]]


class Sweep:
    """The results of a sweep; heddle.sweep() and heddle.collect() make it.

    Attributes:
        file: the database, for heddle.open(file, run=...), `heddle sweep best` and `heddle report`.

    Args:
        file: a results.db, or the folder that has it.

    Raises:
        ResultsError: it is not there, or not the database of a sweep.
    """

    def __init__(self, file: Union[str, os.PathLike]):
        name = os.fspath(file)
        self.file: str = os.path.join(name, "results.db") if os.path.isdir(name) else name
        self._results = native.SweepResults(self.file)

    def __len__(self) -> int:
        return len(self._results.configs())

    def __repr__(self) -> str:
        return (f"<heddle.Sweep of {len(self)} configurations over {', '.join(self.axes) or 'no axes'}, "
                f"{len(self._results.launches())} launches each>")

    def _repr_html_(self) -> str:
        return f"<p>{len(self)} configurations</p>" + self.frame().to_html(max_rows=20)

    @property
    def axes(self) -> List[str]:
        """Names of the axes, columns of frames."""
        return self._results.axes()

    @property
    def points(self) -> pandas.DataFrame:
        """The configurations: a row each with the index `run` (its number in the database); point (from 0), gpu, and the axes'
        values, numbers where all of an axis are."""
        rows = [(run, point, gpu, *values) for run, point, gpu, values in self._results.configs()]
        frame = pandas().DataFrame(rows, columns=["run", "point", "gpu", *self.axes]).set_index("run")
        for axis in self.axes:
            try:
                frame[axis] = pandas().to_numeric(frame[axis])
            except (TypeError, ValueError):
                pass  # names, or sizes such as 30MiB
        return frame

    def frame(self, metrics: Union[str, Sequence[str]] = "cycles") -> pandas.DataFrame:
        """Metrics of all launches of all configurations.

        Args:
            metrics: names of heddle.metrics(); "cycles" (core cycles) and "time" (ns) are short names.

        Returns:
            DataFrame, a row per configuration and launch: point, gpu, the axes, trace, launch, and a column per metric; NaN where
            a run failed. Launches that failed everywhere have no rows.

        Raises:
            ResultsError: no such metric.
        """
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        launches = [name.rsplit("/", 1) for name in self._results.launches()]
        left = self.points.reset_index(drop=True)
        frame = left.loc[left.index.repeat(len(launches))].reset_index(drop=True)
        frame["trace"] = [t for t, _ in launches] * len(left)
        frame["launch"] = [int(n) for _, n in launches] * len(left)
        for name in names:
            frame[name] = [v for row in self._results.values(name) for v in row]
        return frame

    def results(self, point: int, gpu: Optional[str] = None) -> Results:
        """Everything about one configuration.

        Args:
            point: its number, from 0.
            gpu: which one, if the sweep has several.

        Returns:
            Results.

        Raises:
            ResultsError: there is no such point, or it was simulated on several GPUs and `gpu` does not say which.
        """
        found = [(run, name) for run, number, name, _ in self._results.configs() if number == point and gpu in (None, name)]
        if len(found) > 1:
            raise ResultsError(f"{self.file}: point {point} is of several GPUs: gpu= one of {', '.join(name for _, name in found)}")
        if found:
            return open_results(self.file, found[0][0])
        raise ResultsError(f"{self.file}: no point {point}{f' on {gpu}' if gpu else ''}; there are {len(self)}")

    def _table(self, query: str) -> pandas.DataFrame:
        db = sqlite3.connect(f"file:{os.path.abspath(self.file)}?mode=ro", uri=True)
        try:
            return pandas().read_sql_query(query, db)
        finally:
            db.close()

    @property
    def failures(self) -> pandas.DataFrame:
        """Runs that failed: run (index of `points`), trace, launch, attempts, kind (error, deadlock, timeout, memory, terminated,
        killed), message."""
        return self._table("SELECT run_id AS run, trace, launch, attempts, kind, message FROM sweep_failures ORDER BY 1, 2, 3")

    @property
    def skipped(self) -> pandas.DataFrame:
        """Points that give no possible configuration: point, gpu, reason."""
        return self._table("SELECT point, gpu, reason FROM sweep_skipped ORDER BY 1, 2")


def _text(axes: Axes, traces, gpus, fidelity: Optional[str], set: Sequence[str]) -> str:
    lines = [f"trace: {text_of(os.path.abspath(os.fspath(t)))}" for t in traces]
    for gpu in gpus:
        if isinstance(gpu, Config):
            if len(gpus) > 1:
                raise Error("gpu: one Config, or a list of names and files; overrides of a Config hold for all points")
            set = [*gpu.overrides, *set]
            fidelity, gpu = fidelity or gpu.fidelity, gpu._draft.name
        lines.append(f"gpu: {text_of(os.path.abspath(gpu) if os.path.exists(gpu) else gpu)}")
    lines += [f"fidelity: {text_of(fidelity)}"] if fidelity else []
    lines += [f"set: {text_of(s)}" for s in set]
    for path, values in axes.items():
        given = [values] if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__") else list(values)
        if not given:
            raise Error(f"axis {path!r} has no values")
        shown = ("true" if v is True else "false" if v is False else str(v) for v in given)
        lines.append(f"axis {{ path: {text_of(path)} " + " ".join(f"value: {text_of(v)}" for v in shown) + " }")
    return "\n".join(lines) + "\n"


def sweep(what: Union[str, os.PathLike, Axes], traces: Any = None, gpu: Any = None, *, out: Union[str, os.PathLike, None] = None,
          fidelity: Optional[str] = None, set: Sequence[str] = (), jobs: int = 0, retry_failed: bool = False,
          skip_impossible: bool = False, progress: Union[None, bool, Callable[[Progress], None]] = None) -> Sweep:
    """Simulates many configurations, or goes on with it: what is in the folder already is not done again.

    Args:
        what: {"l2.ways": [8, 16], "sm.l1.miss_latency": range(20, 41, 5)}: every combination; or a sweep file
            (analysis/sweep/README.md: also samples and levels), or the folder of its results.
        traces: with axes: a path or a list of paths, as heddle.run() takes them.
        gpu: with axes: a name or file, a list of such, or one Config; None: "h200".
        out: folder of the results: heddle.sweep in the current one with axes, otherwise NAME.sweep for NAME.textproto.
        fidelity: with axes: a preset.
        set: with axes: overrides "path=value" for all points.
        jobs: simulations at a time; 0: all cores.
        retry_failed: try what failed once more.
        skip_impossible: leave out points that give no possible configuration; else they are an error.
        progress: True for a bar, or a function, as of heddle.run(); what it raises stops the sweep and is raised.

    Returns:
        A Sweep. Failed runs are in Sweep.failures.

    Raises:
        Error, ConfigError: something given is wrong; nothing was simulated then.
        KeyboardInterrupt: Ctrl-C; the same call goes on.
    """
    jobs = integer("jobs", jobs, 0, 1024)
    with tempfile.TemporaryDirectory() as scratch:
        if isinstance(what, dict):
            if traces is None:
                raise Error("traces: a path or a list of paths is needed with axes")
            one = isinstance(traces, (str, os.PathLike))
            file = os.path.join(scratch, "axes.textproto")
            with open(file, "w", encoding="utf-8") as f:
                gpu = "h200" if gpu is None else gpu
                f.write(_text(what, [traces] if one else traces, gpu if isinstance(gpu, (list, tuple)) else [gpu], fidelity,
                              [set] if isinstance(set, str) else set))
            folder = os.fspath(out) if out is not None else "heddle.sweep"
        else:
            if traces is not None or gpu is not None or set or fidelity is not None:
                raise Error("traces, gpu, fidelity and set are those of the file; give axes as {path: values} to set them here")
            file = os.fspath(what)
            if out is not None and os.path.isdir(file):
                raise Error(f"out={out!r}: {file} is the folder of the results")
            name = os.path.splitext(os.path.basename(file))[0] + ".sweep"
            folder = "" if os.path.isdir(file) else os.fspath(out) if out is not None else name
        tell = reporter(progress)
        database, warned = native.sweep(
            file, folder, CONFIGS, jobs, retry_failed, skip_impossible,
            (lambda done, of: tell(Progress(of, done, done / of if of else 1.0, 0, "", 0, 0, 0))) if tell else None)
    for line in warned:
        warnings.warn(line, HeddleWarning, stacklevel=2)
    return Sweep(database)


def collect(folder: Union[str, os.PathLike]) -> Sweep:
    """Puts together what is finished of a sweep, which may still go on elsewhere (`heddle sweep collect`).

    Args:
        folder: of its results.

    Returns:
        A Sweep.

    Raises:
        Error: it is no folder of a sweep.
    """
    return Sweep(native.collect(os.fspath(folder), CONFIGS)[0])
