"""Sweeps from Python: what `heddle sweep` does with the same points."""
import csv
import os
import re
import sqlite3
import subprocess
import sys
import unittest

from tests.python.harness import PACKAGE, PythonTest, heddle

AXES = {"l2.far_latency": [0, 50], "sm.l1.hit_latency_32": range(20, 31, 10)}


class Sweeps(PythonTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)

    def test_points_and_frame(self):
        s = heddle.sweep(AXES, [self.capture("a"), self.capture("b")], out="s", jobs=2)
        self.assertEqual(s.axes, ["l2.far_latency", "sm.l1.hit_latency_32"])
        self.assertEqual(s.points[s.axes].values.tolist(), [[0, 20], [0, 30], [50, 20], [50, 30]])
        self.assertEqual((len(s), s.points.point.tolist(), set(s.points.gpu)), (4, [0, 1, 2, 3], {"h200"}))
        frame = s.frame(["cycles", "smsp__inst_executed.sum"])
        self.assertEqual(list(frame.columns), ["point", "gpu", *s.axes, "trace", "launch", "cycles", "smsp__inst_executed.sum"])
        self.assertEqual(frame.trace.tolist(), ["a", "b"] * 4)
        alone = heddle.run("b", set=["l2.far_latency=50", "sm.l1.hit_latency_32=30"])
        self.assertEqual(frame.cycles.iloc[-1], alone.launches.cycles.iloc[0])
        self.assertTrue(s.results(3).select("b").counters.equals(alone.counters))
        self.assertEqual((len(s.failures), len(s.skipped)), (0, 0))
        self.assertIn("4 configurations over l2.far_latency, sm.l1.hit_latency_32, 2 launches each", repr(s))
        self.assertIn("<table", s._repr_html_())

    def test_each_point_has_its_configuration(self):
        s = heddle.sweep({"l2.far_latency": [0, 76, 150], "sm.op[fp32].latency": [4, 6]}, self.capture("a"), gpu=["h200", "h100"], out="s")
        for point, values in enumerate(s.points.query("gpu == 'h100'")[s.axes].values.tolist()):
            for gpu in ("h200", "h100"):
                r = s.results(point, gpu)
                cfg = heddle.Config(gpu, set=[f"{axis}={value}" for axis, value in zip(s.axes, values)])
                self.assertEqual(r.info["config_text"], cfg.to_text())
                alone = heddle.run("a", cfg)
                self.assertGreater(len(r.peak_shares.columns), 10)
                self.assertTrue(r.peak_shares.equals(alone.peak_shares))
                self.assertIn("roofs, % of the peak", r.report())
        self.raises(heddle.ResultsError, "point 0 is of several GPUs: gpu= one of h200, h100", s.results, 0)
        self.raises(heddle.ResultsError, "no point 6", s.results, 6)
        self.ok("sweep", "table", "s", "--csv", self.path("t.csv"))
        with open("t.csv", encoding="utf-8") as f:
            table = list(csv.DictReader(f))
        self.assertEqual([row["bound"] != "" and row["issue_pct"] != "" for row in table], [True] * 12)
        # As a database, a page and a timeline of any of its runs.
        self.assertIn("roofs, % of the peak", self.ok("report", "s/results.db", "--run", "12").stdout)
        s.results(5, "h100").save("alone.db")
        self.assertEqual(heddle.open("alone.db").info["config_text"], s.results(5, "h100").info["config_text"])
        self.assertEqual(len(heddle.runs("s/results.db")), 12)
        self.ok("report", "s/results.db", "--html", self.path("page.html"))
        with open("page.html", encoding="utf-8") as f:
            self.assertEqual(len(re.findall(r'"roofs":\s*\[\s*\[', f.read())), 12)
        # A file of an earlier version, whose later runs have a comment instead: that is said.
        with sqlite3.connect("s/results.db") as db:
            db.execute("UPDATE runs SET config_text = '# as run 1, with the overrides of this one\n' WHERE id = 12")
        db.close()
        with self.assertWarnsRegex(heddle.HeddleWarning, "no shares of a peak"):
            self.assertEqual(len(heddle.open("s/results.db", 12).peak_shares.columns), 0)
        self.assertIn("1 row has no shares of a peak", self.ok("sweep", "table", "s/results.db").stderr)

    def test_arguments_that_would_be_ignored(self):
        self.write("s.textproto", f'trace: "{self.capture("a")}" gpu: "h200" axis {{ path: "l2.far_latency" value: "0" }}')
        self.raises(heddle.Error, "traces, gpu, fidelity and set are those of the file", heddle.sweep, "s.textproto", gpu="h100")
        heddle.sweep("s.textproto")
        self.raises(heddle.Error, "out='t': s.sweep is the folder of the results", heddle.sweep, "s.sweep", out="t")

    def test_it_goes_on_and_is_the_commands(self):
        path = self.capture("a")
        self.write("s.textproto", f'trace: "{path}" gpu: "h200" axis {{ path: "l2.far_latency" value: "0" value: "50" }}')
        told = []
        s = heddle.sweep("s.textproto", progress=told.append)
        self.assertEqual((told[-1].finished, told[-1].launches, told[-1].share), (2, 2, 1.0))
        told.clear()
        again = heddle.sweep("s.textproto", progress=told.append)
        self.assertEqual((told[-1].finished, told[-1].launches), (0, 0))
        self.assertEqual(again.file, s.file)
        self.ok("sweep", "s.textproto", "--out", self.path("c.sweep"), "--quiet")
        with open("s.sweep/results.db", "rb") as a, open("c.sweep/results.db", "rb") as b:
            self.assertEqual(a.read(), b.read())
        self.assertTrue(heddle.collect("s.sweep").frame().equals(heddle.Sweep("c.sweep").frame()))

    def test_the_shipped_configurations_are_found_from_anywhere(self):
        program = ("import heddle; s = heddle.sweep({'l2.far_latency': [0]}, 'a', out='s'); "
                   "print(len(heddle.collect('s')), set(s.points.gpu))")
        self.capture("a")
        p = subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": PACKAGE, "PATH": os.environ["PATH"]},
                           capture_output=True, text=True)
        self.assertEqual((p.stdout, p.stderr), ("1 {'h200'}\n", ""))

    def test_a_config_and_what_fails(self):
        good, bad = self.capture("good"), self.capture("bad")
        with open(os.path.join(bad, "kernel-1.traceg")) as f:
            text = f.read()
        self.write("bad/kernel-1.traceg", text[:len(text) // 2])
        cfg = heddle.Config("h200")
        cfg.l2.far_latency = 7
        s = heddle.sweep({"sm.l1.hit_latency_32": [30]}, [good, bad], cfg, out="s")
        self.assertEqual(s.results(0).info["overrides"].splitlines()[0], "l2.far_latency=7")
        failed = s.failures.iloc[0]
        self.assertEqual((failed.trace, failed.kind), ("bad", "error"))
        self.assertIn("kernel-1.traceg", failed.message)
        self.assertEqual(s.frame().trace.tolist(), ["good"])

    def test_skipped_points(self):
        axes, trace = {"l2.far_latency": [0], "sm.max_warps": [1]}, self.capture("a")
        self.raises(heddle.Error, "max_warps", heddle.sweep, axes, trace)
        axes = {"l2.ways": [20, 7]}
        self.raises(heddle.Error, "l2.ways=7", heddle.sweep, axes, trace)
        s = heddle.sweep(axes, trace, skip_impossible=True)
        self.assertEqual((len(s), s.skipped.point.tolist()), (1, [1]))
        self.assertEqual(s.file, os.path.join("heddle.sweep", "results.db"))

    def test_wrong_arguments(self):
        trace = self.capture("a")
        self.raises(heddle.Error, "traces: a path or a list of paths is needed", heddle.sweep, AXES)
        self.raises(heddle.Error, "has no values", heddle.sweep, {"l2.ways": []}, trace)
        self.raises(heddle.Error, "far_latncy", heddle.sweep, {"l2.far_latncy": [1]}, trace)
        self.raises(heddle.Error, "no.textproto: cannot be read", heddle.sweep, "no.textproto")
        self.raises(heddle.Error, "traces, gpu, fidelity and set are those of the file", heddle.sweep, "no.textproto", trace)
        self.raises(heddle.Error, "jobs=-1: out of range", heddle.sweep, AXES, trace, jobs=-1)
        self.raises(heddle.Error, "no folder of a sweep", heddle.collect, self.dir)
        self.raises(heddle.ResultsError, "no such file", heddle.Sweep, "nowhere")
        self.raises(heddle.ResultsError, "no point 9", heddle.sweep({"l2.far_latency": [0]}, trace).results, 9)

    def test_what_the_progress_function_raises_stops_it(self):
        def stop(p):
            raise ValueError("enough")

        self.raises(ValueError, "enough", heddle.sweep, AXES, self.capture("a", blocks=200_000), out="s", progress=stop)
        self.assertEqual(len(heddle.collect("s").frame().cycles.dropna()), 0)


if __name__ == "__main__":
    unittest.main()
