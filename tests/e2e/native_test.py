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
        texts = glob.glob(os.path.join(shipped.TRACES, "*", "*.zst"))
        kernels = {os.path.basename(os.path.dirname(f)) for f in texts}
        self.assertGreaterEqual(len(kernels), 4)
        text = sum(map(os.path.getsize, texts))
        native = sum(os.path.getsize(f) for k in kernels for f in glob.glob(self.path("native", k, "*.heddle")))
        self.assertLess(native * 2, text)


if __name__ == "__main__":
    unittest.main()
