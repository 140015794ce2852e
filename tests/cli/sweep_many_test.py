"""Thousands of runs by several processes at once, killed and continued: every run once, in little memory."""
import glob
import os
import signal
import subprocess
import time
import unittest

from tests.cli import harness

# A machine of two SMs: what a run costs here is what a sweep adds to a simulation.
SWEEP = """\
trace: "app"
gpu: "h200"
set: "topology.sms=2"
set: "topology.tpcs_per_gpc=1"
axis { path: "sm.l1.hit_latency_32" range { from: "20" to: "31" count: 12 } }
axis { path: "sm.l1.miss_latency" range { from: "20" to: "103" count: 84 } }
axis { path: "l2.ways" value: "10" value: "20" }
"""
RUNS = 12 * 84 * 2
CHUNK = 252
WORKERS = 4
KILLED_AT = 300   # runs that are done
MOST_MIB = 200    # of the command that reads and merges all shards


class SweepMany(harness.HeddleTest):
    def events(self, event):
        keys = []
        for name in glob.glob(self.path("s.sweep", "journal", "*.log")):
            with open(name) as f:
                keys += [line.split("\t")[1] for line in f if line.startswith(event + "\t") and line.endswith("\n")]
        return keys

    def worker(self, task):
        return subprocess.Popen([harness.HEDDLE, "sweep", "slurm-task", "s.sweep", "--round", self.path("s.sweep/slurm/1"),
                                 "--task", str(task), "--jobs", "1"], cwd=self.dir, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def test_every_run_is_there_once(self):
        self.capture("app", kernels=1, blocks=2)
        self.write("s.textproto", SWEEP)
        # Who submits the tasks makes no difference to them: here it is nobody, and this test starts them.
        self.write("bin/sbatch", "#!/bin/sh\necho 1\n")
        os.chmod(self.path("bin/sbatch"), 0o755)
        subprocess.run([harness.HEDDLE, "sweep", "s.textproto", "--slurm", "--no-watch", "--chunk", str(CHUNK)], cwd=self.dir,
                       check=True, env=os.environ | {"PATH": self.path("bin") + ":" + os.environ["PATH"]},
                       stdout=subprocess.DEVNULL)
        workers = [self.worker(t) for t in range(WORKERS)]
        deadline = time.monotonic() + 120
        while len(self.events("done")) < KILLED_AT:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        for w in workers:
            w.send_signal(signal.SIGKILL)
            w.wait()
        done = set(self.events("done"))
        self.assertTrue(KILLED_AT <= len(done) < RUNS)
        # The rest of these tasks by as many processes again, and what nobody has begun by the command itself.
        workers = [self.worker(t) for t in range(WORKERS, RUNS // CHUNK)]
        self.assertEqual([w.wait() for w in workers], [0] * len(workers))
        self.ok("sweep", "s.textproto", "-j", "2", "-q")

        # One run of each killed process was in flight: begun again, or stored and not yet called done.
        events = self.events("done")
        self.assertEqual(len(set(events)), len(events))
        self.assertTrue(RUNS - WORKERS <= len(events) <= RUNS, len(events))
        self.assertLessEqual(len(self.events("start")), RUNS + WORKERS)
        shards = [os.path.relpath(f, self.dir) for f in glob.glob(self.path("s.sweep", "shards", "*.db"))]
        self.assertGreater(len(shards), WORKERS)
        self.assertEqual(sum(self.query(f, "SELECT count(*) FROM launches")[0][0] for f in shards), RUNS)
        for sql, count in (("SELECT count(*) FROM runs", RUNS), ("SELECT count(*) FROM launches", RUNS),
                           ("SELECT count(DISTINCT config_hash) FROM runs", RUNS),
                           ("SELECT count(DISTINCT run_id) FROM launches", RUNS),
                           ("SELECT count(DISTINCT point) FROM sweep_points", RUNS),
                           ("SELECT count(*) FROM sweep_failures", 0)):
            self.assertEqual(self.query("s.sweep/results.db", sql), [(count,)], sql)

        # Nothing is left to do but to read and merge the shards.
        p = subprocess.Popen([harness.HEDDLE, "sweep", "s.textproto", "-q"], cwd=self.dir, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(status, 0)
        self.assertEqual(self.events("done"), events)
        self.assertLess(used.ru_maxrss / 1024, MOST_MIB)


if __name__ == "__main__":
    unittest.main()
