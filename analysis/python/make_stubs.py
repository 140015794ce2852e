#!/usr/bin/python3
"""Writes heddle/__init__.pyi from the package itself and the schema of the configurations.

usage: analysis/python/make_stubs.py [--check]
"""
import dataclasses
import functools
import inspect
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import heddle  # noqa: E402
from heddle import _native  # noqa: E402

STUB = os.path.join(os.path.dirname(os.path.abspath(heddle.__file__)), "__init__.pyi")
TYPES = {"int": "int", "float": "float", "bool": "bool", "enum": "str", "text": "str"}
HEAD = '''\
# Written by analysis/python/make_stubs.py: signatures for editors and type checkers. Documentation: help(heddle).
import os
from typing import Any, Callable, ContextManager, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import pandas

from heddle import plot as plot

__version__: str
'''


def signature(function):
    """Parameters and result as they are written in the source."""
    s = inspect.signature(function)
    out, star = [], False
    for p in s.parameters.values():
        text = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
        if p.kind == p.KEYWORD_ONLY and not star:
            out.append("*")
        star = star or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        if p.annotation is not p.empty:
            text += f": {annotation(p.annotation)}"
        if p.default is not p.empty:
            text += f" = {p.default!r}" if p.annotation is not p.empty else f"={p.default!r}"
        out.append(text)
    result = "" if s.return_annotation is s.empty else f" -> {annotation(s.return_annotation)}"
    return f"({', '.join(out)}){result}"


def annotation(a):
    return a if isinstance(a, str) else "None" if a is None else inspect.formatannotation(a)


def parts(cls):
    """The class and those that it is put together from and that have no name in the package."""
    return [c for c in cls.__mro__ if c is cls or (c.__module__.startswith("heddle._") and c.__name__ not in heddle.__all__)]


def methods(cls):
    members = {}
    for part in reversed(parts(cls)):
        members.update(vars(part))
    for name, member in members.items():
        if name.startswith("_") and name not in ("__init__", "__len__", "__getitem__", "__iter__", "__contains__"):
            continue
        if name == "__init__" and dataclasses.is_dataclass(cls):
            continue
        if isinstance(member, (property, functools.cached_property)):
            getter = member.fget if isinstance(member, property) else member.func
            yield f"    @property\n    def {name}{signature(getter)}: ..."
        elif isinstance(member, classmethod):
            yield f"    @classmethod\n    def {name}{signature(member.__func__)}: ..."
        elif inspect.isfunction(member):
            yield f"    def {name}{signature(member)}: ..."


def class_stub(name, cls, fields=()):
    bases = ", ".join(b.__name__ for b in cls.__bases__ if b is not object and b not in parts(cls))
    lines = list(fields)
    if dataclasses.is_dataclass(cls):
        lines += [f"    {f.name}: {annotation(f.type)}" for f in dataclasses.fields(cls)]
    elif issubclass(cls, BaseException):
        lines += {"SimulationError": ["    results: Optional[Results]"],
                  "TraceError": ["    results: Optional[Results]"], "Interrupted": ["    results: Optional[Results]"],
                  "DeadlockError": ["    report: List[str]"]}.get(name, [])
    if name == "Results":
        lines.append("    failures: List[Tuple[str, SimulationError]]")
    lines += methods(cls)
    head = f"class {name}({bases}):" if bases else f"class {name}:"
    if dataclasses.is_dataclass(cls):
        head = "@dataclasses.dataclass(frozen=True)\n" + head
    return head + (" ...\n" if not lines else "\n" + "\n".join(lines) + "\n")


def group_name(path):
    return "_" + "".join(part.capitalize() for part in path.replace("[*]", "").replace("_", ".").split("."))


def field_lines(path, below):
    """The fields at a path; groups and tables among them are appended to `below`."""
    for name, kind, value, unit, legal in _native.native.fields(path.replace("[*]", "[x]")):
        full = f"{path}.{name}" if path else name
        if kind == "group":
            below.append(full)
            yield f"    {name}: {group_name(full)}"
        elif kind == "table":
            below.append(full + "[*]")
            yield f"    {name}: {group_name(full)}Table"
        else:
            shown = "Tuple[%s, ...]" % TYPES[value] if kind == "list" else TYPES[value]
            comment = "; ".join(x for x in (unit, legal) if x and x != "text")
            yield f"    {name}: {shown}" + (f"  # {comment}" if comment else "")


def text():
    parts, below = [], []
    config = list(field_lines("", below))
    for path in below:
        lines = list(field_lines(path, below))
        name = group_name(path)
        parts.append(f"class {name}(Group):\n" + "\n".join(lines) + "\n")
        if path.endswith("[*]"):
            parts.append(f"class {name}Table(Table):\n    def __getitem__(self, name: str) -> {name}: ...\n")
    out = [HEAD.replace("import os\n", "import dataclasses\nimport os\n", 1)]
    plain = {n: getattr(heddle, n) for n in heddle.__all__}
    classes = [(n, v) for n, v in plain.items() if inspect.isclass(v)]
    for name, value in sorted(classes, key=lambda c: len(c[1].__mro__)):  # bases first
        out.append(class_stub(name, value, config if name == "Config" else ()))
    out += parts
    out.append("Dim = Union[int, Sequence[int]]\n")
    out.append("Axes = Dict[str, Sequence[Any]]\n")
    out.append("Edges = Sequence[Union[Handle, Tuple[Handle, str]]]\n")
    out.append("Traces = Union[str, os.PathLike, Trace, Launch, Sequence[Any]]\n")
    out.append("\n".join(f"def {n}{signature(v)}: ..." for n, v in plain.items() if inspect.isfunction(v)) + "\n")
    out.append("__all__: List[str]\n")
    return "\n".join(out)


def main():
    if sys.argv[1:] == ["--check"]:
        with open(STUB) as f:
            if f.read() != text():
                sys.exit(f"{STUB}: not what the package is; run analysis/python/make_stubs.py")
    else:
        with open(STUB, "w") as f:
            f.write(text())


if __name__ == "__main__":
    main()
