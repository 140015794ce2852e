"""GPU configurations as objects: the same files, checks and messages as the command's."""
from __future__ import annotations

import dataclasses
import html
import operator
from typing import Any, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from heddle._comments import comment
from heddle._native import CONFIGS, native
from heddle.errors import ConfigError, ConfigNameError


@dataclasses.dataclass(frozen=True)
class Field:
    """What is known about one value of a configuration.

    Attributes:
        path: "l2.far_latency".
        value: int, float, bool, str or a tuple of such; None where it is not set.
        unit: "core cycles"; empty where it has none.
        legal: "0 to 4096", or the names of an enumeration.
        provenance: DOCUMENTED, MEASURED, DERIVED, PUBLISHED, FITTED, MODEL or ASSUMED (configs/README.md).
        source: the document, measurement or guess that the value is from.
        comment: what it means, as the schema says; empty where its name says all.
    """
    path: str
    value: Any
    unit: str
    legal: str
    provenance: str
    source: str
    comment: str = ""

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        line = f"{self.path} = {self.value}{unit} (legal: {self.legal}); {self.provenance}, {self.source}"
        return f"{line}\n  {self.comment}" if self.comment else line


@dataclasses.dataclass(frozen=True)
class Difference:
    """A value in which two configurations differ.

    Attributes:
        path: "l2.ways".
        a, b: its two values as text; empty where it is not set.
    """
    path: str
    a: str
    b: str


def gpus() -> List[str]:
    """Names that Config() knows, sorted: those in $HEDDLE_CONFIGS, shipped GPUs and those in ./configs.

    Returns:
        A list of str.
    """
    return native.gpu_names(CONFIGS)


def fidelities() -> List[str]:
    """Names of the fidelity presets, sorted.

    Returns:
        A list of str.
    """
    return native.fidelity_names(CONFIGS)


def _text(value: Any) -> str:
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist") and getattr(value, "ndim", 0):
        return "[" + ", ".join(_text(v) for v in value) + "]"
    try:
        return str(operator.index(value))
    except TypeError:
        return repr(float(value)) if hasattr(value, "__float__") else str(value)


def _assign(draft, path: str, value: Any) -> None:
    assignment = f"{path}={_text(value)}"
    try:
        draft.set(assignment)
    except ConfigError as e:
        raise type(e)(str(e).removeprefix(f"--set {assignment}: ")) from None  # a prefix of the command's


class Group:
    """Fields below one path; the names are attributes: cfg.l2.ways. dir() lists them.

    Reading gives int, float, bool, str, tuple, Group or Table. Assigning checks type and range at once and raises
    ConfigError with the legal values; a name that there is not raises ConfigNameError with the nearest ones.
    """
    __slots__ = ("_draft", "_path")

    def __init__(self, draft, path: str):
        object.__setattr__(self, "_draft", draft)
        object.__setattr__(self, "_path", path)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _member(self._draft, self._path, name)

    def __setattr__(self, name: str, value: Any) -> None:
        path = f"{self._path}.{name}"
        _kind(path)
        _assign(self._draft, path, value)

    def __dir__(self) -> Iterable[str]:
        return [f[0] for f in native.fields(self._path)]

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Group) and repr(self) == repr(other)

    __hash__ = None

    def __reduce__(self):
        return _part, (Group, Config._of(self._draft), self._path)

    def __repr__(self) -> str:
        return self._draft.text(True, True, self._path)


class Table:
    """Entries by name: cfg.sm.op["ffma"].latency."""
    __slots__ = ("_draft", "_path")

    def __init__(self, draft, path: str):
        self._draft = draft
        self._path = path

    def __getitem__(self, name: str) -> Group:
        if name not in self.keys():
            raise ConfigError(f'{self._path}: no entry "{name}"; legal names: {", ".join(self.keys())}')
        return Group(self._draft, f"{self._path}[{name}]")

    def keys(self) -> List[str]:
        """Names of the entries.

        Returns:
            A list of str, in the configuration's order.
        """
        return self._draft.entries(self._path)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, name: str) -> bool:
        return name in self.keys()

    def _ipython_key_completions_(self) -> List[str]:
        return self.keys()

    def __reduce__(self):
        return _part, (Table, Config._of(self._draft), self._path)

    def __repr__(self) -> str:
        return f"<table {self._path}: {', '.join(self.keys())}>"


