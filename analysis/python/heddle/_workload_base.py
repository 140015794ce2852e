"""What all calls of a Workload are made with: names, handles, protobuf text."""
from __future__ import annotations

import contextlib
import dataclasses
import re
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
    parts = [value] if isinstance(value, int) else list(value)
    if not 1 <= len(parts) <= 3 or any(not isinstance(p, int) or p < 0 for p in parts):
        raise Error(f"{value!r}: a grid, block or cluster is one to three whole numbers")
    return "{ " + " ".join(f"{axis}: {p}" for axis, p in zip("xyz", parts)) + " }"


def fields(**values) -> str:
    """`name: value`, those that are not None; names of handles for handles; a field for each value of a list."""
    out = []
    for name, given in values.items():
        for v in given if isinstance(given, (list, tuple)) else [given]:
            if v is not None:
                out.append(f"{name}: {text_of(v.name if isinstance(v, Handle) else v)}")
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
        self._threads: Dict[str, List[str]] = {"main": []}
        self._thread = "main"
        self._expected: Optional[str] = None

    # ---- what exists

    def _new(self, kind: str, name: str, *texts: str) -> Handle:
        name = name or f"{kind}{sum(k == kind for k, _ in self._objects) + 1}"
        if (kind, name) in self._objects:
            raise Error(f'{kind} "{name}" is given twice')
        self._objects[kind, name] = [t for t in texts if t]
        handle = self._handles[kind, name] = Handle(kind, name)
        return handle

    def _is(self, kind: str, value, none_ok: bool = False):
        if none_ok and value is None:
            return None
        if not isinstance(value, Handle) or self._handles.get((kind, value.name)) is not value:
            raise Error(f"{value!r} is no {kind} of this workload")
        return value

    def _object_lines(self) -> List[str]:
        out = []
        for (kind, name), texts in self._objects.items():
            if kind in ("flag", "graph_exec"):
                out.append(f"{kind}: {text_of(name)}")
            elif kind == "graph":
                first = [t for t in texts if not t.startswith("node ")]
                nodes = ["  " + t for t in texts if t.startswith("node ")]
                out.append("\n".join([" ".join([f"graph {{ name: {text_of(name)}", *first]), *nodes]) + " }")
            else:
                out.append(" ".join([f"{kind} {{ name: {text_of(name)}", *texts]) + " }")
        return out

    # ---- calls

    @contextlib.contextmanager
    def thread(self, name: str) -> ContextManager[Workload]:
        """`with w.thread("other"):` the calls inside are that host thread's.

        Args:
            name: of a thread, new or not.

        Returns:
            The workload.
        """
        before, self._thread = self._thread, name
        self._threads.setdefault(name, [])
        try:
            yield self
        finally:
            self._thread = before

    @contextlib.contextmanager
    def repeat(self, times: int) -> ContextManager[Workload]:
        """`with w.repeat(10):` the calls inside are made ten times.

        Args:
            times: how often.

        Returns:
            The workload.
        """
        calls = self._threads[self._thread]
        self._threads[self._thread] = []
        try:
            yield self
        finally:
            body = self._threads[self._thread]
            self._threads[self._thread] = calls
        self._threads[self._thread].append(f"call {{ repeat {{ times: {times}\n" + "\n".join(body) + "\n} }")

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
        self._threads[self._thread].append(f"call {{ {text}{' ' + fields(expect=expect) if expect else ''} }}")

    def _call(self, name: str, **values: Any) -> None:
        """A call whose argument is a message."""
        self.call(message(name, fields(**values)))


__all__ = ["Access", "AccessPolicyWindow", "Base", "Dim", "Handle", "MemSyncDomain", "Word", "dim", "fields", "message", "text_of", "word"]
