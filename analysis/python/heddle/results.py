"""Results as data frames, the same for simulations and databases."""
from __future__ import annotations

import html
import os
import warnings
from typing import Any, Dict, List, Sequence, Tuple, Union

from heddle._checks import integer
from heddle._native import native, pandas
from heddle.config import Config, as_config
from heddle.errors import HeddleWarning, ResultsError, SimulationError


class Results:
    """Finished launches of one run. Frames have a row per launch and the index (trace, launch).

    Attributes:
        failures: (launch, exception) of the launches that failed, where the run was to go on.

    Raises:
        Error: from every frame, when pandas is missing; names the Debian package.
    """

    def __init__(self, records, failures: Sequence[Tuple[str, SimulationError]] = ()):
        self._records = records
        self.failures = list(failures)

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        run = self.info
        return f"<heddle.Results of {len(self)} launches on {run['gpu']}, fidelity {run['fidelity']}>"

    def _repr_html_(self) -> str:
        run, columns = self.info, ["kernel", "grid", "block", "cycles", "seconds", "warp_instructions"]
        frame = self.launches[columns].rename(columns={"seconds": "us"})
        frame["us"] *= 1e6
        failed = f", {len(self.failures)} failed" if self.failures else ""
        head = html.escape(f"{len(self)} launches on {run['gpu']}, fidelity {run['fidelity']}{failed}")
        return f"<p>{head}</p>" + frame.to_html(max_rows=30, formatters={"us": "{:.2f}".format, "cycles": "{:,}".format,
                                                                         "warp_instructions": "{:,}".format})

    @property
    def info(self) -> Dict[str, Any]:
        """The run: gpu, product, config_hash, config_text, fidelity, overrides, seed, revision, launches_planned, run (its
        number in a database)."""
        return self._records.run()

    def _index(self):
        columns = self._records.launches()
        return pandas().MultiIndex.from_arrays([columns["trace"], columns["launch"]], names=["trace", "launch"])

    @property
    def launches(self) -> pandas.DataFrame:
        """DataFrame: what was launched and how long it took.

        Columns: kernel; grid, block, cluster (tuples x, y, z); registers (per thread); static_shared, dynamic_shared (bytes
        per block); core_mhz; cycles (core cycles, what gpc__cycles_elapsed.max is with cold caches); sm_active_cycles
        (core cycles, the busiest SM); seconds (simulated); warp_instructions; used_control_bits; sampled (blocks were
        left out, cycles are an estimate), cycles_low and cycles_high (its bound); wall_seconds (of the host; 0 where
        not stored); trace_hash.
        """
        columns = self._records.launches()
        index = self._index()
        return pandas().DataFrame({k: v for k, v in columns.items() if k not in index.names}, index=index)

    @property
    def cycles(self) -> int:
        """Core cycles of the only launch: what calling a kernel gives.

        Raises:
            ResultsError: there are several launches, or none.
        """
        cycles = self._records.launches()["cycles"]
        if len(cycles) != 1:
            raise ResultsError(f'{len(cycles)} launches have no cycles of their own (legal: of one; see launches["cycles"])')
        return int(cycles[0])

    @property
    def counters(self) -> pandas.DataFrame:
        """DataFrame of float: a column per metric of heddle.metrics(), most under Nsight Compute's names; NaN where a
        database has no value. Units: heddle.metrics()."""
        names = [m[0] for m in native.catalogue()]
        return pandas().DataFrame(self._records.counters(), index=self._index(), columns=names)

    @property
    def stalls(self) -> pandas.DataFrame:
        """DataFrame of int: warp-cycles by state, a column per reason of heddle.stall_reasons(). A resident warp is in
        exactly one state in every cycle; "selected" is no stall."""
        names = [s[0] for s in native.stall_reasons()]
        return pandas().DataFrame(self._records.stalls(), index=self._index(), columns=names)

    @property
    def stall_shares(self) -> pandas.DataFrame:
        """DataFrame of float: the same in per cent of the warps' time; rows add up to 100."""
        counts = self.stalls
        return counts.mul(100.0).div(counts.sum(axis=1), axis=0)

    @property
    def peak_shares(self) -> pandas.DataFrame:
        """DataFrame of float: how busy each unit was, in per cent of its peak over all cycles of the launch, as in Nsight
        Compute's "speed of light"; a column per unit (issue slots, FMA, L2, DRAM, ...), NaN where a unit is missing. Without columns, and with
        a HeddleWarning, where the run's configuration is not in the file."""
        roofs = self._records.roofs()
        if roofs and not any(roofs):
            warnings.warn("no shares of a peak: the run has no configuration that this version reads", HeddleWarning, stacklevel=2)
        return pandas().DataFrame(roofs, index=self._index(), dtype=float)

    def _profile(self, columns, keys):
        index = pandas().MultiIndex.from_arrays([columns[k] for k in keys], names=keys)
        if not len(index):
            raise ResultsError("no profile was collected: heddle.run(..., profile=True), or heddle run --profile")
        return pandas().DataFrame({k: v for k, v in columns.items() if k not in keys}, index=index)

    @property
    def instructions(self) -> pandas.DataFrame:
        """DataFrame, a row per static instruction of the launches that were profiled, index (trace, launch, pc); pc is the
        byte offset in the kernel.

        Columns: opcode; sass (its line); source_file, source_line (empty and 0 where the trace has none); executed (by warps); threads (with a true predicate); flop, flop_kind (floating-point
        operations as in Nsight Compute's rooflines: fp64, fp32, fp16, tensor); requests, sectors, sector_hits (of global
        and local memory, at the L1); shared_wavefronts, shared_conflicts (of shared memory). Sums are the counters.

        Raises:
            ResultsError: there is no profile.
        """
        return self._profile(self._records.instructions(), ["trace", "launch", "pc"])

    @property
    def instruction_stalls(self) -> pandas.DataFrame:
        """DataFrame of int with the rows of `instructions`: warp-cycles that warps waited to issue the instruction, a column
        per reason of heddle.stall_reasons(). Sums over a launch are those of `stalls`.

        Raises:
            ResultsError: there is no profile.
        """
        index = self.instructions.index
        names = [s[0] for s in native.stall_reasons()]
        return pandas().DataFrame(self._records.instruction_stalls(), index=index, columns=names)

    @property
    def series(self) -> pandas.DataFrame:
        """DataFrame of int, index (trace, launch, cycle): by how much counters grew until that core cycle since the row
        before. A column per counter, under the names and in the units of heddle.metrics(); sums are the counters.

        Raises:
            ResultsError: there is no profile.
        """
        return self._profile(self._records.series(), ["trace", "launch", "cycle"])

    @property
    def unknown_opcodes(self) -> List[Dict[str, int]]:
        """Per launch: opcodes classified by prefix only, with their executed warp instructions."""
        return self._records.unknown_opcodes()

    def select(self, trace: str) -> "Results":
        """The launches of one trace.

        Args:
            trace: its name, as in the index of the frames.

        Returns:
            Results.

        Raises:
            ResultsError: there are none; names those there are.
        """
        names = self._records.launches()["trace"]
        found = [i for i, n in enumerate(names) if n == trace]
        if not found:
            raise ResultsError(f"no launches of {trace!r}; there are: {', '.join(dict.fromkeys(names))}")
        return Results(self._records.select(found))

    def report(self) -> str:
        """What `heddle run` prints.

        Returns:
            str of several lines: everything about one launch, a table of several.
        """
        return self._records.report()

    def save(self, file: Union[str, os.PathLike], exists: str = "error") -> None:
        """Stores the launches as `heddle run --out` does, with their profiles; spans of --timeline stay where they are.

        Args:
            file: an SQLite file; the tables are described in analysis/README.md.
            exists: what to do with a file that is there: "error", "append" (another run) or "replace".

        Raises:
            ResultsError: the file exists, is no result database, or cannot be written.
        """
        self._records.save(os.fspath(file), check_exists(exists))


