"""Bank conflicts and sectors, of whole traces and of single accesses, without a simulation."""
from __future__ import annotations

import operator
from typing import Any, Dict, Sequence, Tuple

from heddle._checks import integer
from heddle._native import native, pandas
from heddle.errors import Error
from heddle.trace import Traces, one_launch

_ALL = 0xffffffff


def _lanes(addresses: Sequence[int], width: int, mask: int, widths: Sequence[int]) -> Tuple[list, int]:
    try:
        values = [operator.index(a) for a in addresses]
    except TypeError:
        raise Error("addresses: whole numbers, one for each lane") from None
    if len(values) != 32:
        raise Error(f"addresses: {len(values)} values; a warp has 32 lanes")
    if any(a < 0 or a >= 2**63 for a in values):
        raise Error("addresses: legal values: 0 to 2**63 - 1")
    width, mask = integer("width", width, 1), integer("mask", mask, 0)
    if width not in widths:
        raise Error(f"width={width}; legal values: {', '.join(map(str, widths))} bytes")
    if not 0 < mask <= _ALL:
        raise Error(f"mask={mask}: legal values: 1 to 0xffffffff, a bit per lane")
    return values, mask


def bank_conflicts(addresses: Sequence[int], width: int = 4, kind: str = "load", mask: int = _ALL) -> Dict[str, int]:
    """What one warp's access to shared memory costs: an exact function of its addresses.

    Args:
        addresses: 32 byte addresses, of lane 0 to 31; a list or a numpy array.
        width: bytes per lane: 1, 2, 4, 8 or 16.
        kind: "load", "store", "atomic" (lanes that meet in a word are served one after the other), or "matrix" (LDSM and STSM:
            lanes 8m to 8m+7 give the rows of matrix m; `width` 4, 8 or 16 for 1, 2 or 4 matrices).
        mask: the active lanes, lane 0 in the lowest bit.

    Returns:
        {"wavefronts": passes over the 32 banks of 4 bytes, "conflicts": those beyond a conflict-free access}. Summed over a
        kernel they are l1tex__data_pipe_lsu_wavefronts_mem_shared_op_*.sum and l1tex__data_bank_conflicts_*.sum; equal to
        an H200's for all kernels of traces/h200 that do not race.

    Raises:
        Error: an argument is out of range.
    """
    if kind not in ("load", "store", "atomic", "matrix"):
        raise Error(f"kind={kind!r}; legal values: load, store, atomic, matrix")
    values, mask = _lanes(addresses, width, mask, (4, 8, 16) if kind == "matrix" else (1, 2, 4, 8, 16))
    wavefronts, conflicts = native.bank_conflicts(values, mask, width, kind)
    return {"wavefronts": wavefronts, "conflicts": conflicts}


def sectors(addresses: Sequence[int], width: int = 4, mask: int = _ALL) -> Dict[str, int]:
    """What one warp's access to global memory touches.

    Args:
        addresses: 32 byte addresses, of lane 0 to 31; a list or a numpy array.
        width: bytes per lane: 1, 2, 4, 8 or 16.
        mask: the active lanes, lane 0 in the lowest bit.

    Returns:
        {"lines": lines of 128 bytes, "sectors": sectors of 32 bytes, "bytes": different bytes}.

    Raises:
        Error: an argument is out of range.
    """
    values, mask = _lanes(addresses, width, mask, (1, 2, 4, 8, 16))
    lines, found, touched = native.sectors(values, mask, width)
    return {"lines": lines, "sectors": found, "bytes": touched}


def _frame(rows: Sequence[Dict[str, Any]], total: str, ideal: str, excess: str, extra: Sequence[str]):
    columns = ["pc", "opcode", "source", "width", "requests", "total", "ideal", "excess", "worst", "worst_mask",
               "worst_addresses", "picture", *extra]
    frame = pandas().DataFrame([[r[c] for c in columns] for r in rows], columns=columns)
    return frame.rename(columns={"total": total, "ideal": ideal, "excess": excess}).set_index("pc")


def banks(trace: Traces) -> pandas.DataFrame:
    """Bank conflicts of shared memory by instruction, from a trace alone.

    Args:
        trace: one launch: a Launch, or a path or Trace with one.

    Returns:
        DataFrame, the most conflicts first, with the index `pc` (byte offset) and the columns opcode, source ("file.cu:12" where the trace has it), width (bytes per lane),
        requests (warp accesses), wavefronts, ideal (wavefronts without conflicts), conflicts, worst (wavefronts of the
        worst access), worst_mask, worst_addresses (its 32 lanes), picture (lane by bank, as text), row_bytes (a row: the distance
        at which lanes meet in a bank), padding (bytes behind each row that leave the worst access without conflicts, <NA>: none
        needed or found), padded_conflicts (of all accesses to the same rows with it, over the whole trace), swizzle (the
        same by an exchange of words within rows: "c ^ r % 32" is where word c of row r is kept; wider accesses exchange groups
        of their width), swizzled_conflicts. The sums of conflicts are the
        counters of a run.

    Raises:
        TraceError: the trace cannot be read.
    """
    rows = native.profile(one_launch(trace)._planned, True)
    frame = _frame(rows, "wavefronts", "ideal", "conflicts", ["row_bytes", "padding", "padded_conflicts", "swizzle", "swizzled_conflicts"])
    return frame.astype({c: "Int64" for c in ("row_bytes", "padding", "padded_conflicts", "swizzled_conflicts")})


def coalesce(trace: Traces) -> pandas.DataFrame:
    """Sectors of global memory by instruction, from a trace alone.

    Args:
        trace: one launch: a Launch, or a path or Trace with one.

    Returns:
        DataFrame, the most beyond the ideal first, with the index `pc` (byte offset) and the columns opcode, source ("file.cu:12" where the trace has it), width (bytes per
        lane), requests (warp accesses), sectors (of 32 bytes), ideal (if the bytes touched lay side by side), excess, worst
        (sectors of the worst access), worst_mask, worst_addresses (its 32 lanes), picture (line by sector, as text).

    Raises:
        TraceError: the trace cannot be read.
    """
    rows = native.profile(one_launch(trace)._planned, False)
    return _frame(rows, "sectors", "ideal", "excess", [])
