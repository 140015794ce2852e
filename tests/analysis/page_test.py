"""The sections of the validation page, what tools/update-validation makes of them, and the search of tools/split-check."""
import importlib.machinery
import importlib.util
import os
import sqlite3
import tempfile
import unittest

from analysis.page import sections
from analysis.page.results import EXACT, Results


class Fake:
    """Stands for analysis.page.results.Results."""

    def __init__(self, cycles, counters=None):
        self.cycles, self.counters = cycles, counters or {}

    def error(self, measured, name):
        return self.cycles[name] / float(measured[name]["cycles_median"]) - 1

    active_error = error

    def pairs(self, measured, metric):
        return [(n, float(measured[n][metric]), c[metric]) for n, c in self.counters.items() if metric in c]


def stall(name, reason, measured, simulated):
    return {"name": name, "metric": "stall_share." + reason, "measured": str(measured), "simulated": str(simulated)}


class Sections(unittest.TestCase):
    def test_summary(self):
        # |errors| 0.1, 0.2, 0.3: percentile at position 1.8 of 0, 1, 2.
        self.assertEqual(sections.summary([-0.1, 0.2, 0.3]), "3 | 20.0 % | 20.0 % | 28.0 % | 30.0 % | 1 | 2")

    def test_stalls(self):
        text = "\n".join(sections.stalls([
            stall("a", "wait", 60, 50), stall("a", "barrier", 10, 30),
            stall("b", "wait", 20, 40), stall("b", "barrier", 30, 10),
            {"name": "a", "metric": "cycles", "measured": "1", "simulated": "1"}]))
        self.assertIn("for 1 of 2 kernels, 50 %", text)
        self.assertIn("| b | barrier | 30.0 % | wait | 40.0 % |", text)
        self.assertNotIn("| a |", text)
        self.assertIn("| wait | 40.00 | 45.00 | 15.00 |", text)
        self.assertIn("| barrier | 20.00 | 20.00 | 20.00 |", text)

    def test_split(self):
        measured = {n: {"cycles_median": "100"} for n in "abc"}
        r = Fake({"a": 110, "b": 100, "c": 90})
        refit = {"config": "abc", "kinds": "FITTED", "values": {"x.y": [2.0, 4.0], "x.z": [1.0, 1.0]},
                 "errors": {k: {"odd": {"mean": 0.05}, "even": {"mean": e}} for k, e in
                            (("shipped", 0.06), ("refitted", 0.07))}}
        text = "\n".join(sections.split(r, measured, refit))
        self.assertIn("differ by 10.0 points (more than the 3", text)
        self.assertIn("| kernels 1, 3, 5, ... | 2 | 10.0 % |", text)
        self.assertIn("chose 2 of the values of the kinds FITTED again, by the first half alone: `x.y` 2 -> 4. Config", text)
        self.assertIn("| refitted | 5.00 % | 7.00 % |", text)
        self.assertNotIn("split-check", "\n".join(sections.split(r, measured, None)))

    def test_rates(self):
        hits, reads = "l1tex__t_sector_hit_rate.pct", "dram__bytes_read.sum"
        occupancy = "sm__warps_active.avg.pct_of_peak_sustained_active"
        measured = {"a": {hits: "50", occupancy: "10", reads: "100"}, "b": {hits: "20", occupancy: "90", reads: "0"}}
        r = Fake({}, {"a": {hits: 52.0, occupancy: 14.0, reads: 90}, "b": {hits: 10.0, occupancy: 95.0, reads: 7}})
        text = "\n".join(sections.rates(r, measured))
        self.assertIn("| L1 hit rate | 2 | 6.0 | 6.0 | 10.0 (b) |  |", text)
        self.assertIn("| achieved occupancy | 2 | 4.5 | 4.5 | 5.0 (b) | 1 within 4 |", text)
        self.assertIn(f"| DRAM bytes read | `{reads}` | 1 | 10.0 % | 10.0 % | -10.0 % |", text)

    def test_ablation(self):
        row = {"ablation": "default", "instead": "", "config": "abc", "mean": "0.05", "median": "0.04", "p90": "0.1",
               "largest": "0.2", "sm_active_mean": "0.06", "difference": "0", "worse": "0", "better": "0",
               "most_changed": "", "most_changed_by": "0", "warp_instructions": "4000000", "cpu_seconds": "2",
               "rate_ratio": "1"}
        other = {**row, "ablation": "TLB", "instead": "no time", "difference": "0.012", "worse": "3",
                 "most_changed": "vecadd", "most_changed_by": "-0.1", "rate_ratio": "1.10"}
        text = sections.ablation([row, other])
        self.assertEqual(text[-1], "| TLB | no time | 5.0 % | 4.0 % | 10.0 % | 20.0 % | 6.0 % | +1.20 | 3 | 0 | "
                                   "vecadd -10.0 % | 2.0 M | 1.10 |")
        self.assertEqual(sections.ablation([]), [])

    def test_provenance(self):
        text = "\n".join(sections.provenance(
            "a.b=1  # core cycles; MEASURED, x\na.c=\"s\"  # ASSUMED, as MEASURED, y\na.d=2  # FITTED, z\n"))
        self.assertIn("Of the 3 values of the H200: 1 measured, 1 assumed, 1 fitted", text)
        self.assertIn("| `a.c=\"s\"` | assumed | as MEASURED, y |", text)
        self.assertIn("| `a.d=2` | fitted | z |", text)


