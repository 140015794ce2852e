"""Residency without a simulation; the figures of tests/analysis/occupancy_test.cc are checked against CUDA there."""
import unittest

from tests.python.harness import PythonTest, heddle


class Occupancy(PythonTest):
    def test_one_launch(self):
        # 96 registers a thread, 8 warps: 3072 registers a warp, 21 warps of 64 K registers, two blocks. Blocks of 48 KiB
        # and the reserved KiB: two in the driver's 100 KiB.
        o = heddle.occupancy(registers=96, block=256, smem=48 << 10)
        self.assertEqual((o.blocks, o.warps, o.percent), (2, 16, 25.0))
        self.assertEqual((o.limit_blocks, o.limit_registers, o.limit_warps), (32, 2, 8))
        self.assertEqual(o.shared_per_block, (48 << 10) + 1024)
        self.assertEqual(o.shared_carveout + o.l1, heddle.Config("h200").sm.l1.total_bytes)
        self.assertIn("registers", o.limiter)
        self.assertIsNone(o.clusters)
        self.assertGreater(heddle.occupancy(registers=32, cluster=2).clusters, 0)

    def test_registers_alone(self):
        o = heddle.occupancy(registers=32, block=1024)
        self.assertEqual((o.blocks, o.warps, o.percent, o.limiter), (2, 64, 100.0, "warps+registers"))

    def test_a_curve(self):
        curve = heddle.occupancy_curve(resource="block", registers=96)
        self.assertEqual(curve.index.name, "block")
        self.assertEqual(list(curve.index), list(range(32, 1025, 32)))
        self.assertEqual(curve.loc[256, "warps"], heddle.occupancy(registers=96, block=256).warps)
        self.assertEqual(heddle.occupancy_curve(resource="regs", registers=96).index.name, "regs")
        self.assertEqual(heddle.occupancy_curve(resource="smem", registers=96)["blocks"].iloc[0], 2)

    def test_the_best_block(self):
        best = heddle.suggest_block_size(registers=96)
        self.assertEqual((best.value, best.warps), (640, 20))
        curve = heddle.occupancy_curve(resource="block", registers=96)
        self.assertEqual(curve["warps"].max(), best.warps)

    def test_a_changed_gpu(self):
        cfg = heddle.Config("h200")
        cfg.limits.registers_per_sm = 131072
        self.assertEqual(heddle.occupancy(cfg, registers=96).blocks, 5)

    def test_errors(self):
        self.raises(heddle.Error, "256", heddle.occupancy, registers=256)
        self.raises(heddle.Error, "block=0: out of range", heddle.occupancy, registers=32, block=0)
        self.raises(heddle.Error, "legal values: driver, max", heddle.occupancy, registers=32, carveout="much")
        self.raises(heddle.Error, "legal values: block, regs, smem", heddle.occupancy_curve, resource="x", registers=1)


if __name__ == "__main__":
    unittest.main()
