"""PyTorch's operators, written anew, on the configurations of other GPUs: what tools/others-check does, with tiny tensors."""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

from tests.e2e import shipped

OTHERS = os.path.join(shipped.ROOT, "traces", "others")
sys.path.insert(0, os.path.join(OTHERS, "source"))
import launches  # noqa: E402


def heddle(*arguments):
    done = subprocess.run([shipped.HEDDLE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


class Others(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_kernel(self, machine, launch, blocks, arguments, out):
        """Microseconds, and what is in the tensor `out`."""
        name, code = machine
        npy, summary = (os.path.join(self.folder.name, n) for n in ("out.npy", "summary.csv"))
        heddle("run", launches.cubin(OTHERS, code), "--kernel", launch.kernel, "--grid", str(blocks), "--block", launch.block,
               "--shared", str(launch.shared), *(x for a in arguments for x in ("--arg", str(a))), "--out-arg", f"{out}={npy}",
               "--gpu", name, "--allow-capability-mismatch", "--quiet", "--summary", summary, "--force")
        cycles = int(open(summary, encoding="utf-8").read().splitlines()[1].split(",")[3])
        return cycles, numpy.load(npy)

    def test_all_configurations_are_good(self):
        for name, _ in launches.MACHINES.values():
            self.assertIn("good", heddle("config", "check", name))

    def test_add(self):
        launch = launches.Elementwise("add")
        n = 512 * 3
        for gpu in ("T4", "A100-PCIE-40GB", "L4", "P4"):
            cycles, got = self.run_kernel(launches.MACHINES[gpu], launch, 3,
                                          [n, 1, f"zeros:f32:{n}", f"arange:f32:{n}", f"ones:f32:{n}"], 2)
            numpy.testing.assert_array_equal(got, numpy.arange(n, dtype=numpy.float32) + 1)
            self.assertGreater(cycles, 500)  # at least a way to the memory

    def test_softmax(self):
        x = numpy.random.default_rng(1).normal(size=(8, 1100)).astype(numpy.float32)
        for gpu, cols in (("T4", 600), ("T4", 1099), ("A100-PCIE-40GB", 1100), ("P100-PCIE-16GB", 130)):
            launch = launches.of({"op": "softmax", "cols": cols})
            values = os.path.join(self.folder.name, "in.npy")
            numpy.save(values, numpy.ascontiguousarray(x[:, :cols]))
            row = {"rows": 8}
            arguments = launch.arguments(launch.blocks(row))
            arguments[0:2] = [f"zeros:f32:{8 * cols}", values]
            _, got = self.run_kernel(launches.MACHINES[gpu], launch, launch.blocks(row), arguments, 0)
            e = numpy.exp(x[:, :cols] - x[:, :cols].max(axis=1, keepdims=True))
            numpy.testing.assert_allclose(got.reshape(8, cols), e / e.sum(axis=1, keepdims=True), rtol=1e-5)

    def test_blocks_of_softmax_are_atens(self):
        for cols, block in ((1025, 128), (1280, 256), (2048, 256), (2049, 256), (2560, 512), (16384, 512)):
            self.assertEqual(launches.SoftmaxBlock(cols).block, str(block), cols)


if __name__ == "__main__":
    unittest.main()
