"""Simulated and measured metrics side by side."""
from __future__ import annotations

import csv
import dataclasses
import math
import os
import re
from typing import Dict, Iterable, List, Optional, Tuple, Union

from heddle._native import native, pandas
from heddle.errors import ResultsError
from heddle.results import Results

# Nsight Compute scales what it prints; to the units of heddle.metrics().
_PREFIX = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_SECONDS = {"s": 1.0, "second": 1.0, "ms": 1e-3, "msecond": 1e-3, "us": 1e-6, "usecond": 1e-6, "ns": 1e-9,
            "nsecond": 1e-9}


@dataclasses.dataclass(frozen=True)
class _Measured:
    name: str  # of the trace, or of the kernel
    key: tuple
    values: Dict[str, Tuple[float, str]]  # metric -> value, unit


def compare(results: Results, measured: Union[str, os.PathLike], metrics: Optional[Iterable[str]] = None) -> pandas.DataFrame:
    """Puts simulated metrics beside measured ones, by kernel and Nsight name.

    Args:
        results: of heddle.run() or heddle.open().
        measured: a CSV file: what `ncu --csv` prints (`--page raw`, or the long form of other pages), or a table like
            traces/h200/suite.csv, as `heddle validate --reference` takes it.
        metrics: only these; all that both sides have if not given.

    Returns:
        DataFrame, a row per launch and metric: trace, launch, kernel, metric, unit, simulated, measured, error. `error` is
        (simulated - measured) / measured, a fraction; 0 when both are 0, NaN when only `measured` is. Values are in the
        unit of heddle.metrics(); "cycles" and "sm_active_cycles" are a suite's medians.

    Launches match a suite's rows by trace and launch number, and the kernels of `ncu` by name without arguments, grid and
    block, in their order.

    Raises:
        ResultsError: the file cannot be read, no launch of `results` is in it, or a metric of `metrics` is not on both sides.
    """
    file = os.fspath(measured)
    rows = _ncu_rows(file)
    simulated = _simulated(results)
    pairs = _by_trace(simulated, file) if rows is None else _by_kernel(simulated, rows)
    if not pairs:
        there = [m.name for m in rows] if rows is not None else [r[0] for r in native.reference(file)]
        raise ResultsError(f"{file}: none of the simulated kernels ({_some(s['label'] for s in simulated)}) is in it; "
                           f"there are: {_some(there)}")
    wanted = list(metrics) if metrics is not None else None
    units = {**{m[0]: m[1] for m in native.catalogue()}, "cycles": "cycle", "sm_active_cycles": "cycle"}
    out = []
    for s, m in pairs:
        for name, (value, unit) in m.items():
            if name in s["values"] and (wanted is None or name in wanted):
                value = _in_unit(value, unit, units[name], file, name)
                out.append((s["trace"], s["launch"], s["kernel"], name, units[name], s["values"][name], value,
                            _error(s["values"][name], value)))
    for name in wanted or ():
        if all(row[3] != name for row in out):
            raise ResultsError(f"{file}: no values of metric {name!r} on both sides")
    columns = ["trace", "launch", "kernel", "metric", "unit", "simulated", "measured", "error"]
    return pandas().DataFrame(out, columns=columns)


def read_ncu(file: Union[str, os.PathLike]) -> pandas.DataFrame:
    """Kernels of a CSV file that `ncu --csv` printed, raw page or long form.

    Args:
        file: its path; lines before the table (==PROF== ...) are passed over.

    Returns:
        DataFrame, a row per launch and metric: launch (from 1), kernel, grid, block, metric, value, unit (as printed).

    Raises:
        ResultsError: the file cannot be read or has no such table.
    """
    rows = _ncu_rows(os.fspath(file))
    if rows is None:
        raise ResultsError(f'{os.fspath(file)}: not what ncu --csv prints: no column "Kernel Name"')
    out = [(i, r.name, r.key[1], r.key[2], metric, value, unit)
           for i, r in enumerate(rows, 1) for metric, (value, unit) in r.values.items()]
    return pandas().DataFrame(out, columns=["launch", "kernel", "grid", "block", "metric", "value", "unit"])


def _some(names: Iterable[str]) -> str:
    names = list(dict.fromkeys(names))
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _error(simulated: float, measured: float) -> float:
    if measured == 0:
        return 0.0 if simulated == 0 else math.nan
    return (simulated - measured) / measured


