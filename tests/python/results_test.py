"""Frames, databases, reports."""
import math
import os
import sys
import unittest

from tests.python.harness import TRACES, PythonTest, heddle


class Results(PythonTest):
    def setUp(self):
        super().setUp()
        self.file = self.path("r.db")
        self.results = heddle.run([self.capture("a", kernels=2), self.capture("b")], out=self.file)

    def test_memory_and_database_have_the_same_frames(self):
        stored = heddle.open(self.file)
        for name in ("launches", "counters", "stalls", "stall_shares"):
            here, there = getattr(self.results, name), getattr(stored, name)
            self.assertEqual(list(here.index), [("a", 1), ("a", 2), ("b", 1)])
            self.assertTrue(here.equals(there), name)
        # Its number is the database's.
        self.assertEqual({**stored.info, "run": 0}, {**self.results.info, "run": 0})
        self.assertEqual(stored.report(), self.results.report())

    def test_launches(self):
        row = self.results.launches.loc["a", 2]
        self.assertEqual((row.grid, row.block, row.cluster), ((8, 1, 1), (64, 1, 1), (1, 1, 1)))
        self.assertEqual(row.registers, 32)
        self.assertEqual(row.core_mhz, heddle.Config("h200").clocks.core_mhz)
        self.assertEqual(row.seconds, row.cycles / (row.core_mhz * 1e6))
        self.assertGreater(row.cycles, row.sm_active_cycles)
        self.assertFalse(row.used_control_bits)

    def test_the_cycles_of_one_launch(self):
        self.assertEqual(self.results.select("b").cycles, int(self.results.launches.loc["b", 1].cycles))
        self.raises(heddle.ResultsError, "3 launches have no cycles of their own", lambda: self.results.cycles)

    def test_counters_are_those_of_the_database(self):
        counters = self.results.counters
        self.assertEqual(list(counters.columns), list(heddle.metrics().index))
        for name, value in self.query("r.db", "SELECT name, value FROM counters JOIN launches ON launch_id = id "
                                              "WHERE trace = 'b'"):
            self.assertEqual(counters.loc[("b", 1), name], value)

    def test_stalls_are_the_warps_time(self):
        stalls = self.results.stalls
        self.assertEqual(set(stalls.columns), set(heddle.stall_reasons()))
        self.assertEqual(list(stalls.sum(axis=1)), list(self.results.counters["sm__warps_active.sum"]))
        self.assertEqual(list(stalls["selected"]), list(self.results.launches["warp_instructions"]))
        for total in self.results.stall_shares.sum(axis=1):
            self.assertTrue(math.isclose(total, 100))

    def test_a_selection(self):
        self.assertEqual(list(self.results.select("a").launches.index), [("a", 1), ("a", 2)])
        self.raises(heddle.ResultsError, "there are: a, b", self.results.select, "c")

    def test_files(self):
        self.raises(heddle.ResultsError, "r.db: the file exists", self.results.save, self.file)
        self.results.save(self.path("new.db"))
        self.assertTrue(heddle.open(self.path("new.db")).counters.equals(self.results.counters))
        self.results.select("b").save(self.path("new.db"), exists="append")
        runs = heddle.runs(self.path("new.db"))
        self.assertEqual(list(runs.index), [1, 2])
        self.assertEqual(runs.loc[2, "gpu"], "h200")
        self.assertEqual(len(heddle.open(self.path("new.db"))), 1)
        self.assertEqual(len(heddle.open(self.path("new.db"), run=1)), 3)
        self.raises(heddle.ResultsError, "no run 3; there are: 1, 2", heddle.open, self.path("new.db"), run=3)
        self.raises(heddle.ResultsError, "no such file", heddle.open, self.path("none.db"))
        self.raises(heddle.ResultsError, "none.txt", heddle.open, self.write("none.txt", "no database"))
        self.raises(heddle.ResultsError, "legal values: error, append, replace", self.results.save, "x", exists="yes")

    def test_the_report_is_the_commands(self):
        shown = self.ok("report", self.file).stdout
        for line in self.results.report().splitlines()[2:]:
            self.assertIn(line, shown)
        self.assertIn("issue slots used", heddle.run(os.path.join(TRACES, "softmax")).report())

    def test_a_profile(self):
        r = heddle.run(self.capture("p", kernels=2, blocks=1, warps=2), profile=True)
        code = r.instructions.loc["p", 1]
        self.assertEqual(list(code.index), [0x00, 0x10, 0x20, 0x30, 0x40, 0x50])
        self.assertEqual(list(code["opcode"]), ["S2R", "IMAD.WIDE", "LDG.E", "FADD", "STG.E", "EXIT"])
        self.assertEqual(list(code["executed"]), [2] * 6)
        self.assertEqual(list(code["threads"]), [64] * 6)
        # Two warps read and write 128 consecutive bytes each; FADD is one operation per thread.
        self.assertEqual(list(code["sectors"]), [0, 0, 8, 0, 8, 0])
        self.assertEqual(list(code["flop"]), [0, 0, 0, 64, 0, 0])
        self.assertEqual(code.loc[0x30, "flop_kind"], "fp32")
        by_launch = r.instruction_stalls.groupby(level=["trace", "launch"]).sum()
        self.assertTrue(by_launch.equals(r.stalls.astype(by_launch.dtypes)))
        self.assertEqual(list(r.instruction_stalls.loc["p", 1]["selected"]), [2] * 6)
        for name in r.series.columns:
            self.assertEqual(list(r.series[name].groupby(level=["trace", "launch"]).sum()), list(r.counters[name]), name)
        self.assertEqual(len(r.series.columns), 8)

    def test_a_profile_changes_nothing_and_is_the_commands(self):
        path = self.capture("p", kernels=2)
        r = heddle.run(path, profile=True, out=self.path("p.db"), host_timing=False)
        plain = heddle.run(path)
        self.assertTrue(plain.counters.equals(r.counters))
        self.raises(heddle.ResultsError, "heddle.run(..., profile=True)", lambda: plain.instructions)
        self.raises(heddle.ResultsError, "profile=True", lambda: plain.instruction_stalls)
        self.raises(heddle.ResultsError, "profile=True", lambda: plain.series)
        self.ok("run", path, "--gpu", "h200", "--profile", "--out", self.path("c.db"), "--no-host-timing")
        stored = heddle.open(self.path("p.db"))
        stored.save(self.path("s.db"))
        with open(self.path("p.db"), "rb") as p, open(self.path("c.db"), "rb") as c:
            self.assertEqual(p.read(), c.read())
        tables = ("instructions", "instruction_stalls", "series")
        for table in tables:
            self.assertEqual(self.query("s.db", f"SELECT * FROM {table}"), self.query("p.db", f"SELECT * FROM {table}"))
            self.assertTrue(getattr(r, table).equals(getattr(stored, table)), table)
        self.assertEqual(set(r.instructions.index.get_level_values("launch")), {1, 2})
        self.assertEqual(set(stored.select("p").instructions.index.get_level_values("launch")), {1, 2})

    def test_the_interval_of_a_profile(self):
        path = self.capture("p", blocks=400)
        fine, coarse = (heddle.run(path, profile=True, profile_interval=n).series for n in (1, 2000))
        self.assertGreater(len(fine), len(coarse))
        steps = coarse.index.get_level_values("cycle").to_series().diff().iloc[1:-1]
        self.assertTrue((steps >= 2000).all())
        self.assertEqual(list(fine.sum()), list(coarse.sum()))
        self.raises(heddle.Error, "profile_interval=0: out of range; legal values: 1 to", heddle.run, path, profile=True,
                    profile_interval=0)
        self.raises(heddle.Error, "give only one of them", heddle.run, path, profile=True, sample=True)

    def test_the_catalogue(self):
        all_metrics = heddle.metrics()
        self.assertEqual(all_metrics.loc["dram__bytes_read.sum", "unit"], "byte")
        self.assertTrue(all(all_metrics["meaning"] != ""))
        self.assertEqual(list(heddle.metrics("DRAM__bytes_read").index), ["dram__bytes_read.sum"])

    def test_without_pandas(self):
        before = sys.modules["pandas"]
        sys.modules["pandas"] = None
        try:
            self.raises(heddle.Error, "apt-get install python3-pandas", lambda: self.results.launches)
        finally:
            sys.modules["pandas"] = before


if __name__ == "__main__":
    unittest.main()
