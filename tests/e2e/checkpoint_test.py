"""Kernels of the H200 that were saved and resumed have the results, counters and profile of those that were not, and a
checkpoint of a text trace goes on with the .heddle made from it."""
import os
import unittest

from tests.e2e import shipped

# Streams, atomics, DRAM, barriers, clusters, bulk copies, tensor products, divergence.
KERNELS = ("vecadd", "bank8", "hist_gmem", "scan_block", "cluster_dsm", "bulk_copy", "wgmma", "gemm_wmma", "divergent",
           "chase_l1")
PROFILE = ("--profile", "--timeline", "--timeline-warps", "0,7")


class Checkpoint(shipped.HeddleTest):
    def run_kernel(self, trace, db, *options):
        self.ok("run", trace, "--gpu", "h200", "--quiet", "--out", db, "--force", *PROFILE, *options)
        return self.ok("report", db, "--hash").stdout

    def test_a_third_of_each_kernel_is_resumed(self):
        for kernel in KERNELS:
            with self.subTest(kernel=kernel):
                trace = os.path.join(shipped.TRACES, kernel)
                whole = self.run_kernel(trace, "whole.db")
                (cycles,), = self.query("whole.db", "SELECT cycles FROM launches")
                saving = self.run_kernel(trace, "saved.db", "--checkpoint", "c", "--checkpoint-at", cycles // 3)
                self.assertEqual(saving, whole)
                self.assertEqual(self.run_kernel(trace, "resumed.db", "--resume", "c", "--threads", "2"), whole)

    def test_a_resumed_launch_can_be_saved_again(self):
        trace = os.path.join(shipped.TRACES, "scan_block")
        whole = self.run_kernel(trace, "whole.db")
        self.run_kernel(trace, "1.db", "--checkpoint", "a", "--checkpoint-at", 2000)
        self.run_kernel(trace, "2.db", "--checkpoint", "b", "--checkpoint-at", 5000)
        again = self.run_kernel(trace, "3.db", "--resume", "a", "--checkpoint", "c", "--checkpoint-at", 5000)
        self.assertEqual(again, whole)
        with open(self.path("b"), "rb") as b, open(self.path("c"), "rb") as c:
            self.assertTrue(b.read() == c.read())  # byte for byte

    def test_the_same_trace_in_the_other_format(self):
        trace = os.path.join(shipped.TRACES, "bulk_copy")
        self.ok("import", trace, "-o", "native")
        self.run_kernel(trace, "whole.db", "--checkpoint", "c", "--checkpoint-at", 9000)
        self.run_kernel("native", "native.db", "--resume", "c")
        launches = "SELECT kernel, cycles, warp_instructions FROM launches"
        self.assertEqual(self.query("native.db", launches), self.query("whole.db", launches))
        counters = "SELECT name, value FROM counters ORDER BY name"
        self.assertEqual(self.query("native.db", counters), self.query("whole.db", counters))


if __name__ == "__main__":
    unittest.main()
