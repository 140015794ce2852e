"""Methods for calls that are declared (sim/host/calls/README.md) and have none of their own in Workload."""
from __future__ import annotations

import inspect
import keyword
from typing import Iterable, Tuple

from heddle._workload_base import Base, fields, word

# Calls of workload.proto that methods of another name make.
BY_OTHER_NAMES = {
    "compute_us", "event_elapsed", "free_host", "graph_mem_reset_high", "graph_mem_stats", "graph_mem_trim", "pool_reset_high", "pool_set_access",
    "pool_stats", "pool_trim", "queue_close", "queue_get", "queue_put", "reset_persisting_l2_cache", "sleep_until_us", "sleep_us",
}


def _parameter(argument: str, kind: str) -> str:
    name = argument or kind
    return name + "_" if keyword.iskeyword(name) else name


def _method(field: str, name: str, arguments: Iterable[Tuple[str, str, bool, list]]):
    """A method that writes the call `field`; arguments: name, kind, whether it may be left out, legal words."""
    arguments = list(arguments)
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)] + [
        inspect.Parameter(_parameter(a, kind), inspect.Parameter.POSITIONAL_OR_KEYWORD,
                          default=None if optional else inspect.Parameter.empty)
        for a, kind, optional, _ in sorted(arguments, key=lambda a: a[2])]
    signature = inspect.Signature(parameters)

    def call(self: Base, *args, **kwargs) -> None:
        given = signature.bind(self, *args, **kwargs).arguments
        values = {}
        for a, kind, optional, words in arguments:
            value = given.get(_parameter(a, kind))
            if value is not None or not optional:
                value = (word(a, value, words) if kind == "choice" else
                         value if kind in ("number", "switch", "device") else self._is(kind, value))
            values[a or field] = value
        if not arguments:
            self.call(fields(**{field: True}))
        elif arguments[0][0]:
            self._call(field, **values)
        else:
            self.call(fields(**values))

    call.__name__ = call.__qualname__ = field
    call.__signature__ = signature
    call.__doc__ = f"{name}, as workload files have it."
    return call


def add_methods(cls: type, declared: Iterable[tuple]) -> None:
    """Gives the class a method for each declared call that it has none for.

    Args:
        cls: a Workload.
        declared: (field, CUDA's name, arguments) of each call.
    """
    for field, name, arguments in declared:
        if field not in BY_OTHER_NAMES and not hasattr(cls, field):
            setattr(cls, field, _method(field, name, arguments))
