"""PyTorch's operators, written anew, on the configurations of other GPUs: what tools/others-check does, with tiny tensors."""
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest

from tests.e2e import shipped

OTHERS = os.path.join(shipped.ROOT, "traces", "others")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(OTHERS, "source"))
import launches  # noqa: E402


def heddle(*arguments):
    done = subprocess.run([shipped.HEDDLE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


def floats(path):
    """What a .npy of one dimension holds."""
    with open(path, "rb") as f:
        data = f.read()
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    return struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:])


class Others(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_kernel(self, gpu, launch, blocks, arguments, out):
        """Cycles, and what is in the tensor `out`."""
        name, code = launches.MACHINES[gpu]
        npy, summary = (os.path.join(self.folder.name, n) for n in ("out.npy", "summary.csv"))
        heddle("run", launches.cubin(OTHERS, code), "--kernel", launch.kernel, "--grid", str(blocks), "--block", launch.block,
               "--shared", str(launch.shared), *(x for a in arguments for x in ("--arg", str(a))), "--out-arg", f"{out}={npy}",
               "--gpu", name, "--allow-capability-mismatch", "--quiet", "--summary", summary, "--force")
        with open(summary, encoding="utf-8") as f:
            return int(f.read().splitlines()[-1].split(",")[3]), floats(npy)

    def test_all_configurations_are_good(self):
        for name, _ in launches.MACHINES.values():
            self.assertIn("good", heddle("config", "check", name))

    def test_add(self):
        n = 512 * 3
        for gpu in ("T4", "A100-PCIE-40GB", "L4", "P4"):
            arguments = [n, 1.0, f"zeros:f32:{n}", f"arange:f32:{n}", f"ones:f32:{n}"]
            cycles, got = self.run_kernel(gpu, launches.Elementwise("add"), 3, arguments, 2)
            self.assertEqual(got, tuple(float(i + 1) for i in range(n)))
            self.assertGreater(cycles, 500)  # at least a way to the memory

    def test_softmax(self):
        rows = 8
        for gpu, cols in (("T4", 600), ("T4", 1099), ("A100-PCIE-40GB", 1100), ("P100-PCIE-16GB", 130)):
            launch = launches.of({"op": "softmax", "cols": cols})
            blocks = launch.blocks({"rows": rows})
            arguments = launch.arguments(blocks)
            arguments[0:2] = [f"zeros:f32:{rows * cols}", f"arange:f32:{rows * cols}"]
            _, got = self.run_kernel(gpu, launch, blocks, arguments, 0)
            total = sum(math.exp(-i) for i in range(cols))
            for r in range(rows):  # each row ends with its largest
                for i in range(20):
                    self.assertAlmostEqual(got[(r + 1) * cols - 1 - i] * total, math.exp(-i), delta=1e-5)

    def test_blocks_of_softmax_are_atens(self):
        for cols, block in ((1025, 128), (1280, 256), (2048, 256), (2049, 256), (2560, 512), (16384, 512)):
            self.assertEqual(launches.of({"op": "softmax", "cols": cols}).block, str(block), cols)


if __name__ == "__main__":
    unittest.main()