def script(name):
    """A program of tools/, as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), "tools/" + name)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


LOADS = EXACT["global load sectors"]


def measured_kernel(loads):
    return {"cycles_median": "1000", "cycles_min": "990", "cycles_max": "1020", "sm_active_cycles_max_median": "500", LOADS: loads}


class SecondSuite(unittest.TestCase):
    MEASURED = {"a": measured_kernel("64"), "b": measured_kernel("32")}

    def stored(self, loads):
        with tempfile.TemporaryDirectory() as d:
            c = sqlite3.connect(os.path.join(d, "r.db"))
            c.executescript("""
                CREATE TABLE runs (id, revision, config_hash, product);
                CREATE TABLE launches (id, run_id, trace, cycles, sm_active_cycles, warp_instructions);
                CREATE TABLE host_timing (launch_id, wall_seconds, max_rss_bytes);
                CREATE TABLE counters (launch_id, name, value);
                INSERT INTO runs VALUES (1, 'abc', 'def', 'H200');
                INSERT INTO launches VALUES (1, 1, 'a', 1080, 500, 2000000), (2, 1, 'b', 700, 450, 4000000);
                INSERT INTO host_timing VALUES (1, 1.0, 1048576), (2, 1.0, 2097152);
            """)
            c.executemany("INSERT INTO counters VALUES (?, ?, ?)", [(i + 1, LOADS, x) for i, x in enumerate(loads)])
            c.commit()
            c.close()
            return Results(os.path.join(d, "r.db"))

    def test_section(self):
        text = "\n".join(sections.second(self.stored([64, 33]), self.MEASURED))
        self.assertIn("2 kernels of other kinds", text)
        self.assertIn("| the cycles | 2 | 19.0 % | 19.0 % | 27.8 % | 30.0 % | 1 | 1 |", text)
        self.assertIn("| the SM-active cycles | 2 | 5.0 % | 5.0 % | 9.0 % | 10.0 % | 2 | 2 |", text)
        self.assertIn("| a | 1,000 | 990..1,020 | 1,080 | +8.0 % | 500 | 500 | +0.0 % |", text)
        self.assertIn("| global load sectors | 2 | 1 |", text)
        self.assertIn("| warp instructions | 0 | 0 |", text)
        self.assertIn("| global load sectors | b | 32 | 33 |", text)
        self.assertNotIn("that differ", "\n".join(sections.second(self.stored([64, 32]), self.MEASURED)))

    def test_row_of_the_front_page(self):
        tool = script("update-validation")
        measured = {"a": self.MEASURED["a"]}
        peer = {"a": {"cycles": "1500", "wall_seconds": "100"}}
        first = self.stored([64, 32])
        block = tool.front_block(first, measured, peer, (self.stored([64, 33]), self.MEASURED))
        self.assertIn("| error of the cycles | kernels | mean | median | 90th percentile | largest | within 10 % | within 20 % |\n"
                      "|---|---|---|---|---|---|---|---|\n"
                      "| Heddle, all kernels | 1 | 8.0 % | 8.0 % | 8.0 % | 8.0 % | 1 | 1 |\n", block)
        self.assertIn("| Heddle, [second suite](traces/h200/second/README.md) | 2 | 19.0 % | 19.0 % | 27.8 % | 30.0 % | 1 | 1 |\n\n"
                      "| counts that must be exact | kernels compared | equal to silicon |\n|---|---|---|\n", block)
        self.assertIn("| global load sectors | 1 | 1 |", block)  # of the first suite
        self.assertIn("Peak memory: 2 MiB", block)
        front = "x\n<!-- validation: begin. tools/update-validation writes this -->\nold\n<!-- validation: end -->\ny"
        self.assertIn(f"-->\n{block}\n<!-- validation: end -->\ny", tool.replaced(front, "validation", block))


class SplitCheck(unittest.TestCase):
    def setUp(self):
        self.tool = script("split-check")

    def test_candidates(self):
        self.assertEqual(self.tool.candidates(0), [1])
        self.assertEqual(self.tool.candidates(2), [1, 3])
        self.assertEqual(self.tool.candidates(80), [40, 160])
        self.assertEqual(self.tool.candidates(0.5), [0.25, 1])

    def test_values(self):
        match = self.tool.VALUE.match("l2.ways=16      # ASSUMED, first guess")
        self.assertEqual(match.groups(), ("l2.ways", "16", "ASSUMED"))
        match = self.tool.VALUE.match("a.b=1.5  # core cycles per warp; FITTED, the suite")
        self.assertEqual(match.groups(), ("a.b", "1.5", "FITTED"))

    def test_search(self):
        # The error is |x - 20| + |y - 3|; 5 is no legal x.
        def errors(chosen, half, jobs):
            x, y = chosen.get("x", 10), chosen.get("y", 3)
            return None if x == 5 else {k: abs(x - 20) + abs(y - 3) for k in half}
        self.tool.errors = errors
        self.assertEqual(self.tool.search({"x": 10, "y": 3}, ["k"], 2, 1), {"x": 20})


if __name__ == "__main__":
    unittest.main()