def _part(kind: type, config: "Config", path: str):
    """What a pickled Group or Table becomes: part of a configuration of its own."""
    return kind(config._draft, path)


def _kind(path: str) -> Tuple[str, str, str, str, str]:
    try:
        return native.field(path)
    except ConfigError as e:
        raise ConfigNameError(str(e)) from None


def _member(draft, prefix: str, name: str) -> Any:
    path = f"{prefix}.{name}" if prefix else name
    kind = _kind(path)[1]
    if kind == "group":
        return Group(draft, path)
    if kind == "table":
        return Table(draft, path)
    return draft.value(path)


class Config:
    """A GPU that can be simulated, as an object whose attributes are the fields of configs/schema.

    Args:
        gpu: a name (heddle.gpus()) or the path of a configuration file. A name is looked up in $HEDDLE_CONFIGS, then among
            the shipped GPUs, then in ./configs, as the command does; `file` says what was found.
        fidelity: preset, "fast", "default" or "detailed", or a file of one's own.
        set: overrides "path=value", as the command's --set takes them.

    Raises:
        ConfigError: an unknown name, or a value that is wrong; the message is the command's.

    Values may contradict each other while they are changed one by one; validate() and every use of the
    configuration check the whole. Each value has a unit and says where it is from: describe().
    """
    __slots__ = ("_draft",)

    def __init__(self, gpu: str = "h200", fidelity: str = "default", set: Sequence[str] = ()):
        assignments = [set] if isinstance(set, str) else list(set)
        object.__setattr__(self, "_draft", native.Draft(str(gpu), str(fidelity), assignments, CONFIGS))

    @classmethod
    def _of(cls, draft) -> "Config":
        self = object.__new__(cls)
        object.__setattr__(self, "_draft", draft)
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _member(self._draft, "", name)

    def __setattr__(self, name: str, value: Any) -> None:
        _kind(name)
        _assign(self._draft, name, value)

    def __dir__(self) -> Iterable[str]:
        return sorted({*(f[0] for f in native.fields("")), *(n for n in vars(Config) if not n.startswith("_"))})

    def __repr__(self) -> str:
        changed = "".join(f", {o}" for o in self.overrides)
        found = "" if self._draft.shipped else f", from {self.file}"
        return f"<heddle.Config {self.name} ({self.product}), fidelity {self.fidelity}{changed}{found}>"

    def _repr_html_(self) -> str:
        changed = [d.path for d in Config(self._draft.name, self.fidelity).diff(self)] if self.overrides else []
        shown = list(dict.fromkeys(["topology.sms", "clocks.core_mhz", "l2.total_bytes", "dram.total_bytes", *changed]))
        def value(f):
            return f"{f.value:,}" if type(f.value) in (int, float) else html.escape(str(f.value))

        rows = "".join(f"<tr><td>{html.escape(f.path)}</td><td>{value(f)} {html.escape(f.unit)}</td>"
                       f"<td>{html.escape(f.provenance)}</td></tr>" for f in map(self.describe, shown))
        return f"<p>{html.escape(repr(self)[1:-1])}</p><table>{rows}</table>"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Config) and not self.diff(other)

    __hash__ = None

    def __copy__(self) -> "Config":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "Config":
        return self.copy()

    def __reduce__(self):
        return Config, (self._draft.name, self.fidelity, self.overrides)

    @property
    def file(self) -> str:
        """The file that the GPU was read from; repr() names it where it is not a shipped one."""
        return self._draft.file

    @property
    def fidelity(self) -> str:
        """The preset that the configuration was made with."""
        return self._draft.fidelity

    @property
    def overrides(self) -> List[str]:
        """What was changed since it was read, "path=value" in the order of the changes; stored with every run."""
        return self._draft.overrides

    def get(self, path: str) -> Any:
        """The value, group or table at a path.

        Args:
            path: "l2.ways", "sm.op[ffma].latency".

        Returns:
            int, float, bool, str, a tuple of such, Group or Table; None for a value that is not set.

        Raises:
            ConfigError: there is no such path; names the nearest ones.
        """
        kind = _kind(path)[1]
        if kind == "group":
            return Group(self._draft, path)
        return Table(self._draft, path) if kind == "table" else self._draft.value(path)

    def set(self, path: str, value: Any) -> "Config":
        """Changes one value, as cfg.l2.ways = 8 does.

        Args:
            path: "l2.ways".
            value: of the field's type, or text as --set takes it ("30MiB").

        Returns:
            The configuration itself.

        Raises:
            ConfigError: no such field, another type, or out of range; names the path and the legal values.
        """
        _assign(self._draft, path, value)
        return self

    def with_set(self, *assignments: str) -> "Config":
        """A copy with overrides.

        Args:
            assignments: "path=value" each.

        Returns:
            A new Config.

        Raises:
            ConfigError: as set().
        """
        out = self.copy()
        for a in assignments:
            out._draft.set(a)
        return out

    def copy(self) -> "Config":
        """A configuration of its own with the same values.

        Returns:
            A new Config.
        """
        return Config._of(self._draft.copy())

    def problems(self) -> List[str]:
        """Everything that is wrong with the values, one line each.

        Returns:
            A list of str; empty is good.
        """
        return self._draft.problems()

    def validate(self) -> "Config":
        """Checks the whole as the simulator does before it builds a machine.

        Returns:
            The configuration itself.

        Raises:
            ConfigError: the first of problems().
        """
        self._draft.validate()
        return self

    def describe(self, path: str) -> Field:
        """A value with its meaning, unit, legal values and source.

        Args:
            path: of a single value, "l2.far_latency".

        Returns:
            A Field; str() of it is a line, and one more for the meaning.

        Raises:
            ConfigError: there is no such value.
        """
        _, _, _, unit, legal = _kind(path)
        value = self._draft.value(path)
        provenance, source = self._draft.provenance(path) or ("", "no source given")
        return Field(path, value, unit, legal, provenance, source, comment(path))

    def diff(self, other: Union[str, "Config"]) -> List[Difference]:
        """The values in which two configurations differ.

        Args:
            other: another Config, or what Config() takes as `gpu`.

        Returns:
            A list of Difference(path, a, b), in the schema's order.

        Raises:
            ConfigError: `other` is no GPU.
        """
        if not isinstance(other, Config):
            other = Config(other)
        return [Difference(*d) for d in self._draft.diff(other._draft)]

    def to_text(self, annotate: bool = True, flat: bool = False, under: Optional[str] = None) -> str:
        """The configuration as text.

        Args:
            annotate: unit and source as a comment behind each value.
            flat: lines path=value instead of nested protobuf text.
            under: only this part, "sm.l1".

        Returns:
            str. With the defaults it is a file that Config() and --gpu take.

        Raises:
            ConfigError: there is no path `under`.
        """
        return self._draft.text(annotate, flat, under or "")

    def hash(self) -> str:
        """16 hexadecimal digits over the values, as stored with every run.

        Returns:
            str.
        """
        return self._draft.hash()


def as_config(gpu: Any, fidelity: Optional[str], set: Sequence[str]) -> Config:
    """A Config of what functions take as `gpu`."""
    if isinstance(gpu, Config):
        if fidelity is not None and fidelity != gpu.fidelity:
            raise ConfigError(f"fidelity={fidelity!r}: the Config given has fidelity {gpu.fidelity!r}; "
                              "give it to Config()")
        return gpu.with_set(*([set] if isinstance(set, str) else set))
    return Config(gpu, fidelity or "default", set)