def check_exists(exists: str) -> str:
    """`exists` if it is legal."""
    if exists not in ("error", "append", "replace"):
        raise ResultsError(f"exists={exists!r}; legal values: error, append, replace")
    return exists


def open(file: Union[str, os.PathLike], run: int = 0) -> Results:
    """Results of a database that `heddle run --out`, heddle.run(out=...) or Results.save() wrote.

    Args:
        file: the SQLite file.
        run: number of the run in it; 0 is the last one.

    Returns:
        Results.

    Raises:
        ResultsError: no such file or run, or not a result database of this version.
    """
    return Results(native.read(os.fspath(file), integer("run", run, 0, 2**63 - 1)))


def runs(file: Union[str, os.PathLike]) -> pandas.DataFrame:
    """The runs of a database.

    Args:
        file: the SQLite file.

    Returns:
        DataFrame, a row per run and the index `run`: gpu, product, config_hash, config_text (of the later points of a sweep, as
        it is stored: what changes in the lines of an earlier run's; open(file, run).info has all of it), fidelity, overrides,
        seed, revision, launches_planned.

    Raises:
        ResultsError: as open().
    """
    columns = ["run", "gpu", "product", "config_hash", "config_text", "fidelity", "overrides", "seed", "revision",
               "launches_planned"]
    return pandas().DataFrame(native.read_runs(os.fspath(file)), columns=columns).set_index("run")


def metrics(text: str = "") -> pandas.DataFrame:
    """The catalogue of metrics.

    Args:
        text: only those with this in their name or meaning; case does not matter.

    Returns:
        DataFrame with the index `name` and the columns unit and meaning.
    """
    found = [m for m in native.catalogue() if text.lower() in (m[0] + " " + m[2]).lower()]
    return pandas().DataFrame(found, columns=["name", "unit", "meaning"]).set_index("name")


def peaks(gpu: Union[str, Config] = "h200", *, set: Sequence[str] = ()) -> Dict[str, float]:
    """What a GPU could do at its core clock, the roofs of a roofline.

    Args:
        gpu: a name, the path of a configuration file, or a Config.
        set: overrides "path=value".

    Returns:
        dict: fp64, fp32, fp16, tensor (dense products of 16-bit elements) in operations per second, a fused multiply-add
        counting as two; l1, l2, dram in bytes per second. 0 for a unit that is missing.

    Raises:
        ConfigError: the configuration is wrong.
    """
    return native.peaks(as_config(gpu, None, set)._draft)


def stall_reasons() -> Dict[str, str]:
    """The states of a warp, under Nsight Compute's names.

    Returns:
        dict from name to meaning.
    """
    return dict(native.stall_reasons())
