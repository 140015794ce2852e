"""frontends/cuda/API.md is what tools/api-page makes of the code, and at most 5 % of the runtime's functions are not supported."""
import os
import re
import subprocess
import sys
import unittest

HERE = os.getcwd()


class ApiPage(unittest.TestCase):
    def test_it_is_up_to_date(self):
        p = subprocess.run([sys.executable, os.path.join(HERE, "tools", "api-page"), "--check"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True)
        self.assertEqual(p.returncode, 0, p.stdout)

    def test_few_of_the_runtimes_functions_are_not_supported(self):
        with open(os.path.join(HERE, "frontends", "cuda", "API.md"), encoding="utf-8") as f:
            row = re.search(r"^\| runtime \|.*, ([\d.]+) % \|$", f.read(), re.M)
        self.assertLessEqual(float(row.group(1)), 5.0)


if __name__ == "__main__":
    unittest.main()
