"""Equal runs give equal results, whatever the number of threads and jobs; the fidelity presets all work."""
import os
import unittest

from tests.e2e import shipped

# Streams, atomics, barriers, clusters, bulk copies, warp-group MMA, divergence.
KERNELS = ("vecadd", "hist_gmem", "scan_block", "cluster_dsm", "bulk_copy", "wgmma", "divergent")


class Determinism(shipped.HeddleTest):
    def simulate(self, db, *options):
        traces = [os.path.join(shipped.TRACES, k) for k in KERNELS]
        self.ok("run", *traces, "--gpu", "h200", "--quiet", "--out", db, *options)
        return shipped.dump(self.path(db))

    def test_two_runs_and_two_threads_give_the_same_database(self):
        first = self.simulate("1.db")
        self.assertEqual([r[2] for r in first["launches"]], list(KERNELS))
        for db, options in (("2.db", ()), ("3.db", ("--threads", "2")), ("4.db", ("--jobs", "2"))):
            again = self.simulate(db, *options)
            self.assertEqual(set(first), set(again))
            for table in first:
                with self.subTest(table=table, options=options):
                    self.assertTrue(first[table] == again[table])
        hashes = {self.ok("report", f"{i}.db", "--hash").stdout for i in range(1, 5)}
        self.assertEqual(len(hashes), 1)

    def test_databases_without_host_timing_are_equal_byte_for_byte(self):
        for kernel in ("stride32", "hist_gmem", "cluster_dsm"):
            files = []
            for threads in (1, 1, 2, 8, 16):
                self.ok("run", os.path.join(shipped.TRACES, kernel), "--gpu", "h200", "--quiet", "--out", "1.db",
                        "--force", "--no-host-timing", "--threads", str(threads))
                with open(self.path("1.db"), "rb") as f:
                    files.append(f.read())
            with self.subTest(kernel=kernel):
                self.assertEqual(len(set(files)), 1)

    def test_no_quantum_and_no_number_of_threads_changes_a_result(self):
        def run(options, *command):
            self.ok(*command, "--gpu", "h200", "--quiet", "--out", "q.db", "--force", *options)
            return self.ok("report", "q.db", "--hash").stdout
        commands = [("run", os.path.join(shipped.TRACES, k)) for k in sorted(os.listdir(shipped.TRACES))
                    if os.path.exists(os.path.join(shipped.TRACES, k, "kernelslist.g"))]
        self.assertGreaterEqual(len(commands), 16)
        # As long as can be (235), and shorter ones that divide nothing; the cluster's blocks, too, in a cluster.
        variants = (("--quantum", "164"), ("--quantum", "101", "--threads", "2"), ("--quantum", "47"),
                    ("--threads", "3"), ("--threads", "16"))
        for command in commands:
            expected = run((), *command)
            for options in variants:
                with self.subTest(command=command, options=options):
                    self.assertEqual(run(options, *command), expected)

    def test_fidelity_presets(self):
        configurations = set()
        for preset in ("fast", "default", "detailed"):
            db = f"{preset}.db"
            self.ok("run", os.path.join(shipped.TRACES, "chase_l1"), "--gpu", "h200", "--out", db,
                    "--fidelity", preset)
            self.assertEqual(self.query(db, "SELECT fidelity FROM runs"), [(preset,)])
            self.assertEqual(self.query(db, "SELECT warp_instructions FROM launches"), [(9247,)])
            configurations.add(self.query(db, "SELECT config_hash FROM runs")[0])
        # The H200's file leaves no mechanism out: "detailed" adds none.
        self.assertGreaterEqual(len(configurations), 2)


if __name__ == "__main__":
    unittest.main()
