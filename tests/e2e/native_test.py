"""The shipped traces as .heddle files: the same results, bit by bit, from less than half the space."""
import glob
import os
import unittest

from tests.e2e import shipped


class Native(shipped.HeddleTest):
    def hash_of(self, path, db):
        self.ok("run", path, "--gpu", "h200", "--quiet", "--jobs", "2", "--out", db)
        return self.ok("report", db, "--hash").stdout

    def test_results_do_not_depend_on_the_kind_of_trace(self):
        self.ok("import", shipped.TRACES, "-o", "native", "--quiet", "--jobs", "2", "--level", "12")
        self.assertEqual(self.hash_of(shipped.TRACES, "text.db"), self.hash_of("native", "native.db"))
        text = sum(map(os.path.getsize, glob.glob(os.path.join(shipped.TRACES, "*", "*.zst"))))
        native = sum(map(os.path.getsize, glob.glob(self.path("native", "*", "*.heddle"))))
        self.assertLess(native * 2, text)


if __name__ == "__main__":
    unittest.main()
