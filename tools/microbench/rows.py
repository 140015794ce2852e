"""The rows of a results file, and what config_map.py's formulas ask of them."""
import csv
import lzma
import math
import re
import statistics


class Missing(Exception):
    """No such row; str() names it."""


class Rows:
    """`rows(id, parameter, conditions)` is the median of the values of all rows that match.

    `conditions` are parts between semicolons, each of which the row must have as it stands: "conflict degree 1; 32
    warps". {sms} stands for the number of SMs. `used` collects the names of the rows that were asked for.
    """

    def __init__(self, path):
        self.groups = {}
        with (lzma.open(path, "rt", newline="") if path.endswith(".xz") else open(path, newline="")) as f:
            for r in list(csv.reader(f))[1:]:
                # Older files have rows with commas inside the conditions.
                conditions = re.sub(r"\s+", " ", " ".join(r[4:len(r) - 3]))
                self.groups.setdefault((r[0], r[1]), []).append((r[2], conditions))
        self.used = []

    def matching(self, identifier, parameter, conditions=""):
        if "{sms}" in conditions:
            conditions = conditions.replace("{sms}", str(int(self.sms())))
        name = f"{identifier} {parameter}" + (f" ({conditions})" if conditions else "")
        if name not in self.used:
            self.used.append(name)
        wanted = {c.strip() for c in conditions.split(";") if c.strip()}
        found = [(v, c) for v, c in self.groups.get((identifier, parameter), ())
                 if wanted <= {p.strip() for p in c.split(";")}]
        if not found:
            raise Missing(name)
        return found

    def __call__(self, identifier, parameter, conditions="", of=statistics.median):
        return of([float(v) for v, _ in self.matching(identifier, parameter, conditions)])

    def least(self, identifier, parameter, conditions=""):
        return self(identifier, parameter, conditions, min)

    def most(self, identifier, parameter, conditions=""):
        return self(identifier, parameter, conditions, max)

    def inside(self, identifier, parameter, pattern, conditions="", of=statistics.median):
        """Of the numbers that `pattern` finds in the conditions of the rows that match."""
        found = [float(m.group(1)) for _, c in self.matching(identifier, parameter, conditions)
                 for m in [re.search(pattern, c)] if m]
        if not found:
            raise Missing(f"{identifier} {parameter} with /{pattern}/ in its conditions")
        return of(found)

    def numbers(self, identifier, parameter, after, conditions=""):
        """The list of numbers behind `after` in the conditions of the first row that matches."""
        _, text = self.matching(identifier, parameter, conditions)[0]
        return [float(n) for n in re.findall(r"-?[\d.]+", text.partition(after)[2])]

    def curve(self, identifier, prefix, unit, conditions=""):
        """[(x, value)] of parameters PREFIX<x><unit>, ascending; equal x: the median."""
        pattern = re.compile(re.escape(prefix) + r"(\d+)" + re.escape(unit) + "$")
        found = {int(m.group(1)): p for i, p in self.groups for m in [pattern.match(p)] if i == identifier and m}
        points = []
        for x, parameter in sorted(found.items()):
            try:
                points.append((x, self(identifier, parameter, conditions)))
            except Missing:
                pass
        self.used = [u for u in self.used if not u.startswith(f"{identifier} {prefix}")]
        name = f"{identifier} {prefix}<n>{unit}" + (f" ({conditions})" if conditions else "")
        self.used.append(name)
        if len(points) < 3:
            raise Missing(name)
        return points

    def by_condition(self, identifier, parameter, pattern, conditions=""):
        """[(x, value)] with x what `pattern` finds in the conditions, ascending."""
        points = sorted((float(m.group(1)), float(v)) for v, c in self.matching(identifier, parameter, conditions)
                        for m in [re.search(pattern, c)] if m)
        if len(points) < 2:
            raise Missing(f"{identifier} {parameter} with /{pattern}/ in its conditions")
        return points

    def sms(self):
        try:
            return self("P", "sm_count")
        except Missing:
            return self("G", "distinct_SMs_for_132_blocks_of_32")


def power_of_two(x):
    """The nearest, by ratio."""
    return 2 ** round(math.log2(x))


def at_full_speed(rows, op):
    """Of issue_<op>_after_k: how many instructions with stall 1 issue in as many cycles."""
    points = rows.curve("X", f"issue_{op}_after_k=", "", "stall 1")
    start = points[0][1] - points[0][0]
    return max(k for k, clock in points if clock <= start + k)


def after(rows, op, k):
    """Issue time of the instruction after k, from the first's."""
    points = dict(rows.curve("X", f"issue_{op}_after_k=", "", "stall 1"))
    if k not in points:
        raise Missing(f"X issue_{op}_after_k={k} (stall 1)")
    return points[k] - points[min(points)]


def drain(rows, op):
    """Cycles per instruction of the last two points."""
    (k0, t0), (k1, t1) = rows.curve("X", f"issue_{op}_after_k=", "", "stall 1")[-2:]
    return (t1 - t0) / (k1 - k0)


def crossing(points, low, high):
    """Where a curve passes the middle of `low` and `high`, between the points around it."""
    middle = (low + high) / 2
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if y0 < middle <= y1:
            return x0 + (x1 - x0) * (middle - y0) / (y1 - y0)
    raise Missing("a step in the curve")
