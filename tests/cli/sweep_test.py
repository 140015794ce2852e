"""heddle sweep on this machine: results, resumption, failures, errors."""
import glob
import gzip
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
GEN_TRACE = os.path.abspath("tools/gen_trace")


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
        # One launch takes milliseconds, the other, of 40 M warp instructions, several times the limit: also on a
        # machine that is busy with something else, or fast.
        subprocess.run([GEN_TRACE, self.path("app/kernel-2.heddle"), "--blocks", "3200"], check=True,
                       stdout=subprocess.DEVNULL)
        self.write("app/kernelslist.g", "kernel-1.traceg\nkernel-2.heddle\n")
        self.write("s.textproto", 'trace: "app" gpu: "h200" timeout_s: 2 retries: 1')
        p = self.heddle("sweep", "s.textproto")
        self.assertEqual(p.returncode, 1)
        self.assertIn("point 0 h200 app/2: timeout, attempt 2: not finished after 2 s", p.stderr)
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

    def test_values_that_are_none(self):
        head = 'trace: "app"\ngpu: "h200"\n'
        ways = 'axis { path: "l2.ways" value: "20" }\n'
        for text, says in (
                (head + ways + "retries: 4294967295", ["s.textproto:4: retries = 4294967295", "0 to 100"]),
                (head + "timeout_s: nan", ["s.textproto:3: timeout_s = nan", "0 (never) to"]),
                (head + "timeout_s: inf", "s.textproto:3: timeout_s = inf"),
                (head + "timeout_s: 1e300", "s.textproto:3: timeout_s = 1e+300"),
                (head + "timeout_s: -1", "s.textproto:3: timeout_s = -1"),
                (head + ways + 'axis { path: "l2.slices" range { from: "1" to: "1e300" step: "1" } }',
                 ["s.textproto: the axes make 1e+15 points; at most 20000", "max_points", "1000000"]),
                (head + 'axis { path: "l2.ways" range { from: "9" to: "x" step: "1" } }', 's.textproto:3: axis "l2.ways"'),
                (head + ways + 'axis { path: "l2.wayz" value: "1" }', 's.textproto:4: axis "l2.wayz"'),
                (head + ways + 'axis { path: "seed" range { from: "3" to: "1" count: 2 } }', 's.textproto:4: axis "seed"'),
                (head + 'axis { name: "cycles" path: "l2.ways" value: "20" }', ["s.textproto:3: axis 1", "the name is taken"]),
                (head + 'axis { name: "time" path: "l2.ways" value: "20" }', "the name is taken"),
                (head + 'gpu: ""', "s.textproto:3: gpu is empty"),
                (head + 'trace: ""', "s.textproto:3: trace is empty"),
                (head + 'fidelity: ""', "s.textproto:3: fidelity is empty"),
                (head + "max_points: 0", ["s.textproto:3: max_points = 0", "1 to 1000000"]),
                (head + "max_points: 5 design: RANDOM samples: 6", "make 6 points; at most 5"),
                (head + "max_points: 1000000 design: RANDOM samples: 1000001", "make 1000001 points; at most 1000000 are possible")):
            with self.subTest(text):
                self.write("s.textproto", text)
                self.fails("sweep", "s.textproto", "--dry-run", says=says)

    def test_a_million_points_are_refused_at_once(self):
        self.write("s.textproto", 'trace: "app" gpu: "h200" '
                   'axis { path: "sm.l1.hit_latency_32" range { from: "1" to: "1000" step: "1" } } '
                   'axis { path: "sm.l1.miss_latency" range { from: "1" to: "1000" step: "1" } }')
        start = time.monotonic()
        self.fails("sweep", "s.textproto", "--dry-run", says="the axes make 1000000 points; at most 20000")
        self.assertLess(time.monotonic() - start, 5)

    def test_a_compressed_side_file_that_changes(self):
        """Its control bits count, so the runs are done again."""
        self.write("one/kernelslist.g", "kernel-1.traceg\n")
        self.deadlock("one/kernel-1")
        with open(self.path("one/kernel-1.sass")) as f:
            text = f.read()
        os.remove(self.path("one/kernel-1.sass"))
        trace = harness.trace_text(name="_Z5stuckv", blocks=1, warps=1,
                                   body="0000 ffffffff 1 R0 S2R 0 0\n0030 ffffffff 0 EXIT 0 0\n")
        self.write("one/kernel-1.traceg", trace)
        self.write("s.textproto", 'trace: "one" gpu: "h200"')
        cycles = []
        for control in ("000fea0000002100", "000ff60000002100"):  # another stall count
            with gzip.open(self.path("one/kernel-1.sass.gz"), "wt") as f:
                f.write(text.replace("000fea0000002100", control))
            p = self.ok("sweep", "s.textproto")
            self.assertIn("1 of 1 runs to do", p.stderr)
            cycles.append(self.query("s.sweep/results.db", "SELECT cycles FROM launches")[0][0])
        p = self.ok("sweep", "s.textproto")
        self.assertIn("0 of 1 runs to do", p.stderr)
        self.assertNotEqual(*cycles)

    def test_a_killed_simulation_takes_no_other_with_it(self):
        """The process of one simulation is killed, once; the sweep counts that and does it again."""
        self.write("app/kernel-2.traceg", harness.trace_text(blocks=30000, warps=8))
        self.write("s.textproto", 'trace: "app" gpu: "h200" axis { path: "l2.ways" value: "10" value: "20" }')
        p = subprocess.Popen([harness.HEDDLE, "sweep", "s.textproto", "-j", "2", "-q"], cwd=self.dir,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        victim = self.busy_worker(p.pid)
        os.kill(victim, signal.SIGSEGV)
        out, err = p.communicate(timeout=120)
        self.assertEqual(p.returncode, 0, err)
        self.assertRegex(err, r"point \d h200 app/2: killed, attempt 1: the process of the simulation was ended by "
                              r"signal 11 \(Segmentation fault\)")
        self.assertIn("4 done, 0 running, 0 to do, 0 failed", out)

    def test_dry_run_lists_the_points(self):
        self.write("s.textproto", 'trace: "app" gpu: "h200" axis { path: "l2.ways" value: "20" value: "10" }')
        out = self.ok("sweep", "s.textproto", "--dry-run").stdout
        self.assertRegex(out, r"\n +0 +20  h200  [0-9a-f]{16}\n +1 +10  h200  [0-9a-f]{16}\n")
        self.assertFalse(os.path.exists(self.path("s.sweep")))


if __name__ == "__main__":
    unittest.main()
