"""heddle validate."""
import csv
import os
import unittest

from tests.cli import harness

TABLE = """\
name,cycles_median,sm_active_cycles_max_median,grid,smsp__inst_executed.sum,\
smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
one,5000,1000,"(4, 1, 1)",48,3.5
two,6000,,"(4, 1, 1)",50,2
"""


class Validate(harness.HeddleTest):
    def setUp(self):
        super().setUp()
        self.capture("t/one")
        self.capture("t/two")
        self.write("ref.csv", TABLE)
        self.args = ["validate", "--reference", "ref.csv", "--traces", "t", "--gpu", "h200"]

    def test_cycles(self):
        out = self.ok(*self.args, "--csv", "v.csv", "--out", "v.db").stdout
        self.assertRegex(out, r"one +5,000 +[0-9,]+ +[-+][0-9.]+ %")
        self.assertRegex(out, r"cycles: error of 2 kernels: mean .* median .* 90th percentile .* largest")
        self.assertRegex(out, r"within 5 %: .* of 2; correlation")
        self.assertIn("SM-active cycles: error of 1 kernels", out)
        with open(self.path("v.csv")) as f:
            rows = list(csv.DictReader(f))
        self.assertEqual(
            [(r["name"], r["metric"], r["measured"]) for r in rows],
            [("one", "cycles", "5000"), ("one", "sm_active_cycles", "1000"), ("two", "cycles", "6000")])
        cycles = dict(self.query("v.db", "SELECT trace, cycles FROM launches"))
        for r in rows:
            if r["metric"] == "cycles":
                simulated, measured = int(r["simulated"]), int(r["measured"])
                self.assertEqual(simulated, cycles[r["name"]])
                self.assertAlmostEqual(float(r["relative_error"]), simulated / measured - 1, places=5)

    def test_cluster_size_of_the_table(self):
        # The traces say nothing about clusters; a column of the table does, 0 meaning none.
        self.write("c.csv", "name,cycles_median,launch__cluster_dim_x\none,5000,2\ntwo,6000,0\n")
        args = [a if a != "ref.csv" else "c.csv" for a in self.args]
        self.ok(*args, "--out", "c.db")
        for source in (["--traces", "t", "--gpu", "h200"], ["--results", "c.db"]):
            self.assertIn("note: one: clusters of the table's size (heddle run: --cluster 2,1,1)\n",
                          self.ok("validate", "--reference", "c.csv", *source).stdout)
        self.assertEqual(self.query("c.db", "SELECT trace, cluster_x, cluster_y FROM launches ORDER BY trace"),
                         [("one", 2, 1), ("two", 1, 1)])
        self.write("c.csv", "name,cycles_median,launch__cluster_dim_x\none,5000,1.5\n")
        self.fails(*args, says=["c.csv:2", "cluster size"])

    def test_jobs_change_nothing(self):
        one = self.ok(*self.args, "--out", "1.db", "--no-host-timing").stdout
        two = self.ok(*self.args, "--out", "2.db", "--no-host-timing", "--jobs", "2").stdout
        self.assertEqual(one, two)
        with open(self.path("1.db"), "rb") as a, open(self.path("2.db"), "rb") as b:
            self.assertTrue(a.read() == b.read())

    def test_metric(self):
        out = self.ok(*self.args, "--metric", "smsp__inst_executed.sum").stdout
        self.assertRegex(out, r"one +48 +48 +\+0\.0 %")
        self.assertRegex(out, r"two +50 +48 +-4\.0 %")
        out = self.ok(*self.args, "--metric", "all").stdout
        self.assertRegex(out, r"smsp__inst_executed.sum +2 +1 +2\.0 % +1  inst")
        self.fails(*self.args, "--metric", "no_such", says="no_such")

    def test_stalls(self):
        out = self.ok(*self.args, "--stalls").stdout
        self.assertRegex(out, r"largest stall reason agrees for \d of 2 kernels")
        self.ok(*self.args, "--stalls", "--csv", "s.csv")
        with open(self.path("s.csv")) as f:
            rows = [r for r in csv.DictReader(f) if r["metric"].startswith("stall_share.")]
        self.assertEqual([(r["name"], r["metric"], r["measured"]) for r in rows],
                         [(n, "stall_share.long_scoreboard", "100") for n in ("one", "two")])

    def test_split(self):
        out = self.ok(*self.args, "--split").stdout
        self.assertRegex(out, r"kernels 1, 3, 5, ... +1 .*\nkernels 2, 4, 6, ... +1 .*\ndifference in points")

    def test_ablation(self):
        chosen = ["--ablation", "fixed launch cost", "--ablation", "TLB"]
        p = self.ok(*self.args, *chosen, "--csv", "a.csv", "--out", "a.db")
        self.assertRegex(p.stdout, r"(?m)^default +[0-9.]+ %(.*\n)+TLB .*\nfixed launch cost .*x$")
        with open(self.path("a.csv")) as f:
            rows = list(csv.DictReader(f))
        self.assertEqual([r["ablation"] for r in rows], ["default", "TLB", "fixed launch cost"])
        self.assertEqual(len({r["config"] for r in rows}), 3)
        self.assertEqual([r["kernels"] for r in rows], ["2"] * 3)
        # The runs, and by how much the launch cost of 2400 + 180 cycles is missing in the last one.
        overrides = [o for o, in self.query("a.db", "SELECT overrides FROM runs ORDER BY id")]
        self.assertEqual(overrides, ["", "tlb.enabled=false\n", "launch.start_cycles=0\nlaunch.end_cycles=0\n"])
        cycles = {(run, t): c for run, t, c in self.query("a.db", "SELECT run_id, trace, cycles FROM launches")}
        self.assertEqual(cycles[1, "one"] - cycles[3, "one"], 2580)
        self.assertEqual(rows[2]["most_changed"], "one")
        self.assertAlmostEqual(float(rows[2]["most_changed_by"]), -2580 / 5000)
        self.assertAlmostEqual(float(rows[2]["difference"]), float(rows[2]["mean"]) - float(rows[0]["mean"]), 5)
        self.fails(*self.args, "--ablation", "tlb", says=["tlb", "legal names: ", "TLB"])
        self.fails("validate", "--reference", "ref.csv", "--results", "a.db", "--ablate", says="--results")
        self.fails(*self.args, "--ablate", "--stalls", says="--stalls")

    def test_ablations_that_change_nothing_are_left_out(self):
        p = self.ok(*self.args, "--ablation", "TLB", "--set", "tlb.enabled=false")
        self.assertNotIn("TLB", p.stdout)

    def test_kernel_filter(self):
        out = self.ok(*self.args, "--kernel", "two").stdout
        self.assertIn("error of 1 kernels", out)
        self.fails(*self.args, "--kernel", "three", says=["ref.csv", "three"])

    def test_stored_results(self):
        simulated = self.ok(*self.args, "--out", "v.db").stdout
        stored = self.ok("validate", "--reference", "ref.csv", "--results", "v.db").stdout
        self.assertEqual(simulated, stored)

    def test_own_summary_as_reference(self):
        self.ok("run", "t", "--gpu", "h200", "--summary", "s.csv")
        out = self.ok("validate", "--reference", "s.csv", "--traces", "t", "--gpu", "h200").stdout
        self.assertIn("mean 0.0 %", out)

    def test_a_kernel_that_fails_does_not_stop_the_others(self):
        self.write("t/one/kernel-1.traceg", "this is no trace\n")
        p = self.fails(*self.args, "--out", "v.db", says="t/one/kernel-1.traceg")
        self.assertRegex(p.stdout, r"one +5,000 +- +- +failed: ")
        self.assertIn("error of 1 kernels", p.stdout)
        self.assertEqual(self.query("v.db", "SELECT trace FROM launches"), [("two",)])

    def test_a_kernel_that_deadlocks_does_not_stop_the_others(self):
        self.deadlock("t/one/kernel-1")
        p = self.fails(*self.args, "--out", "v.db", says=["t/one/kernel-1.traceg", "deadlock"])
        self.assertRegex(p.stdout, r"one +5,000 +- +- +failed: .*deadlock")
        self.assertIn("error of 1 kernels", p.stdout)
        self.assertEqual(self.query("v.db", "SELECT trace FROM launches"), [("two",)])

    def test_what_is_not_of_the_tables_shape_is_not_compared(self):
        self.ok("run", "t", "--gpu", "h200", "--out", "v.db")
        for column, value, says in (("grid", "(4096, 1, 1)", "its grid is (4, 1, 1), the table's (4096, 1, 1)"),
                                    ("block", "(64, 2, 1)", "its block is (64, 1, 1), the table's (64, 2, 1)"),
                                    ("launch__grid_size", "8.0", "its launch__grid_size is 4, the table's 8"),
                                    ("launch__block_size", "32", "its launch__block_size is 64, the table's 32"),
                                    ("launch__cluster_dim_x", "2", "its cluster is (1, 1, 1), the table's (2, 1, 1)")):
            with self.subTest(column):
                self.write("o.csv", f'name,cycles_median,{column}\none,5000,"{value}"\ntwo,6000,\n')
                p = self.fails("validate", "--reference", "o.csv", "--results", "v.db",
                               says=["o.csv: 1 of 2 kernels are not compared: one: " + says])
                self.assertRegex(p.stdout, r"one +5,000 +- +- +failed: its")
                self.assertIn("error of 1 kernels", p.stdout)
                if "cluster" not in column:  # the table's is simulated
                    self.fails("validate", "--reference", "o.csv", "--traces", "t", "--gpu", "h200", says=["one: " + says])
        self.write("o.csv", "name,cycles_median,grid\none,5000,many\n")
        self.fails("validate", "--reference", "o.csv", "--results", "v.db", says=["o.csv:2", "'grid'", "'many'", "(512, 1, 1)"])

    def test_what_is_missing_fails_alike_in_a_folder_and_in_a_database(self):
        self.ok("run", "t/one", "--gpu", "h200", "--out", "v.db")
        os.rename(self.path("t/two"), self.path("elsewhere"))
        for source in (["--traces", "t", "--gpu", "h200"], ["--results", "v.db"]):
            with self.subTest(source):
                p = self.fails("validate", "--reference", "ref.csv", *source,
                               says="ref.csv: 1 of 2 kernels are not compared: two: ")
                self.assertRegex(p.stdout, r"two +6,000 +- +- +failed: ")
                self.assertIn("cycles: error of 1 kernels", p.stdout)

    def test_errors(self):
        self.fails("validate", "--reference", "ref.csv", says="--traces")
        self.fails("validate", "--reference", "none.csv", "--traces", "t", "--gpu", "h200", says="none.csv")
        self.write("ref.csv", TABLE + "three,100,,,,\n")
        self.fails(*self.args, says="t/three")
        self.write("ref.csv", TABLE.replace("6000", "many"))
        self.fails(*self.args, says="ref.csv:3")


if __name__ == "__main__":
    unittest.main()
