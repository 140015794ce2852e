"""Our executor gives what an H200 gives, but for the forms of differences.txt."""
import lzma
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.join("tests", "exec", "oracle")


class Compare(unittest.TestCase):
    def test_all_forms(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), folder], check=True, stdout=subprocess.DEVNULL)
            results = os.path.join(folder, "results.bin")
            with lzma.open(os.path.join(HERE, "h200", "results.bin.xz")) as x, open(results, "wb") as f:
                f.write(x.read())
            p = subprocess.run([os.path.join(HERE, "compare"), folder, results], stdout=subprocess.PIPE, text=True)
        found = dict(m.group(1, 2) for m in re.finditer(r"(?m)^(?:differs|missing) \d+ (.*?) \| (.*)$", p.stdout))
        with open(os.path.join(HERE, "differences.txt"), encoding="utf-8") as f:
            known = {line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")}
        self.assertEqual({t: found[t] for t in found if t not in known}, {}, "forms that should be equal")
        self.assertEqual(known - set(found), set(), "forms of differences.txt that are equal now: take them out")
        self.assertRegex(p.stdout, r"\n\d{4} forms equal, \d+ differ, 0 cannot be executed\n$")


if __name__ == "__main__":
    unittest.main()
