"""`heddle exec --reuse`: values are right, times those of launches alike, and what was not timed is said."""
import lzma
import os
import sqlite3
import subprocess
import tempfile
import unittest

HEDDLE = os.environ.get("HEDDLE") or os.path.join(os.getcwd(), "tools", "heddle")
DATA = os.path.join(os.getcwd(), "tests", "runtime", "data")


class ReuseTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="heddle-reuse-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program = os.path.join(self.folder, "repeats")
        with open(self.program, "wb") as f, lzma.open(os.path.join(DATA, "repeats.xz")) as packed:
            f.write(packed.read())
        os.chmod(self.program, 0o755)

    def run_it(self, name, *options):
        database = os.path.join(self.folder, name)
        got = subprocess.run([HEDDLE, "exec", "--out", database, *options, self.program], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(got.stdout, "all right\n", got.stderr)
        with sqlite3.connect(database) as db:
            rows = db.execute("SELECT launch, kernel, cycles, warp_instructions, reason FROM launches "
                              "LEFT JOIN sampling ON launch_id = launches.id ORDER BY launch").fetchall()
        return rows, got.stderr

    def test_same_values_likely_times(self):
        every, _ = self.run_it("every.db")
        some, said = self.run_it("some.db", "--reuse")
        self.assertEqual(len(every), 60)
        self.assertEqual(len(some), 60)
        reused = [r for r in some if r[4]]
        self.assertIn("%d of the launches were executed and not timed" % len(reused), said)
        # add_one: 1 cold, 2 and 3 settle it for 4 and 5; 6 for 4 launches, 11 for 8, 20 for 16, 37 for the rest.
        self.assertEqual([r[0] for r in some if r[0] <= 40 and not r[4]], [1, 2, 3, 6, 11, 20, 37])
        self.assertEqual(some[3][4], "executed, not timed: the time of launch 3, which is alike (--reuse)")
        for a, b in zip(every, some):
            self.assertEqual(a[3], b[3])  # instructions
            self.assertLessEqual(abs(a[2] - b[2]), 0.02 * a[2], (a, b))

    def test_refused_without_times(self):
        got = subprocess.run([HEDDLE, "exec", "--reuse", "--functional", self.program], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, universal_newlines=True)
        self.assertNotEqual(got.returncode, 0)
        self.assertIn("--reuse is for kernels that are timed", got.stderr)


if __name__ == "__main__":
    unittest.main()
