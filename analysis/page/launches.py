"""Measured launches beside their simulation, and groups of them."""
import csv
import dataclasses
import glob
import os
from typing import Dict, Tuple

from analysis.page.families import family
from analysis.page.quantities import Quantity
from analysis.page.results import table, table_rows

CYCLES = Quantity("cycles", ("cycles",))
ACTIVE = Quantity("SM-active cycles", ("sm_active_cycles",))
OWN_COLUMNS = {"cycles": "cycles_median", "sm_active_cycles": "sm_active_cycles_max_median"}
SEEN, SCORED = "seen", "only scored"


@dataclasses.dataclass
class Launch:
    suite: str
    name: str
    half: str  # SEEN: somebody may have looked at its error and changed the model; SCORED: nobody did
    family: str
    row: Dict[str, str]  # of the measured table
    counters: Dict[str, float]  # simulated, by metric
    stalls: Dict[str, Tuple[float, float]]  # by reason: share of the warps' time in per cent, measured and simulated

    def measured(self, metric):
        text = self.row.get(OWN_COLUMNS.get(metric, metric))
        return float(text) if text else None

    def simulated(self, metric):
        return self.counters.get(metric)

    def error(self, quantity=CYCLES):
        return quantity.value(self.simulated) / quantity.value(self.measured) - 1

    def spread(self, metric):
        """Smallest and largest of silicon's repeats; None where the table has none."""
        both = [self.row.get(f"{metric}_{end}") for end in ("min", "max")]
        return tuple(map(float, both)) if all(both) else None

    def copies_tensors(self):
        return self.counters.get("heddle__bulk_copy_bytes.sum", 0) > 0

    def largest_stalls(self):
        """The largest reason of each side, measured and simulated; None without stalls measured."""
        return tuple(max(self.stalls, key=lambda reason, i=i: self.stalls[reason][i]) for i in (0, 1)) if self.stalls else None


def merged_tables(folder):
    """The rows of suite.csv; what it lacks, rows and fields, from the other such tables beside it, in the order of their names."""
    rows = table(os.path.join(folder, "suite.csv"))
    for path in sorted(glob.glob(os.path.join(folder, "*.csv"))):
        for row in table_rows(path):
            if "name" in row and "kernel" in row:
                own = rows.setdefault(row["name"], {})
                own.update({k: v for k, v in row.items() if v and not own.get(k)})
    return rows


def write_table(path, rows):
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    with open(path, "w", newline="", encoding="utf-8") as f:
        writer = csv.DictWriter(f, columns, restval="")
        writer.writeheader()
        writer.writerows(rows.values())


def stall_shares(path):
    """Of a CSV file of `heddle validate --stalls --csv`: by launch and reason, measured and simulated."""
    out = {}
    with open(path, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            kind, _, reason = row["metric"].partition(".")
            if kind == "stall_share" and row["simulated"]:
                out.setdefault(row["name"], {})[reason] = float(row["measured"]), float(row["simulated"])
    return out


def launches(suite, measured, results, stalls):
    """Those of the measured table that were simulated."""
    return [Launch(suite, n, SCORED if row.get("half") == "scored" else SEEN, family(row["kernel"]), row,
                   {**results.counters.get(n, {}), "cycles": results.cycles[n], "sm_active_cycles": results.active[n]},
                   stalls.get(n, {}))
            for n, row in measured.items() if n in results.cycles]


def pairs(quantity, group):
    """(launch, measured, simulated) of the launches that have the quantity on both sides."""
    found = ((x.name, quantity.value(x.measured), quantity.value(x.simulated)) for x in group)
    return [p for p in found if None not in p]


def spreads(quantity, group):
    """Largest less smallest of silicon's repeats: over the measured value, or in points. Only of single metrics."""
    if len(quantity.of) > 1 or quantity.over:
        return []
    ends = ((x.spread(quantity.of[0]), x.measured(quantity.of[0])) for x in group)
    return [(e[1] - e[0]) / (1 if quantity.points else m) for e, m in ends if e and m]


def halves(group):
    """(half, launches) of those halves that have any."""
    parts = ((half, [x for x in group if x.half == half]) for half in (SEEN, SCORED))
    return [(half, part) for half, part in parts if part]


def by(key, group):
    """(key, launches), in the order of the keys."""
    return [(k, [x for x in group if key(x) == k]) for k in sorted({key(x) for x in group})]
