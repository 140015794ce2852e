"""The special-function unit is an H200's: its tables whole, and a sample of the sums over all inputs."""
import lzma
import os
import re
import subprocess
import tempfile
import unittest

HERE = os.path.join("tests", "exec", "oracle")
STEP = 61  # about 67 of 4096 slices of each function


class SpecialUnit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in ("digests.txt", "halves.bin", "tanh.bin", "rcp64h.bin", "rsqrt64h.bin"):
            with lzma.open(os.path.join(HERE, "h200", name + ".xz")) as x, open(self.at(name), "wb") as f:
                f.write(x.read())

    def at(self, name):
        return os.path.join(self.folder, name)

    def run_unit(self, step):
        p = subprocess.run([os.path.join(HERE, "special_unit"), self.folder, str(step)], stdout=subprocess.PIPE, text=True)
        return p.returncode, p.stdout

    def test_sample(self):
        status, out = self.run_unit(STEP)
        self.assertEqual(status, 0, out)
        self.assertEqual(len(re.findall(r"(?m): \d+ inputs, 0 differ$", out)), 7, out)
        self.assertEqual(len(re.findall(r"(?m): 6[78] slices, 0 differ$", out)), 15, out)

    def test_another_result_is_found(self):
        with open(self.at("halves.bin"), "r+b") as f:
            f.seek(2 * 0x3c01)
            f.write(b"\1\2")
        with open(self.at("digests.txt"), encoding="ascii") as f:
            first = f.readline().split()
        first[1] = "1"
        with open(self.at("digests.txt"), "w", encoding="ascii") as f:
            f.write(" ".join(first) + "\n")
        status, out = self.run_unit(4096)
        self.assertEqual(status, 1)
        self.assertIn("ex2.approx.f16: 65536 inputs, 1 differ, first 0x3c01: 0x4000, H200 0x201\n", out)
        self.assertIn("rcp.approx.f32: 1 slices, 1 differ, first inputs from 0x00000000 on\n", out)


if __name__ == "__main__":
    unittest.main()
