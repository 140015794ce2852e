"""The tables of what an H200 said are what tools/runtime/tables.py makes of the recordings."""
import os
import subprocess
import sys
import unittest


class Tables(unittest.TestCase):
    def test_as_generated(self):
        p = subprocess.run([sys.executable, os.path.join("tools", "runtime", "tables.py"), "--check"], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)


if __name__ == "__main__":
    unittest.main()
