"""Sweeps from Python: what `heddle sweep` does with the same points."""
import os
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
        self.raises(heddle.Error, "traces, fidelity and set are those of the file", heddle.sweep, "no.textproto", trace)
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
