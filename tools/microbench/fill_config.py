#!/usr/bin/env python3
"""Makes a GPU's configuration of what the micro-benchmarks measured.

usage: fill_config.py RESULTS.csv [--capability sm_90] [--base h200] [--name NAME] [--configs DIR] -o FILE

RESULTS.csv is what run.py wrote. config_map.py says which rows give which field; a field whose rows are not there keeps
the value of the capability (sm.*) or of the base, a GPU of configs/gpus (launch, noc, l2, dram, ...), and is listed.
Needs no GPU.
"""
import argparse
import copy
import math
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import config_map  # noqa: E402
import textproto  # noqa: E402
from rows import Missing, Rows, power_of_two  # noqa: E402

CONFIGS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "configs")
# Of each group, a later field is at least the one before (configs/loader/combinations.cc).
ASCENDING = [["sm.issue.branch_cycles", "sm.issue.branch_next_line_cycles", "sm.issue.branch_far_cycles"],
             ["sm.l1.hit_latency_32", "sm.l1.hit_latency_64", "sm.l1.hit_latency_128"],
             ["sm.shared.load_latency_32", "sm.shared.load_latency_64", "sm.shared.load_latency_128"],
             ["sm.constants.parameter_latency", "sm.constants.memory_latency"],
             ["sm.fetch.first_fetch_bytes", "sm.fetch.launch_prefetch_bytes", "sm.fetch.l1_bytes"]]


def read(path):
    """With what it inherits."""
    with open(path, encoding="utf-8") as f:
        own = textproto.parse(f.read())
    if "inherits" not in own:
        return own
    base = read(os.path.join(os.path.dirname(path), own.pop("inherits") + ".textproto"))
    return textproto.derived(base, own)


def rounded(value, rounding):
    if rounding is None:
        return value
    if rounding == config_map.POW2:
        return power_of_two(value)
    if rounding == config_map.DOWN:
        return math.floor(value)
    value = round(value, rounding)
    return int(value) if rounding <= 0 else value


