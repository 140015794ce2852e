"""How far simulated values lie from measured ones: the figures of one row of the validation pages."""
import dataclasses
import itertools
import math
import statistics
from typing import Optional

CORRELATED = 3  # values that a correlation needs at least: two always lie on a line


def percentile(values, q):
    values = sorted(values)
    at = (len(values) - 1) * q
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def kendall(a, b):
    """Kendall's tau-b: pairs of values in the same order less those in opposite order, of all pairs without ties."""
    agree, ordered_a, ordered_b = 0, 0, 0
    for (a1, b1), (a2, b2) in itertools.combinations(zip(a, b), 2):
        x, y = (a1 > a2) - (a1 < a2), (b1 > b2) - (b1 < b2)
        agree, ordered_a, ordered_b = agree + x * y, ordered_a + x * x, ordered_b + y * y
    return agree / math.sqrt(ordered_a * ordered_b) if ordered_a and ordered_b else None


def pearson(a, b):
    return statistics.correlation(a, b) if len(set(a)) > 1 and len(set(b)) > 1 else None


@dataclasses.dataclass
class Errors:
    """Over launches. Errors are absolute, `bias` apart: fractions of the measured value, or points for shares."""
    count: int
    undefined: int  # further launches: measured 0, simulated not, so without a relative error
    mean: float
    bias: float  # mean of the signed errors
    median: float
    p90: float
    worst: float
    worst_of: str
    within: int
    pearson: Optional[float]
    kendall: Optional[float]


def errors(pairs, relative, bound):
    """Of (launch, measured, simulated), None without any. Relative errors are of those with a measured value above 0 only: launches
    that rightly have none of something would hide the errors of those that have. Their correlations are of the logarithms."""
    taken = [p for p in pairs if p[1] > 0] if relative else pairs
    if not taken:
        return None
    signed = [((s - m) / m if relative else s - m) for _, m, s in taken]
    sizes = [abs(e) for e in signed]
    worst = max(range(len(sizes)), key=sizes.__getitem__)
    both = [(math.log(m), math.log(s)) if relative else (m, s) for _, m, s in taken if not relative or s > 0]
    correlated = list(zip(*both)) if len(both) >= CORRELATED else None
    return Errors(len(taken), sum(s > 0 for _, m, s in pairs if not m) if relative else 0, statistics.mean(sizes), statistics.mean(signed),
                  statistics.median(sizes), percentile(sizes, 0.9), sizes[worst], taken[worst][0], sum(e <= bound for e in sizes),
                  correlated and pearson(*correlated), correlated and kendall(*correlated))
