"""heddle occupancy against launch__occupancy_limit_* of the H200: of all suite kernels where their table lies beside the
checkout (../shared), else of the shipped ones."""
import csv
import os
import re
import unittest

from tests.e2e import shipped

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(shipped.SUITE))))
ALL = os.path.join(os.path.dirname(CHECKOUT), "shared", "hw", "h200", "suite.csv")
LIMITS = {"warps": "warps", "registers": "registers", "shared": "shared_mem", "blocks": "blocks"}


class Occupancy(shipped.HeddleTest):
    def test_limits_are_those_of_the_silicon(self):
        with open(ALL if os.path.exists(ALL) else shipped.SUITE, newline="") as f:
            kernels = list(csv.DictReader(f))
        self.assertGreaterEqual(len(kernels), 15)
        for k in kernels:
            with self.subTest(k["name"]):
                regs, threads, static, dynamic = (
                    int(float(k["launch__" + m])) for m in ("registers_per_thread", "block_size",
                                                            "shared_mem_per_block_static",
                                                            "shared_mem_per_block_dynamic"))
                out = self.ok("occupancy", "--gpu", "h200", "--regs", regs, "--block", threads, "--smem", static,
                              "--dynamic-smem", dynamic).stdout
                for name, metric in LIMITS.items():
                    blocks = re.search(rf"(?m)^  {name} +(\d+)$", out).group(1)
                    self.assertEqual(float(blocks), float(k["launch__occupancy_limit_" + metric]), name)
                percent = re.search(r"of 64, ([0-9.]+) %", out).group(1)
                self.assertAlmostEqual(float(percent), float(k["sm__maximum_warps_per_active_cycle_pct"]), delta=0.051)


if __name__ == "__main__":
    unittest.main()
