"""heddle occupancy as a user types it."""
import os
import unittest

from tests.cli import harness


class Occupancy(harness.HeddleTest):
    def occupancy(self, *args):
        return self.ok("occupancy", "--gpu", "h200", "--regs", 96, *args).stdout

    def test_the_answer(self):
        out = self.occupancy("--smem", "48KiB", "--block", 256)
        self.assertIn("256 threads per block, 96 registers per thread, 49,152 + 0 bytes", out)
        self.assertRegex(out, r"blocks per SM +2\n")
        self.assertRegex(out, r"warps per SM +16 of 64, 25.0 %\n")
        for limit, blocks in (("warps", 8), ("registers", 2), ("blocks", 32)):
            self.assertRegex(out, rf"(?m)^  {limit} +{blocks}$")
        self.assertRegex(out, r"registers per thread +96 +88 +2 blocks, 16 warps, 25.0 % +80 +3 blocks, 24 warps")

    def test_the_carve_out(self):
        # 233472 / (49152 + 1024) = 4; the driver's choice for two blocks is 132 KiB: 2.
        for carveout, blocks in (("max", 4), ("driver", 2), ("0", 1)):
            out = self.occupancy("--dynamic-smem", 49152, "--carveout", carveout)
            self.assertRegex(out, rf"(?m)^  shared +{blocks}$", carveout)
        self.fails("occupancy", "--gpu", "h200", "--regs", 32, "--carveout", "101", says="--carveout 101")

    def test_curve_with_picture(self):
        out = self.occupancy("--curve", "block", "--svg", "c.svg")
        self.assertRegex(out, r"(?m)^ +640 +1 +20 +31.2 % +registers$")
        self.assertEqual(len(out.splitlines()), 2 + 32)
        with open(self.path("c.svg")) as f:
            self.assertIn("</svg>", f.read())

    def test_suggestion(self):
        out = self.occupancy("--suggest")
        self.assertIn("640 threads: 1 blocks, 20 warps, 31.2 %", out)
        self.assertRegex(out, r"fills the GPU +132 blocks")
        self.assertRegex(out, r"as many warps with +32, 64, 128, 160, 320, 640\n")

    def test_clusters(self):
        self.assertRegex(self.occupancy("--cluster", 4), r"clusters +66 of 4 blocks")

    def test_values_of_the_machine(self):
        self.assertRegex(self.occupancy("--set", "limits.registers_per_sm=131072"), r"blocks per SM +5\n")

    def test_errors(self):
        self.fails("occupancy", "--gpu", "h200", "--regs", 96, "--block", 1024, says="registers per block")
        self.fails("occupancy", "--gpu", "h200", "--regs", 96, "--smem", "300KiB", says=("shared", "232448"))
        self.fails("occupancy", "--gpu", "h200", "--regs", 96, "--smem", "many", says="--smem")
        self.fails("occupancy", "--gpu", "h200", "--regs", 96, "--svg", "x.svg", says="--curve")
        self.fails("occupancy", "--gpu", "h200", "--regs", 96, "--curve", "block", "--svg", "no/x.svg", says="no/x.svg")
        self.assertFalse(os.path.exists(self.path("x.svg")))


if __name__ == "__main__":
    unittest.main()
