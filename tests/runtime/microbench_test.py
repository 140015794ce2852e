"""A program that measures the GPU it runs on, by its clock, measures the simulated one: rows of tools/microbench/sync.cu against those of
the H200."""
import csv
import lzma
import os
import subprocess
import tarfile
import tempfile
import unittest

HEDDLE = os.environ.get("HEDDLE") or os.path.join(os.getcwd(), "tools", "heddle")
ARCHIVE = os.path.join(os.getcwd(), "tests", "runtime", "microbench.tar.xz")
MEASURED = os.path.join(os.getcwd(), "tools", "microbench", "results", "h200.csv.xz")
# Of the parameter and the conditions: by how much the simulated row may differ.
ROWS = {
    ("syncthreads_back_to_back", "8 warps"): 0.1,
    ("syncthreads_back_to_back", "32 warps"): 0.1,
    ("no fence (loop base)", "loop with 1 stores before each; 32 threads; incl. ~25 loop"): 0.05,
    ("no fence (loop base)", "loop with 1 stores before each; 1024 threads; incl. ~25 loop"): 0.05,
    ("no fence (loop base)", "loop with 8 stores before each; 1024 threads; incl. ~25 loop"): 0.05,
    ("fence.acq_rel.gpu", "loop with 1 stores before each; 32 threads; incl. ~25 loop"): 0.1,
}


def rows(lines):
    return {(r["parameter"], r["conditions"]): float(r["value"]) for r in csv.DictReader(lines) if r["unit"] == "cyc"}


class MicrobenchTest(unittest.TestCase):
    def test_rows_of_the_h200(self):
        with lzma.open(MEASURED, "rt", encoding="utf-8", newline="") as f:
            measured = rows(f)
        with tempfile.TemporaryDirectory() as directory, tarfile.open(ARCHIVE) as tar:
            tar.extract("sync", directory)
            done = subprocess.run([HEDDLE, "exec", "--gpu", "h200", os.path.join(directory, "sync")], capture_output=True,
                                  text=True, timeout=280, check=True)
        header = "id,parameter,value,unit,conditions,kernel,repeats,spread"
        simulated = rows([header] + [line[4:] for line in done.stdout.splitlines() if line.startswith("CSV,")])
        for key, tolerance in ROWS.items():
            with self.subTest(row=key):
                self.assertLess(abs(simulated[key] / measured[key] - 1), tolerance, (simulated[key], measured[key]))


if __name__ == "__main__":
    unittest.main()
