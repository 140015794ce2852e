"""Textures and surfaces give what an H200 gave: agreement.txt says how far."""
import lzma
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.join("tests", "exec", "oracle", "texture")
EXACT = ["gather", "linear f16", "linear f32", "linear s16", "linear u16", "nearest", "queries", "surfaces"]


class Textures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.kernels, self.results = (os.path.join(folder.name, x) for x in ("kernels.ptx", "results.bin"))
        with open(self.kernels, "w", encoding="ascii") as f:
            subprocess.run([sys.executable, os.path.join(HERE, "kernels.py")], stdout=f, check=True)
        with lzma.open(os.path.join(HERE, "texture.bin.xz")) as x, open(self.results, "wb") as f:
            f.write(x.read())

    def compare(self, kernels=None):
        p = subprocess.run([os.path.join(HERE, "compare"), kernels or self.kernels, self.results], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        return p.stdout

    def test_agreement(self):
        out = self.compare()
        with open(os.path.join(HERE, "agreement.txt"), encoding="ascii") as f:
            self.assertEqual(out, "".join(line for line in f if not line.startswith("#")))
        counts = dict(line.split(": ") for line in out.splitlines())
        for group in EXACT:
            for half in counts[group].split(", "):
                same, every = half.split(" of ")
                self.assertEqual(same, every, group)

    def test_agreement_of_machine_code(self):
        """TEX, TLD, TLD4, TXD, TXQ, SULD, SUST, SURED: what is executed gives what PTX gives."""
        with open(os.path.join(HERE, "agreement_machine_code.txt"), encoding="ascii") as f:
            want = "".join(line for line in f if not line.startswith("#"))
        for capability in (80, 90, 120):
            with self.subTest(capability=capability):
                name = f"kernels.sm_{capability}.cubin"
                kernels = os.path.join(os.path.dirname(self.kernels), name)
                with lzma.open(os.path.join(HERE, name + ".xz")) as x, open(kernels, "wb") as f:
                    f.write(x.read())
                self.assertEqual(self.compare(kernels), want)

    def test_another_result_is_found(self):
        with open(self.results, "r+b") as f:  # the second case: nearest
            f.seek(2048)
            byte = f.read(1)
            f.seek(2048)
            f.write(bytes([byte[0] ^ 1]))
        before = next(line for line in open(os.path.join(HERE, "agreement.txt"), encoding="ascii") if line.startswith("nearest: "))
        after = next(line for line in self.compare().splitlines() if line.startswith("nearest: "))
        self.assertEqual(int(after.split()[1]), int(before.split()[1]) - 1)


if __name__ == "__main__":
    unittest.main()
