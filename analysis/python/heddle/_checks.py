"""Checks of arguments that go to the C++ half, which would raise a bare TypeError."""
import operator
from typing import Any, Optional, Sequence

from heddle.errors import Error


def integer(name: str, value: Any, low: int, high: Optional[int] = None) -> int:
    """`value` as an int, or an Error that names the argument and the legal values."""
    legal = f"legal values: {low} to {high}" if high is not None else f"legal values: {low} and more"
    try:
        number = operator.index(value) if not isinstance(value, bool) else None
    except TypeError:
        number = None
    if number is None:
        raise Error(f"{name}={value!r}: not a whole number; {legal}") from None
    if number < low or (high is not None and number > high):
        raise Error(f"{name}={value!r}: out of range; {legal}")
    return number


def blocks_of_cluster(cluster: Sequence[int]) -> list:
    """X, or x[, y[, z]], as three numbers."""
    sizes = list(cluster) if isinstance(cluster, (list, tuple)) else [cluster]
    if not 1 <= len(sizes) <= 3:
        raise Error(f"cluster={cluster!r}: one to three numbers of blocks: x, y, z")
    return [integer("cluster", n, 1, 32) for n in sizes] + [1] * (3 - len(sizes))
