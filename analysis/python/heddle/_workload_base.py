"""What all calls of a Workload are made with: names, handles, protobuf text."""
from __future__ import annotations

import contextlib
import dataclasses
import math
import operator
import os
import re
import sys
from typing import Any, ContextManager, Dict, List, Optional, Sequence, Tuple, Union

from heddle.errors import Error

Dim = Union[int, Sequence[int]]


@dataclasses.dataclass(frozen=True)
class Handle:
    """A stream, event, buffer, kernel, graph or the like of one Workload.

    Attributes:
        kind: "stream", "event", "buffer", "kernel", "flag", "pool", "physical" (memory of cuMemCreate), "graph", "graph_exec",
            "handle" (of a conditional node) or "node".
        name: in the workload's text, on the timeline and in messages. Of a node without a name, its number in the graph.
        graph: of a node, its graph's name.
    """
    kind: str
    name: str
    graph: str = ""


@dataclasses.dataclass(frozen=True)
class Access:
    """What a kernel, a launch or the host does to a buffer; Workload.access makes it.

    Attributes:
        text: in the syntax of workload files.
    """
    text: str


@dataclasses.dataclass(frozen=True)
class AccessPolicyWindow:
    """Which lines of a buffer the L2 keeps; Workload.access_policy_window makes it.

    Attributes:
        text: in the syntax of workload files.
    """
    text: str


@dataclasses.dataclass(frozen=True)
class MemSyncDomain:
    """A memory synchronisation domain; Workload.mem_sync_domain makes it.

    Attributes:
        text: in the syntax of workload files.
    """
    text: str


class Word(str):
    """A value of an enumeration: no quotes in the text."""


class Lines(str):
    """Text of a workload; `places`: of each of its lines, the line of Python that has caused it."""
    places: List[str]

    @staticmethod
    def at(text: str, places: Optional[List[str]] = None) -> Lines:
        """`places` None: all of it the caller's of this package."""
        out = Lines(text)
        out.places = places if places is not None else [caller()] * (text.count("\n") + 1)
        return out


_HERE = (os.path.dirname(os.path.abspath(__file__)), os.path.dirname(contextlib.__file__) + "/contextlib.py")