class Filled:
    """The values by path, those of the base first, and where each comes from."""

    def __init__(self, rows, capability, base):
        self.rows, self.capability, self.base = rows, capability, base
        self.values = dict(textproto.leaves(capability))
        self.values.update(textproto.leaves(base))
        self.sources = {}  # path: (kind, source), of what was filled in
        self.missing = {}  # path: why it was not

    def get(self, path):
        return self.values[path]

    def set(self, path, value, kind, source):
        self.values[path] = value
        self.sources[path] = (kind, source)

    def fill(self):
        for path, kind, rounding, formula in config_map.FIELDS:
            # Values are filled in, not mechanisms: an interval of its own, a queue.
            if path not in self.values:
                self.missing[path] = "such field in the capability"
                continue
            self.rows.used = []
            try:
                value = formula(self.rows, self.get)
                if not isinstance(value, list):
                    if not (math.isfinite(value) and value > 0):
                        raise Missing(f"a plausible value: {', '.join(self.rows.used)} gives {value:g}")
                    value = rounded(value, rounding)
                    # Fields of whole numbers start at 1, but for those a rounding error cannot reach.
                    value = max(value, 1) if rounding == 0 else value
            except (Missing, KeyError, ZeroDivisionError, ValueError) as e:
                self.missing[path] = str(e)
                continue
            self.set(path, value, kind, "microbench " + ", ".join(self.rows.used))
        self.make_consistent()

    def adjust(self, path, value, why):
        if self.values[path] != value:
            self.set(path, value, "ASSUMED", f"{why}; {self.sources.get(path, ('', 'not measured'))[1]}")

    def make_consistent(self):
        """Measured values beside others must still make a GPU."""
        v = self.values
        tpcs = v["topology.sms"] // v["topology.sms_per_tpc"]
        gpcs = min(len(v["topology.tpcs_per_gpc"]), tpcs)
        if sum(v["topology.tpcs_per_gpc"]) * v["topology.sms_per_tpc"] != v["topology.sms"]:
            self.adjust("topology.tpcs_per_gpc", [(tpcs + gpcs - 1 - i) // gpcs for i in range(gpcs)], "topology.sms spread evenly")
        if v["l2.slices"] % v["l2.partitions"]:
            self.adjust("l2.partitions", 1, "divides l2.slices")
        channels = v["dram.channels"]
        if v["l2.slices"] % channels and channels % v["l2.slices"]:
            self.adjust("dram.channels", v["l2.slices"], "one for each slice")
            self.adjust("dram.bytes_per_cycle", v["dram.bytes_per_cycle"] * channels / v["l2.slices"], "the same peak over other channels")
        one_set = v["l2.slices"] * v["l2.ways"] * v["l2.line_bytes"]
        self.adjust("l2.total_bytes", max(1, v["l2.total_bytes"] // one_set) * one_set, "whole sets")
        self.adjust("l2.max_persisting_bytes", min(v["l2.max_persisting_bytes"], v["l2.total_bytes"]), "no more than the L2")
        for group in ASCENDING:
            for before, path in zip(group, group[1:]):
                self.adjust(path, max(v[path], v[before]), f"not less than {before}")

    def provenance(self, path):
        if path in self.sources:
            return self.sources[path]
        base, name = (self.base, self.base["name"]) if path in dict(textproto.leaves(self.base)) else (self.capability, None)
        kind, source = textproto.source_of(base, path)
        if name is None or kind in ("MODEL", "DOCUMENTED"):
            return kind, source
        return "ASSUMED", f"not measured: as {name} ({kind}: {source})"

    def tree(self):
        """The fields the file states: all of the base's, and what was measured of the capability's."""
        out = copy.deepcopy({k: v for k, v in self.base.items() if k != "provenance"})
        for path in self.sources:
            if path.startswith(("sm.pipe[", "sm.op[")):
                continue
            *parents, name = path.split(".")
            at = out
            for p in parents:
                at = at.setdefault(p, {})
            at[name] = self.values[path]
        for table in ("pipe", "op"):
            names = {m.group(1) for p in self.sources for m in [re.match(rf"sm\.{table}\[(.*?)\]", p)] if m}
            entries = []
            for entry in self.capability["sm"].get(table, []):
                if entry[table] in names:
                    prefix = f"sm.{table}[{entry[table]}]."
                    entries.append({p[len(prefix):]: v for p, v in self.values.items() if p.startswith(prefix)})
            if entries:
                out.setdefault("sm", {})[table] = entries
        return out


def capability_of(rows, given):
    try:
        found = f"sm_{int(rows('P', 'compute_capability'))}"
    except Missing as e:
        if given:
            return given
        raise SystemExit(f"fill_config.py: no row {e}: give --capability") from e
    if given not in (None, found):
        raise SystemExit(f"fill_config.py: --capability {given}, but the results are of {found}")
    return found


def base_of(configs, capability, given, rows):
    """The GPU the user names; or that of the same capability which has the nearest number of SMs, if several have it the
    one with the most measured values; or the H200."""
    names = sorted(n[:-len(".textproto")] for n in os.listdir(os.path.join(configs, "gpus")))
    if given and given not in names:
        raise SystemExit(f"fill_config.py: no GPU {given} in {configs}/gpus; there are {', '.join(names)}")
    all_of = {n: read(os.path.join(configs, "gpus", n + ".textproto")) for n in names}
    if given:
        return all_of[given]
    try:
        sms = rows.sms()
    except Missing:
        sms = 0

    def distance(gpu):
        return abs(gpu["topology"]["sms"] - sms), -sum(p["kind"] == "MEASURED" for p in gpu["provenance"])

    return min((g for g in all_of.values() if g["capability"] == capability), key=distance, default=all_of["h200"])


def product(rows):
    try:
        return rows.matching("P", "name")[0][1]
    except Missing:
        return "unknown"


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write(filled, name, results, path):
    rows = filled.rows
    tree = filled.tree()
    tree.update(name=name, product=product(rows), capability=textproto.scalar_text(filled.capability["capability"]).strip('"'))
    lines = ["# proto-file: configs/schema/gpu.proto", "# proto-message: heddle.config.GpuConfig", "#",
             f"# Made by tools/microbench/fill_config.py of {os.path.basename(results)}. What is ASSUMED was not measured.",
             textproto.text(tree).rstrip(), ""]
    for leaf, _ in textproto.leaves(tree):
        if leaf in ("name", "product", "capability"):
            continue
        kind, source = filled.provenance(leaf)
        lines.append(f"provenance {{ path: {quoted(leaf)} kind: {kind} source: {quoted(source)} }}")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def fill(results, capability=None, base=None, configs=CONFIGS):
    rows = Rows(results)
    capability = capability_of(rows, capability)
    file = os.path.join(configs, "capability", capability + ".textproto")
    if not os.path.exists(file):
        raise SystemExit(f"fill_config.py: no {file}: see configs/README.md, Adding a GPU")
    filled = Filled(rows, read(file), base_of(configs, capability, base, rows))
    filled.fill()
    return filled


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("results")
    ap.add_argument("--capability")
    ap.add_argument("--base")
    ap.add_argument("--name")
    ap.add_argument("--configs", default=CONFIGS)
    ap.add_argument("-o", "--out", required=True)
    a = ap.parse_args()
    filled = fill(a.results, a.capability, a.base, a.configs)
    name = a.name or os.path.basename(a.out).split(".")[0]
    write(filled, name, a.results, a.out)
    kinds = [kind for kind, _ in filled.sources.values()]
    print(f"{a.out}: {kinds.count('MEASURED')} values measured, {kinds.count('DERIVED')} derived of measurements, "
          f"{kinds.count('ASSUMED')} adapted to them; base {filled.base['name']}, {filled.capability['capability']}")
    for path, why in filled.missing.items():
        print(f"not measured: {path}, stays {filled.values.get(path, 'out')}: no {why}")


if __name__ == "__main__":
    main()
