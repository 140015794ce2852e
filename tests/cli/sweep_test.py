"""heddle sweep on this machine: results, resumption, failures, errors."""
import glob
import os
import signal
import subprocess
import time
import unittest

from tests.cli import harness

SWEEP = """\
trace: "app"
gpu: "h200"
axis { path: "l2.ways" value: "10" value: "20" }
axis { path: "sm.l1.hit_latency_32" range { from: "20" to: "31" count: 12 } }
"""
RUNS = 2 * 12 * 2


class Sweep(harness.HeddleTest):
    def setUp(self):
        super().setUp()
        self.capture("app", kernels=2, blocks=300)

    def events(self, folder, event):
        lines = []
        for name in glob.glob(self.path(folder, "journal", "*.log")):
            with open(name) as f:
                lines += [line.split("\t")[1] for line in f if line.startswith(event + "\t")]
        return lines

    def bytes_of(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def test_the_database_is_the_same_for_any_number_of_workers(self):
        self.write("s.textproto", SWEEP)
        out = self.ok("sweep", "s.textproto").stdout
        self.assertIn(f"{RUNS} done, 0 running, 0 to do, 0 failed", out)
        self.ok("sweep", "s.textproto", "--out", "two", "-j", "5")
        self.assertEqual(self.bytes_of("s.sweep/results.db"), self.bytes_of("two/results.db"))
        # A run of the sweep is what heddle run gives.
        self.ok("run", "app", "--gpu", "h200", "--set", "l2.ways=20", "--set", "sm.l1.hit_latency_32=22", "--out", "r.db")
        cycles = self.query("r.db", "SELECT cycles FROM launches ORDER BY id")
        self.assertEqual(cycles, self.query(
            "two/results.db", "SELECT cycles FROM launches WHERE run_id = 15 ORDER BY id"))
        self.assertEqual(self.query("two/results.db", "SELECT point, value FROM sweep_points WHERE run_id = 15"),
                         [(14, "20"), (14, "22")])
        # Nothing is simulated again; a longer file adds what is new.
        self.ok("sweep", "s.textproto")
        self.assertEqual(len(self.events("s.sweep", "start")), RUNS)
        self.write("s.textproto", SWEEP.replace('value: "20"', 'value: "20" value: "5"'))
        self.ok("sweep", "s.textproto")
        self.assertEqual(len(self.events("s.sweep", "start")), RUNS * 3 // 2)

    def test_a_killed_sweep_loses_only_the_runs_in_flight(self):
        self.write("s.textproto", SWEEP)
        self.ok("sweep", "s.textproto", "--out", "whole")
        p = subprocess.Popen([harness.HEDDLE, "sweep", "s.textproto", "-j", "2", "-q"], cwd=self.dir,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while len(self.events("s.sweep", "done")) < 5:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.002)
        p.send_signal(signal.SIGKILL)
        p.wait()
        self.assertEqual(p.returncode, -signal.SIGKILL)
        done = set(self.events("s.sweep", "done"))
        self.assertTrue(5 <= len(done) < RUNS)
        self.assertIn("0 failed", self.ok("sweep", "status", "s.textproto").stdout)
        self.ok("sweep", "s.textproto")
        starts = self.events("s.sweep", "start")
        self.assertLessEqual(len(starts), RUNS + 2)  # two were in flight
        again = {key for key in starts if starts.count(key) > 1}
        self.assertFalse(done & again)
        self.assertEqual(self.bytes_of("s.sweep/results.db"), self.bytes_of("whole/results.db"))

    def test_an_interrupted_sweep_says_so(self):
        self.write("s.textproto", SWEEP)
        p = subprocess.Popen([harness.HEDDLE, "sweep", "s.textproto", "-j", "2"], cwd=self.dir,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while len(self.events("s.sweep", "done")) < 2 and p.poll() is None:
            time.sleep(0.002)
        p.send_signal(signal.SIGINT)
        _, err = p.communicate(timeout=60)
        self.assertEqual(p.returncode, 130, err)
        self.assertRegex(err, rf"interrupted: \d+ of {RUNS} runs done; the same command goes on")
        self.assertEqual(self.events("s.sweep", "failed"), [])
        self.ok("sweep", "s.sweep")  # the folder names the sweep too
        self.assertIn(f"{RUNS} done", self.ok("sweep", "status", "s.sweep").stdout)

    def test_failures_are_named_and_the_rest_is_kept(self):
        os.mkdir(self.path("stuck"))
        self.deadlock("stuck/kernel-1")
        self.write("stuck/kernelslist.g", "kernel-1.traceg\n")
        self.write("torn/kernel-1.traceg", harness.trace_text()[:600])
        self.write("torn/kernelslist.g", "kernel-1.traceg\n")
        self.write("s.textproto", 'trace: "app" trace: "stuck" trace: "torn" gpu: "h200"\n'
                                  'axis { path: "l2.ways" value: "10" value: "20" }')
        p = self.heddle("sweep", "s.textproto")
        self.assertEqual(p.returncode, 1)
        self.assertIn("4 of 8 runs failed", p.stderr)
        self.assertRegex(p.stdout, r"point 1 h200 stuck/1 +deadlock +1 ")
        self.assertEqual(
            self.query("s.sweep/results.db", "SELECT run_id, trace, launch, attempts, kind FROM sweep_failures"),
            [(1, "stuck", 1, 1, "deadlock"), (1, "torn", 1, 1, "error"),
             (2, "stuck", 1, 1, "deadlock"), (2, "torn", 1, 1, "error")])
        self.assertEqual(self.query("s.sweep/results.db", "SELECT count(*) FROM launches"), [(4,)])
        # They would fail again; with a repaired trace they do not.
        self.assertEqual(self.heddle("sweep", "s.textproto").returncode, 1)
        self.assertEqual(len(self.events("s.sweep", "start")), 8)
        self.write("torn/kernel-1.traceg", harness.trace_text())
        self.assertEqual(self.heddle("sweep", "s.textproto").returncode, 1)
        self.assertEqual(self.query("s.sweep/results.db", "SELECT DISTINCT trace FROM sweep_failures"), [("stuck",)])
        self.assertEqual(self.heddle("sweep", "s.textproto", "--retry-failed").returncode, 1)
        self.assertEqual(self.query("s.sweep/results.db", "SELECT DISTINCT attempts FROM sweep_failures"), [(2,)])

    def test_time_outs_are_tried_again(self):
        self.write("app/kernel-2.traceg", harness.trace_text(blocks=20000, warps=8))
        self.write("s.textproto", 'trace: "app" gpu: "h200" timeout_s: 0.25 retries: 1')
        p = self.heddle("sweep", "s.textproto")
        self.assertEqual(p.returncode, 1)
        self.assertIn("point 0 h200 app/2: timeout, attempt 2: not finished after 0.25 s", p.stderr)
        self.assertEqual(self.query("s.sweep/results.db", "SELECT launch, attempts, kind FROM sweep_failures"),
                         [(2, 2, "timeout")])
        self.assertEqual(self.query("s.sweep/results.db", "SELECT launch FROM launches"), [(1,)])
        self.ok("sweep", "s.textproto", "--retry-failed", "--timeout", "0")
        self.assertEqual(self.query("s.sweep/results.db", "SELECT count(*) FROM sweep_failures"), [(0,)])

    def test_impossible_points(self):
        text = 'trace: "app" gpu: "h200" axis { path: "l2.ways" value: "20" value: "19" value: "10" }'
        self.write("s.textproto", text)
        self.fails("sweep", "s.textproto",
                   says=("1 of 3 configurations are impossible", "point 1 (l2.ways=19)", "not a multiple of l2.slices"))
        self.assertFalse(os.path.exists(self.path("s.sweep")))
        out = self.ok("sweep", "s.textproto", "--skip-impossible").stdout
        self.assertIn("1 impossible configurations left out\n  point 1 h200 (l2.ways=19): ", out)
        self.assertEqual(self.query("s.sweep/results.db", "SELECT point, gpu FROM sweep_skipped"), [(1, "h200")])
        self.assertEqual(self.query("s.sweep/results.db", "SELECT DISTINCT point FROM sweep_points"), [(0,), (2,)])

    def test_errors(self):
        self.fails("sweep", says="FILE is required")
        self.fails("sweep", "no.textproto", says="no.textproto: cannot be read")
        self.fails("sweep", "app", says="app: no folder of a sweep")
        self.write("s.textproto", 'trace: "app"\ngpuz: "h200"\n')
        self.fails("sweep", "s.textproto", says=("s.textproto:2:5", "gpuz", "there are: trace, gpu"))
        self.write("s.textproto", 'trace: "app" gpu: "h300"')
        self.fails("sweep", "s.textproto", says=("h300", "h200"))
        self.write("s.textproto", 'trace: "nowhere" gpu: "h200"')
        self.fails("sweep", "s.textproto", says="nowhere")
        self.write("s.textproto", 'trace: "app" gpu: "h200" axis { path: "l2.wayz" value: "1" }')
        self.fails("sweep", "s.textproto", says=("axis \"l2.wayz\"", "l2.ways"))

    def test_dry_run_lists_the_points(self):
        self.write("s.textproto", 'trace: "app" gpu: "h200" axis { path: "l2.ways" value: "20" value: "10" }')
        out = self.ok("sweep", "s.textproto", "--dry-run").stdout
        self.assertRegex(out, r"\n +0 +20  h200  [0-9a-f]{16}\n +1 +10  h200  [0-9a-f]{16}\n")
        self.assertFalse(os.path.exists(self.path("s.sweep")))


if __name__ == "__main__":
    unittest.main()
