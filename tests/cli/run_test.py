"""heddle run, report, metrics, config: what they leave behind and print."""
import csv
import os
import sqlite3
import unittest

from tests.cli import harness

ALL_BUT_HOST = ("runs", "launches", "counters", "metrics", "stalls", "unknown_opcodes", "sampling")


class Run(harness.HeddleTest):
    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def counter(self, db, name):
        return self.query(db, f"SELECT value FROM counters WHERE name = '{name}' ORDER BY launch_id")

    def test_summary_has_the_promised_columns(self):
        self.capture("app", kernels=2)
        self.ok("run", "app", "--gpu", "h200", "--summary", "s.csv")
        with open(self.path("s.csv")) as f:
            rows = list(csv.DictReader(f))
        self.assertEqual(list(rows[0]), ["trace", "launch", "kernel", "cycles", "sm_active_cycles",
                                         "warp_instructions", "wall_seconds"])
        self.assertEqual([(r["trace"], r["launch"], r["kernel"]) for r in rows],
                         [("app", "1", "_Z6vecaddPfS_"), ("app", "2", "_Z6vecaddPfS_")])
        self.assertEqual([int(r["warp_instructions"]) for r in rows],
                         [b * 2 * harness.WARP_INSTRUCTIONS for b in (4, 8)])
        for r in rows:
            self.assertGreater(int(r["cycles"]), int(r["sm_active_cycles"]))
            self.assertGreater(float(r["wall_seconds"]), 0)

    def test_database(self):
        self.capture("app", kernels=2)
        self.ok("run", "app", "--gpu", "h200", "--out", "r.db", "--set", "l2.far_latency=80")
        self.assertEqual(self.query("r.db", "SELECT gpu, fidelity, overrides, launches_planned FROM runs"),
                         [("h200", "default", "l2.far_latency=80\n", 2)])
        self.assertEqual(self.query("r.db", "SELECT trace, launch, grid_x, used_control_bits FROM launches"),
                         [("app", 1, 4, 0), ("app", 2, 8, 0)])
        self.assertEqual(self.counter("r.db", "smsp__inst_executed.sum"), [(48,), (96,)])
        uncatalogued = "SELECT count(*) FROM counters WHERE name NOT IN (SELECT name FROM metrics)"
        self.assertEqual(self.query("r.db", uncatalogued), [(0,)])
        self.assertIn("far_latency: 80", self.query("r.db", "SELECT config_text FROM runs")[0][0])

    def test_what_launches_leave_in_the_l2(self):
        self.capture("app", kernels=2)
        self.capture("other", kernels=2)
        dram = lambda db: [v for v, in self.counter(db, "dram__bytes_read.sum")]
        self.ok("run", "app", "other", "--gpu", "h200", "--out", "flush.db")
        cold = dram("flush.db")
        self.assertGreater(min(cold), 0)
        self.ok("run", "app", "other", "--gpu", "h200", "--out", "keep.db", "--between", "keep")
        kept = dram("keep.db")
        # The second launch reads what the first one has read, and as much again; another recording has another machine.
        self.assertEqual(kept[0], cold[0])
        self.assertEqual(kept[1], cold[1] - cold[0])
        self.assertEqual(kept[2:], kept[:2])
        self.ok("run", "app", "--gpu", "h200", "--out", "warm.db", "--warm-up", "1")
        self.assertEqual(dram("warm.db"), [0, 0])
        self.assertEqual(self.query("warm.db", "SELECT overrides FROM runs"), [("--warm-up=1\n",)])
        self.assertEqual(self.query("keep.db", "SELECT overrides FROM runs"), [("--between=keep\n",)])
        for jobs in ("1", "4"):
            self.ok("run", "app", "other", "--gpu", "h200", "--out", f"{jobs}.db", "--between", "keep", "--jobs", jobs,
                    "--no-host-timing")
        self.assertEqual(self.read("1.db"), self.read("4.db"))
        self.fails("run", "app", "--gpu", "h200", "--between", "real", says="keep")
        self.fails("run", "app", "--gpu", "h200", "--warm-up", "1", "--sample", says="--between flush")
        self.fails("run", "app", "--gpu", "h200", "--between", "keep", "--checkpoint", "c", "--checkpoint-at", "9", says="--between flush")

    def test_sample(self):
        machine = ["--gpu", "h200", "--set", "topology.sms=2", "--set", "topology.tpcs_per_gpc=[1]"]
        self.capture("short", kernels=1, blocks=8)
        self.capture("long", kernels=1, blocks=6000)
        out = self.ok("run", "short", "long", *machine, "--sample", "--out", "s.db", "--no-host-timing").stdout
        self.assertIn("note: short launch 1: not sampled: fewer than 4 waves of blocks\n", out)
        self.assertRegex(out, r"note: long launch 1: sampled, \+- [0-9.]+ %, [0-9,]+ of 6,000 blocks simulated\n")
        self.ok("run", "short", "long", *machine, "--out", "full.db")
        self.assertEqual(self.query("full.db", "SELECT count(*) FROM sampling"), [(0,)])
        rows = self.query("s.db", "SELECT sampled, total_blocks, detailed_blocks < total_blocks, reason FROM sampling")
        self.assertEqual(rows, [(0, 8, 0, "fewer than 4 waves of blocks"), (1, 6000, 1, "")])
        inst = "SELECT warp_instructions FROM launches"
        self.assertEqual(self.query("s.db", inst), self.query("full.db", inst))
        (low, high), = self.query("s.db", "SELECT cycles_low, cycles_high FROM sampling WHERE launch_id = 2")
        (full,), = self.query("full.db", "SELECT cycles FROM launches WHERE id = 2")
        self.assertTrue(low <= full <= high, (low, full, high))
        self.ok("run", "short", "long", *machine, "--sample", "--out", "t.db", "--no-host-timing", "--threads", "2")
        self.assertTrue(self.read("s.db") == self.read("t.db"))
        self.assertIn("sampled, +- ", self.ok("report", "s.db").stdout)

    def test_equal_runs_give_equal_bytes_for_any_number_of_threads(self):
        for name in ("a", "b", "c"):
            self.capture(name, kernels=2, blocks=30)
        extra = {"1.db": [], "2.db": [], "3.db": ["--threads", "2"], "4.db": ["--jobs", "3"], "6.db": ["--cpus", "3"]}
        for db, options in extra.items():
            self.ok("run", "a", "b", "c", "--gpu", "h200", "--out", db, "--no-host-timing", *options)
        for db in ("2.db", "3.db", "4.db", "6.db"):
            self.assertTrue(self.read("1.db") == self.read(db), db)
        self.ok("run", "a", "b", "c", "--gpu", "h200", "--out", "5.db", "--threads", "2")
        for table in ALL_BUT_HOST:
            rows = f"SELECT * FROM {table}"
            self.assertEqual(self.query("1.db", rows), self.query("5.db", rows))
        self.assertEqual(self.query("5.db", "SELECT DISTINCT threads FROM host_timing"), [(2,)])
        one, five = (self.ok("report", db, "--hash").stdout for db in ("1.db", "5.db"))
        self.assertEqual(one, five)

    def test_an_existing_database(self):
        self.capture("app")
        self.ok("run", "app", "--gpu", "h200", "--out", "r.db")
        self.fails("run", "app", "--gpu", "h200", "--out", "r.db", says=["r.db", "--append", "--force"])
        self.ok("run", "app", "--gpu", "h200", "--out", "r.db", "--append")
        self.assertEqual(self.query("r.db", "SELECT id FROM runs"), [(1,), (2,)])
        self.ok("run", "app", "--gpu", "h200", "--out", "r.db", "--force")
        self.assertEqual(self.query("r.db", "SELECT id FROM runs"), [(1,)])

    def test_paths(self):
        self.capture("all/one")
        self.capture("all/two", kernels=2)
        for path, launches in (("all", 3), ("all/two", 2), ("all/two/kernelslist.g", 2),
                               ("all/two/kernel-2.traceg", 1)):
            with self.subTest(path):
                self.ok("run", path, "--gpu", "h200", "--summary", "s.csv")
                with open(self.path("s.csv")) as f:
                    self.assertEqual(len(f.readlines()), 1 + launches)

    def test_table_and_report(self):
        self.capture("app", kernels=2)
        out = self.ok("run", "app", "--gpu", "h200", "--out", "r.db").stdout
        report = self.ok("report", "r.db").stdout
        for text in (out, report):
            self.assertIn("h200 (NVIDIA H200", text)
            self.assertIn("2 of 2 launches, 144 warp instructions", text)
            self.assertIn("L2 hit %", text)
        details = self.ok("report", "r.db", "--kernel", "app/2").stdout
        self.assertIn("app launch 2: vecadd(float*, float*)", details)
        self.fails("report", "r.db", "--kernel", "nope", says=["r.db", "nope"])
        self.assertRegex(self.ok("report", "r.db", "--relations").stdout, r"^\d+ relations between counters, 2 launches: all hold$")
        with sqlite3.connect(self.path("r.db")) as c:
            c.execute("UPDATE counters SET value = value + 1 WHERE launch_id = 2 AND name = 'lts__t_sectors_op_read.sum'")
        self.fails("report", "r.db", "--relations", says=["app/2: ", "lts__t_sectors_op_read.sum + "])
        self.fails("report", "r.db", "--run", "9", says="no run 9; the last one is ")
        self.fails("report", "r.db", "--kernel", "none", says="has no launch 'none'; there are: ")

    def test_cluster_size(self):
        self.capture("app")
        self.ok("run", "app", "--gpu", "h200", "--cluster", "2", "--out", "c.db")
        self.ok("import", "app", "-o", "app.heddle")
        self.ok("run", "app.heddle", "--gpu", "h200", "--cluster", "2,1", "--out", "c.db", "--append")
        self.assertEqual(self.query("c.db", "SELECT cluster_x, cluster_y, cluster_z FROM launches"), [(2, 1, 1)] * 2)
        self.fails("run", "app", "--gpu", "h200", "--cluster", "3", says=["kernel-1.traceg", "cluster"])

    def test_clusters_of_unknown_size_are_warned_about(self):
        body = harness.BODY.replace("0050 ffffffff 0 EXIT 0 0", "0050 ffffffff 0 UCGABAR_ARV 0 0\n"
                                    "0060 ffffffff 0 UCGABAR_WAIT 0 0\n0070 ffffffff 0 EXIT 0 0")
        self.capture("app", body=body)
        warning = "heddle: warning: app/kernel-1.traceg: the kernel synchronises clusters, but the trace names no cluster size"
        self.assertIn(warning, self.ok("run", "app", "--gpu", "h200").stderr)
        self.assertEqual(self.ok("run", "app", "--gpu", "h200", "--cluster", "2,1,1").stderr, "")
        self.assertEqual(self.ok("run", "app", "--gpu", "h200", "--cluster", "1").stderr, "")

    def test_the_current_folder_stands_in_for_no_shipped_gpu(self):
        self.capture("app")
        for name in ("h200", "mine"):
            text = self.ok("config", "show", "h200", "--set", "l2.far_latency=4000").stdout
            self.write(f"configs/gpus/{name}.textproto", text.replace('name: "h200"', f'name: "{name}"'))
        other = {"HEDDLE_CONFIGS": self.path("configs"), **os.environ}
        for options, gpu, file in (({}, "h200", None), ({}, "mine", "configs/gpus/mine.textproto"),
                                   ({"env": other}, "h200", self.path("configs/gpus/h200.textproto"))):
            with self.subTest(gpu=gpu, file=file):
                p = self.heddle("run", "app", "--gpu", gpu, **options)
                said = f'heddle: GPU "{gpu}" is {file}, none of those shipped\n' if file else ""
                self.assertEqual((p.returncode, p.stderr), (0, said))

    def test_nothing_on_stderr_when_nothing_is_wrong(self):
        self.capture("app")
        self.assertEqual(self.ok("run", "app", "--gpu", "h200").stderr, "")

    def test_unknown_opcodes_are_counted_and_warned_about(self):
        self.capture("app", body=harness.BODY.replace("FADD", "FNEW.X"))
        p = self.ok("run", "app", "--gpu", "h200", "--out", "r.db")
        self.assertIn("heddle: warning: ", p.stderr)
        self.assertRegex(p.stderr, r"FNEW\.X \d+")
        self.assertEqual(self.query("r.db", "SELECT opcode FROM unknown_opcodes"), [("FNEW.X",)])
        self.assertEqual(self.counter("r.db", "heddle__unknown_opcodes.sum"), [(8,)])
        self.assertRegex(self.ok("report", "r.db").stdout, r"FNEW\.X \d+")
        self.fails("run", "app", "--gpu", "h200", "--strict", says=["kernel-1.traceg", "FNEW.X"])

    def test_metrics(self):
        out = self.ok("metrics").stdout
        for name in ("gpc__cycles_elapsed.max", "sm__warps_active.avg.pct_of_peak_sustained_active",
                     "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"):
            self.assertIn(name, out)
        self.assertEqual(len(self.ok("metrics", "dram__bytes").stdout.splitlines()), 4)
        # Meanings are searched, too: no name has this.
        self.assertIn("lts__t_sectors.sum", self.ok("metrics", "l2 SECTOR look-ups").stdout)
        self.fails("metrics", "no_such", says="no_such")

    def test_config(self):
        self.assertIn("h200", self.ok("config", "list").stdout)
        self.write("configs/gpus/broken.textproto", "nonsense")
        self.assertRegex(self.ok("config", "list").stdout, r"broken +cannot be used: heddle config check broken")
        shown = self.ok("config", "show", "h200", "--set", "l2.ways=10").stdout
        self.assertIn("ways: 10", shown)
        self.write("mine.textproto", shown)
        self.assertIn("no difference", self.ok("config", "diff", "mine.textproto", "mine.textproto").stdout)
        difference = self.ok("config", "diff", "h200", "mine.textproto").stdout
        self.assertIn("l2.ways", difference)
        self.fails("config", "check", "broken", says="broken.textproto")
        self.fails("config", "show", "h200", "--set", "l2.way=10", says="l2.way")

    def test_version_and_help(self):
        self.assertIn("heddle", self.ok("--version").stdout)
        self.assertIn("validate", self.ok("--help").stdout)
        self.assertIn("--fidelity", self.ok("run", "--help").stdout)

    def test_a_detached_working_directory_is_no_obstacle(self):
        self.capture("app")
        os.mkdir(self.path("elsewhere"))
        p = self.heddle("run", self.path("app"), "--gpu", "h200")
        self.assertEqual(p.returncode, 0, p.stderr)


if __name__ == "__main__":
    unittest.main()
