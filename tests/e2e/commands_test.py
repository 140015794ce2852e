"""The commands as a user types them, on the shipped kernels."""
import csv
import os
import re
import signal
import subprocess
import time
import unittest

from tests.e2e import shipped

VECADD = os.path.join(shipped.TRACES, "vecadd")
LATIN = os.path.join(os.getcwd(), "configs", "sweeps", "latin.textproto")
CHASE = os.path.join(shipped.TRACES, "chase_l1")


class Commands(shipped.HeddleTest):
    def test_run_prints_a_table_and_report_prints_it_again(self):
        printed = self.ok("run", VECADD, CHASE, "--gpu", "h200", "--out", "r.db").stdout
        reported = self.ok("report", "r.db").stdout
        for out in (printed, reported):
            self.assertIn("NVIDIA H200", out)
            self.assertIn("2 of 2 launches, 664,607 warp instructions", out)
            self.assertRegex(out, r"vecadd +1 +k_vecadd +[0-9,]+ ")
            self.assertIn("largest stalls", out)

    def test_report_of_one_kernel(self):
        self.ok("run", VECADD, "--gpu", "h200", "--out", "r.db")
        out = self.ok("report", "r.db", "--kernel", "vecadd").stdout
        for text in ("k_vecadd(float const*, float const*, float*, int)", "(4096, 1, 1), (256, 1, 1)",
                     "limited by warps", "dependences           control bits", "stalls, % of warp-cycles"):
            self.assertIn(text, out)

    def test_the_shipped_sweep_of_random_points(self):
        out = self.ok("sweep", LATIN, "--out", "latin.sweep").stdout
        left_out = int(re.search(r"(\d+) impossible configurations left out", out)[1]) if "left out" in out else 0
        self.assertIn(f"{24 - left_out} done, 0 running, 0 to do, 0 failed", out)
        self.assertGreaterEqual(24 - left_out, 12)
        rows = self.query("latin.sweep/results.db", "SELECT gpu, axis, value FROM sweep_points JOIN runs ON run_id = id")
        for gpu in ("h200", "a100"):
            # Twelve strata of each range, a point in each, unless one of them is no possible machine.
            mhz = [float(v) for g, a, v in rows if (g, a) == (gpu, "clocks.core_mhz")]
            self.assertEqual(len({int((m - 1200) / (800 / 12)) for m in mhz}), len(mhz))
            self.assertTrue(all(float(v) % 4 == 0 for g, a, v in rows if a == "l2.ways"))

    def test_summary(self):
        self.ok("run", VECADD, CHASE, "--gpu", "h200", "--summary", "s.csv")
        with open(self.path("s.csv"), newline="") as f:
            table = list(csv.DictReader(f))
        self.assertEqual(list(table[0]), ["trace", "launch", "kernel", "cycles", "sm_active_cycles",
                                          "warp_instructions", "wall_seconds"])
        self.assertEqual([(r["trace"], r["warp_instructions"]) for r in table],
                         [("vecadd", "655360"), ("chase_l1", "9247")])

    def test_the_whole_folder_is_one_argument(self):
        # Planned only: the output cannot be written, and that is found out first.
        self.fails("run", shipped.TRACES, "--gpu", "h200", "--out", "no/such/folder/r.db", says="no/such/folder")

    def test_validate_one_kernel(self):
        args = ["validate", "--reference", shipped.SUITE, "--traces", shipped.TRACES, "--gpu", "h200",
                "--kernel", "chase_l1"]
        out = self.ok(*args, "--out", "v.db").stdout
        self.assertRegex(out, r"chase_l1 +225,995 +[0-9,]+ +[-+][0-9.]+ %")
        self.assertIn("cycles: error of 1 kernels", out)
        self.assertEqual(out, self.ok("validate", "--reference", shipped.SUITE, "--results", "v.db",
                                      "--kernel", "chase_l1").stdout)
        metrics = self.ok(*args, "--metric", "all").stdout
        self.assertRegex(metrics, r"smsp__inst_executed\.sum +1 +1 +0\.0 %")
        self.assertIn("largest stall reason", self.ok(*args, "--stalls").stdout)

    def test_config(self):
        self.assertIn("h200", self.ok("config", "list").stdout)
        self.write("mine.textproto", self.ok("config", "show", "h200", "--set", "l2.ways=10").stdout)
        self.assertIn("l2.ways", self.ok("config", "diff", "h200", "mine.textproto").stdout)
        self.ok("config", "check", "h200", "mine.textproto")
        self.ok("run", CHASE, "--gpu", "mine.textproto")

    def test_config_check_names_the_assumed_values_that_matter(self):
        """Of three assumed values the chain of loads that hit L1 waits for one; by how much, two runs say as well."""
        self.write("mine.textproto", self.ok("config", "show", "h200").stdout.replace("kind: ASSUMED", "kind: MODEL"))
        values = ["--set", "sm.l1.hit_latency_32=30", "--set", "sm.shared.atomic_latency=26", "--set", "tlb.walkers=16"]
        out = self.ok("config", "check", "mine.textproto", "--matter", CHASE, "--fidelity", "fast", "--jobs", "2",
                      "--csv", "m.csv", *values).stdout
        cycles = []
        for latency in (30, 33, 27):
            self.ok("run", CHASE, "--gpu", "mine.textproto", "--fidelity", "fast", *values,
                    "--set", f"sm.l1.hit_latency_32={latency}", "--summary", "s.csv")
            with open(self.path("s.csv"), newline="") as f:
                cycles.append(int(next(csv.DictReader(f))["cycles"]))
        change = max(abs(c / cycles[0] - 1) for c in cycles[1:])
        self.assertGreater(change, 0.05)
        self.assertIn("mine.textproto: 1 of 3 assumed numbers outside the host matter to the cycles of 1 launches", out)
        self.assertRegex(out, rf"\nsm\.l1\.hit_latency_32 +30 +{100 * change:.1f} %\n")
        with open(self.path("m.csv"), newline="") as f:
            rows = [(r["gpu"], r["value"], r["is"], float(r["change"])) for r in csv.DictReader(f)]
        self.assertEqual(rows, [("h200", "sm.l1.hit_latency_32", "30", change), ("h200", "sm.shared.atomic_latency", "26", 0),
                                ("h200", "tlb.walkers", "16", 0)])

    def test_interruption_keeps_finished_kernels(self):
        names = ["chase_l1", "divergent", "softmax", "dgemm", "bulk_copy", "gemm_wmma"]
        p = subprocess.Popen([shipped.HEDDLE, "run", *(os.path.join(shipped.TRACES, n) for n in names),
                              "--gpu", "h200", "--out", "r.db", "--summary", "s.csv", "--quiet"],
                             cwd=self.dir, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
        try:
            deadline = time.monotonic() + 60
            while not (os.path.exists(self.path("s.csv")) and os.path.getsize(self.path("s.csv"))):
                self.assertIsNone(p.poll(), "ended too early")
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            p.send_signal(signal.SIGINT)
            _, err = p.communicate(timeout=60)
        finally:
            p.kill()
            p.wait()
        self.assertEqual(p.returncode, 130, err)
        kept = [t for (t,) in self.query("r.db", "SELECT trace FROM launches ORDER BY id")]
        self.assertTrue(0 < len(kept) < len(names), kept)
        self.assertEqual(kept, names[:len(kept)])
        self.assertIn(f"{len(kept)} of {len(names)} launches finished", err)
        counters = "SELECT count(*) FROM counters GROUP BY launch_id"
        self.assertEqual(len(set(self.query("r.db", counters))), 1)
        self.assertEqual(len(self.query("r.db", counters)), len(kept))
        self.assertEqual(self.query("r.db", "PRAGMA integrity_check"), [("ok",)])


if __name__ == "__main__":
    unittest.main()
