"""Kernels of traces/h200/forms: from machine code they execute what an H200 executed, from PTX about as many instructions."""
import csv
import lzma
import os
import subprocess
import tempfile
import unittest

from tests.e2e import shipped

FORMS = os.path.join(shipped.ROOT, "traces", "h200", "forms")
# What they show: divisions, products of 64 bits, upper words, conditional code and what lanes leave, a shuffle.
NAMES = ("divides", "mul64", "mulhilo", "edit_distance", "block_sum")
FARTHEST = 0.05  # of the warp instructions from PTX


class Forms(unittest.TestCase):
    def run_kernel(self, folder, kind, name, launch):
        grid, block, shared, *arguments = launch
        summary = os.path.join(folder, "summary.csv")
        done = subprocess.run([shipped.HEDDLE, "run", os.path.join(folder, "forms." + kind), "--gpu", "h200", "--kernel", name, "--grid",
                               grid.replace("x", ","), "--block", block.replace("x", ","), "--shared", shared, "--summary", summary, "--quiet",
                               "--force", *(x for a in arguments for x in ("--arg", a))], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(summary, encoding="utf-8", newline="") as f:
            return int(next(csv.DictReader(f))["warp_instructions"])

    def test_instructions_are_those_of_silicon(self):
        with open(os.path.join(FORMS, "launches.txt"), encoding="utf-8") as f:
            launches = {line.split()[0]: line.split()[1:] for line in f}
        with open(os.path.join(FORMS, "measured.csv"), encoding="utf-8", newline="") as f:
            measured = {r["name"]: r for r in csv.DictReader(f)}
        self.assertEqual(list(launches), list(measured))
        self.assertEqual({r["half"] for r in measured.values()}, {"seen", "only scored"})
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("ptx", "cubin"):
                with lzma.open(os.path.join(FORMS, f"forms.{kind}.xz")) as source, open(os.path.join(folder, "forms." + kind), "wb") as to:
                    to.write(source.read())
            for name in NAMES:
                real = int(measured[name]["smsp__inst_executed.sum"])
                self.assertEqual(self.run_kernel(folder, "cubin", name, launches[name]), real, name)
                self.assertLess(abs(self.run_kernel(folder, "ptx", name, launches[name]) / real - 1), FARTHEST, name)


if __name__ == "__main__":
    unittest.main()
