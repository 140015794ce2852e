"""Traces and their launches."""
from __future__ import annotations

import dataclasses
import functools
import html
import os
import warnings
from collections import abc
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from heddle._checks import blocks_of_cluster
from heddle._native import native
from heddle.errors import HeddleWarning, TraceError


@dataclasses.dataclass(frozen=True)
class Instruction:
    """A static instruction.

    Attributes:
        pc: byte offset in the kernel.
        opcode: with modifiers, "LDG.E.128".
        text: its SASS line; empty where the trace has none.
    """
    pc: int
    opcode: str
    text: str


class Launch:
    """One kernel launch of a trace. The file is opened when a property of the kernel is first asked for.

    Raises:
        TraceError: from any property of the kernel, when the trace is damaged; names the file and the place.
    """

    def __init__(self, planned):
        self._planned = planned

    @property
    def trace(self) -> str:
        """Name of the capture: its directory's; unique together with `number`."""
        return self._planned.trace

    @property
    def number(self) -> int:
        """Position in the capture, from 1."""
        return self._planned.number

    @property
    def path(self) -> str:
        """The trace file, as it was given or found."""
        return self._planned.path

    @functools.cached_property
    def _info(self) -> Dict[str, Any]:
        return native.info(self._planned)

    @property
    def kernel(self) -> str:
        """Name of the kernel, readable."""
        return self._info["kernel"]

    @property
    def mangled(self) -> str:
        """Name of the kernel as in the trace."""
        return self._info["mangled"]

    @property
    def compute_capability(self) -> int:
        """90 for 9.0; 0 where it is unknown."""
        return self._info["compute_capability"]

    @property
    def grid(self) -> Tuple[int, int, int]:
        """Blocks in x, y, z."""
        return self._info["grid"]

    @property
    def block(self) -> Tuple[int, int, int]:
        """Threads of a block in x, y, z."""
        return self._info["block"]

    @property
    def cluster(self) -> Tuple[int, int, int]:
        """Blocks of a cluster in x, y, z."""
        return self._info["cluster"]

    @property
    def registers(self) -> int:
        """Registers per thread, as the compiler reports them."""
        return self._info["registers"]

    @property
    def static_shared(self) -> int:
        """Static shared memory of a block, bytes."""
        return self._info["static_shared"]

    @property
    def dynamic_shared(self) -> int:
        """Dynamic shared memory of a block, bytes."""
        return self._info["dynamic_shared"]

    @property
    def control_bits(self) -> bool:
        """Whether the trace has the compiler's control bits; without, dependences are found by a scoreboard."""
        return self._info["control_bits"]

    @property
    def unknown_opcodes(self) -> Dict[str, int]:
        """Opcodes classified by prefix only, with their occurrences in the code."""
        return dict(self._info["unknown_opcodes"])

    @functools.cached_property
    def code(self) -> List[Instruction]:
        """The static instructions, by address."""
        return [Instruction(*i) for i in self._info["code"]]

    @functools.cached_property
    def opcodes(self) -> Dict[str, int]:
        """Executed warp instructions by opcode, the most frequent first. Reads the whole trace once."""
        counts = native.opcodes(self._planned)
        return dict(sorted(counts.items(), key=lambda c: (-c[1], c[0])))

    def with_cluster(self, x: int, y: int = 1, z: int = 1) -> "Launch":
        """The launch with another cluster size, for kernels whose compiled-in one a trace lacks.

        Args:
            x, y, z: blocks of a cluster; the grid must be a multiple.

        Returns:
            A new Launch.
        """
        return Launch(self._planned.with_cluster(blocks_of_cluster((x, y, z))))

    def __reduce__(self):
        return Launch, (self._planned,)

    def __repr__(self) -> str:
        return f"<heddle.Launch {self.trace}/{self.number} of {self.path}>"


class Trace(abc.Sequence):
    """The launches behind a path, in order: len(), indexing, iteration. Not simulated and mostly not even opened."""

    def __init__(self, launches: Sequence[Launch]):
        self._launches = list(launches)

    def __len__(self) -> int:
        return len(self._launches)

    def __getitem__(self, at: Any) -> Any:
        return Trace(self._launches[at]) if isinstance(at, slice) else self._launches[at]

    def __iter__(self) -> Iterator[Launch]:
        return iter(self._launches)

    def __repr__(self) -> str:
        names = ", ".join(f"{x.trace}/{x.number}" for x in self._launches[:4])
        return f"<heddle.Trace of {len(self)} launches: {names}{', ...' if len(self) > 4 else ''}>"

    def _repr_html_(self) -> str:
        most = 30
        rows = "".join(f"<tr><td>{html.escape(f'{x.trace}/{x.number}')}</td><td>{html.escape(x.path)}</td></tr>"
                       for x in self._launches[:most])
        more = f"<p>and {len(self) - most} more</p>" if len(self) > most else ""
        return f"<table><tr><th>launch</th><th>file</th></tr>{rows}</table>{more}"


Traces = Union[str, os.PathLike, Trace, Launch, Sequence[Any]]


def load(*paths: Union[str, os.PathLike], strict: bool = False) -> Trace:
    """Finds the launches behind paths.

    Args:
        paths: directories with a kernelslist.g, such lists, .traceg[.zst|.xz|.gz], .heddle, folders of .heddle files, or
            directories of such directories.
        strict: lines of a list that mean nothing are errors instead of warnings.

    Returns:
        A Trace.

    Raises:
        TraceError: a path holds no launch, or a file is named twice.
    """
    def warn(message):
        warnings.warn(message, HeddleWarning, stacklevel=3)
    return Trace([Launch(p) for p in native.plan([os.fspath(p) for p in paths], strict, warn)])


def launches_of(traces: Traces, strict: bool = False, cluster: Optional[Sequence[int]] = None) -> List[Launch]:
    """The launches of whatever functions take as traces, with clusters of that size where it is given."""
    items = [traces] if isinstance(traces, (str, os.PathLike, Trace, Launch)) else list(traces)
    paths = [i for i in items if isinstance(i, (str, os.PathLike))]
    if len(paths) == len(items):
        found = list(load(*paths, strict=strict)) if paths else []
    else:
        found = []
        for i in items:
            found += [i] if isinstance(i, Launch) else list(i if isinstance(i, Trace) else load(i, strict=strict))
    if not found:
        raise TraceError("no launches given")
    names = [(x.trace, x.number) for x in found]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise TraceError(f"{twice[0]}/{twice[1]}: given twice; paths given together to heddle.load() get different names")
    if cluster is None:
        return found
    return [x.with_cluster(*blocks_of_cluster(cluster)) for x in found]


def one_launch(trace: Traces, cluster: Optional[Sequence[int]] = None) -> Launch:
    """The only launch."""
    found = launches_of(trace, cluster=cluster)
    if len(found) != 1:
        raise TraceError(f"one launch is needed, and there are {len(found)}: take one, as in heddle.load(path)[0]")
    return found[0]