def caller() -> str:
    """FILE:LINE of the innermost frame that is not of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


# Fields that are signed, and those that are no whole numbers besides times.
_SIGNED = ("priority",)
_FRACTIONS = ("hit_ratio",)


def value_of(name: str, value):
    """A field's value as a plain bool, int, float or str: numpy's numbers are none of these.

    Raises:
        Error: no number, or out of range, with the name.
    """
    if isinstance(value, (bool, str)):
        return value
    if type(value).__name__ in ("bool_", "bool8"):  # numpy's
        return bool(value)
    time = name == "us" or name.endswith("_us")
    try:
        number = operator.index(value)
    except TypeError:
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise Error(f"{name}={value!r}: a number") from None
        if not time and name not in _FRACTIONS:
            raise Error(f"{name}={value!r}: a whole number") from None
    if time and not 0 <= number <= 1e9:
        raise Error(f"{name}={value!r}: microseconds, legal: 0 to 1e9")
    if name in _FRACTIONS and not math.isfinite(number):
        raise Error(f"{name}={value!r}: a number")
    if not time and name not in _SIGNED + _FRACTIONS and not 0 <= number < 1 << 64:
        raise Error(f"{name}={value!r}: out of range; legal: 0 to 2**64 - 1")
    return number


def text_of(value) -> str:
    """A value in protobuf text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Word):
        return str(value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return repr(value)


def dim(value: Dim) -> str:
    """The message Dim."""
    try:
        parts = [operator.index(p) for p in (value if hasattr(value, "__len__") else [value])]
    except TypeError:
        parts = []
    if not 1 <= len(parts) <= 3 or any(not 0 <= p < 1 << 32 for p in parts):
        raise Error(f"{value!r}: a grid, block or cluster is one to three whole numbers below 2**32")
    return "{ " + " ".join(f"{axis}: {p}" for axis, p in zip("xyz", parts)) + " }"


def fields(**values) -> str:
    """`name: value`, those that are not None; names of handles for handles; a field for each value of a list."""
    out = []
    for name, given in values.items():
        for v in given if isinstance(given, (list, tuple)) else [given]:
            if v is not None:
                out.append(f"{name}: {text_of(v.name if isinstance(v, Handle) else value_of(name, v))}")
    return " ".join(out)


def word(name: str, value: str, legal: Sequence[str]) -> Word:
    """A value of an enumeration, by its name in lower case."""
    if value not in legal:
        raise Error(f"{name}={value!r}; legal values: {', '.join(legal)}")
    return Word(value.upper())


def message(name: str, text: str) -> str:
    return f"{name} {{ {text} }}" if text else f"{name} {{ }}"


class Base:
    """The text of a workload while it grows."""

    def __init__(self):
        # What exists, in the order it was made: (kind, name) to its fields' texts.
        self._objects: Dict[Tuple[str, str], List[str]] = {}
        self._handles: Dict[Tuple[str, str], Handle] = {}
        self._places: Dict[Tuple[str, str], str] = {}  # of objects and threads: the lines of Python that made them
        self._counts: Dict[str, int] = {}
        self._threads: Dict[str, List[Lines]] = {"main": []}
        self._thread = "main"
        self._expected: Optional[str] = None

    # ---- what exists

    def _new(self, kind: str, name: str, *texts: str) -> Handle:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        name = name or f"{kind}{self._counts[kind]}"
        if (kind, name) in self._objects:
            raise Error(f'{kind} "{name}" is given twice')
        self._objects[kind, name] = [t for t in texts if t]
        self._places[kind, name] = caller()
        handle = self._handles[kind, name] = self._handle(kind, name)
        return handle

    def _growing(self, kind: str, name: str) -> List[str]:
        """The texts of what exists, to say more of it."""
        return self._objects[kind, name]

    def _handle(self, kind: str, name: str) -> Handle:
        return Handle(kind, name)

    def _is(self, kind: str, value, none_ok: bool = False):
        if none_ok and value is None:
            return None
        if not isinstance(value, Handle) or self._handles.get((kind, value.name)) is not value:
            raise Error(f"{value!r} is no {kind} of this workload")
        return value

    def _object_lines(self) -> List[Lines]:
        return [self._object_text(*key) for key in self._objects]

    def _object_text(self, kind: str, name: str) -> Lines:
        texts, places = self._objects[kind, name], []
        if kind in ("flag", "graph_exec"):
            text = f"{kind}: {text_of(name)}"
        elif kind == "graph":
            first = [t for t in texts if not t.startswith("node ")]
            nodes = [t for t in texts if t.startswith("node ")]
            text = "\n".join([" ".join([f"graph {{ name: {text_of(name)}", *first]), *("  " + t for t in nodes)]) + " }"
            places = [t.places[0] for t in nodes]
        else:
            text = " ".join([f"{kind} {{ name: {text_of(name)}", *texts]) + " }"
        return Lines.at(text, [self._places[kind, name], *places])

    # ---- calls

    @contextlib.contextmanager
    def repeat(self, times: int) -> ContextManager[Workload]:
        """`with w.repeat(10):` the calls inside are made ten times.

        Args:
            times: how often.

        Returns:
            The workload.
        """
        if self._live_call("", None):
            raise Error("repeat: a generator function has loops of its own")
        times, place = value_of("times", times), caller()
        calls = self._threads[self._thread]
        self._threads[self._thread] = []
        try:
            yield self
        finally:
            body = self._threads[self._thread]
            self._threads[self._thread] = calls
        self._threads[self._thread].append(Lines.at(
            "\n".join([f"call {{ repeat {{ times: {times}", *body, "} }"]),
            [place, *(p for line in body for p in line.places), place]))

    @contextlib.contextmanager
    def expect(self, error: str) -> ContextManager[Workload]:
        """`with w.expect("cudaErrorInvalidValue"):` each call inside must return that: see HostResults.unexpected.

        Args:
            error: CUDA's name of the error.

        Returns:
            The workload.
        """
        if not re.fullmatch(r"cuda[A-Z]\w+|CUDA_ERROR_\w+", error):
            raise Error(f"expect({error!r}): a name such as cudaErrorInvalidValue or CUDA_ERROR_INVALID_VALUE")
        before, self._expected = self._expected, error
        try:
            yield self
        finally:
            self._expected = before

    def call(self, text: str, expect: Optional[str] = None) -> None:
        """A call in the syntax of workload files, for what has no method here.

        Args:
            text: such as 'stream_synchronize: "s"'.
            expect: CUDA's name of the error that it must return: see HostResults.unexpected.
        """
        expect = expect or self._expected
        if self._live_call(text, expect):
            return
        self._threads[self._thread].append(
            Lines.at(f"call {{ {text}{' ' + fields(expect=expect) if expect else ''} }}"))

    def _live_call(self, text: str, expect: Optional[str]) -> bool:
        """Whether a thread that decides makes the call."""
        return False

    def _call(self, name: str, **values: Any) -> None:
        """A call whose argument is a message."""
        self.call(message(name, fields(**values)))


__all__ = ["Access", "AccessPolicyWindow", "Base", "Dim", "Handle", "Lines", "MemSyncDomain", "Word", "caller", "dim", "fields", "message",
           "text_of", "word"]