def _simulated(results: Results) -> List[dict]:
    launches = results._records.launches()
    counters = results._records.counters()
    names = [m[0] for m in native.catalogue()]
    out = []
    for i in range(len(results)):
        values = {n: float(v) for n, v in zip(names, counters[i]) if not math.isnan(v)}
        values["cycles"] = float(launches["cycles"][i])
        values["sm_active_cycles"] = float(launches["sm_active_cycles"][i])
        s = {k: launches[k][i] for k in ("trace", "launch", "kernel", "grid", "block")}
        out.append({**s, "values": values, "label": f"{s['trace']}/{s['launch']}"})
    return out


def _by_trace(simulated: List[dict], file: str) -> List[tuple]:
    table = {(name, launch): values for name, launch, values in native.reference(file)}
    return [(s, {k: (v, "") for k, v in table[s["trace"], s["launch"]].items()})
            for s in simulated if (s["trace"], s["launch"]) in table]


def _by_kernel(simulated: List[dict], rows: List[_Measured]) -> List[tuple]:
    left: Dict[tuple, List[_Measured]] = {}
    for r in rows:
        left.setdefault(r.key, []).append(r)
    pairs = []
    for s in simulated:
        same = left.get((_base(s["kernel"]), tuple(s["grid"]), tuple(s["block"])))
        if same:
            pairs.append((s, same.pop(0).values))
    return pairs


def _base(kernel: str) -> str:
    """The name alone: no return type, namespace, template arguments and parameters."""
    text = kernel.replace("(anonymous namespace)::", "")
    text = re.split(r"[<(]", text, 1)[0].strip()
    return text.split(" ")[-1].split("::")[-1]


def _number(text: str) -> Optional[float]:
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _dimensions(text: str, file: str) -> tuple:
    found = tuple(int(n) for n in re.findall(r"\d+", text))
    if len(found) != 3:
        raise ResultsError(f"{file}: {text!r} is not a grid or block size")
    return found


def _in_unit(value: float, unit: str, wanted: str, file: str, metric: str) -> float:
    """`value` of a printed unit in the catalogue's."""
    if unit in ("", wanted):
        return value
    if wanted == "ns":
        if unit in _SECONDS:
            return value * _SECONDS[unit] * 1e9
    elif wanted == "byte" and unit.lower().endswith("byte") and unit[:-4].lower() in _PREFIX:
        return value * _PREFIX[unit[:-4].lower()]
    elif "byte" not in unit and unit not in _SECONDS:
        return value  # names of what is counted: inst, block, warp
    raise ResultsError(f"{file}: {metric} is in {unit}; expected {wanted}. Print it with ncu --print-units base")


def _ncu_rows(file: str) -> Optional[List[_Measured]]:
    """The kernels of a CSV that ncu printed; None for other tables."""
    try:
        with open(file, newline="", encoding="utf-8-sig") as f:
            records = [r for r in csv.reader(f) if r]
    except (OSError, UnicodeDecodeError, csv.Error) as e:
        raise ResultsError(f"{file}: {getattr(e, 'strerror', None) or e}") from None
    start = next((i for i, r in enumerate(records) if "Kernel Name" in r), None)
    if start is None:
        return None
    header, body = records[start], records[start + 1:]
    for column in ("Grid Size", "Block Size"):
        if column not in header:
            raise ResultsError(f"{file}: no column {column!r}; run ncu with --csv --page raw")
    for r in body:
        if len(r) != len(header):
            raise ResultsError(f"{file}: a row of {len(r)} fields where the header has {len(header)}")
    at = {name: i for i, name in enumerate(header)}

    def kernel(r):
        return (_base(r[at["Kernel Name"]]), _dimensions(r[at["Grid Size"]], file),
                _dimensions(r[at["Block Size"]], file))

    if "Metric Name" in at and "Metric Value" in at:
        found: Dict[str, _Measured] = {}
        for r in body:
            m = found.setdefault(r[at["ID"]] if "ID" in at else str(kernel(r)),
                                 _Measured(r[at["Kernel Name"]], kernel(r), {}))
            value = _number(r[at["Metric Value"]])
            if value is not None:
                m.values[r[at["Metric Name"]]] = (value, r[at["Metric Unit"]] if "Metric Unit" in at else "")
        return list(found.values())
    units = body.pop(0) if body and not body[0][at["Kernel Name"]] else [""] * len(header)
    out = []
    for r in body:
        values = {}
        for name, i in at.items():
            value = _number(r[i]) if "__" in name else None
            if value is not None:
                values[name] = (value, units[i])
        out.append(_Measured(r[at["Kernel Name"]], kernel(r), values))
    return out
