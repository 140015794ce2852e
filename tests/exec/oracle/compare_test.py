"""Our executor gives what an H200 gives: of PTX but for the forms of differences.txt, of the machine code that ptxas made of it always."""
import lzma
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = os.path.join("tests", "exec", "oracle")


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), cls.folder], check=True, stdout=subprocess.DEVNULL)
        cls.results = os.path.join(cls.folder, "results.bin")
        with lzma.open(os.path.join(HERE, "h200", "results.bin.xz")) as x, open(cls.results, "wb") as f:
            f.write(x.read())
        with tarfile.open(os.path.join(HERE, "h200", "forms.cubins.tar.xz")) as t:
            t.extractall(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def compared(self, *kind):
        command = [os.path.join(HERE, "compare"), self.folder, self.results, *kind]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True)

    def test_machine_code(self):
        p = self.compared("cubin")
        self.assertEqual(p.stdout, "2103 forms equal, 0 differ, 0 cannot be executed\n")

    def test_all_forms(self):
        p = self.compared()
        found = dict(m.group(1, 2) for m in re.finditer(r"(?m)^(?:differs|missing) \d+ (.*?) \| (.*)$", p.stdout))
        with open(os.path.join(HERE, "differences.txt"), encoding="utf-8") as f:
            known = {line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")}
        self.assertEqual({t: found[t] for t in found if t not in known}, {}, "forms that should be equal")
        self.assertEqual(known - set(found), set(), "forms of differences.txt that are equal now: take them out")
        self.assertRegex(p.stdout, r"\n\d{4} forms equal, \d+ differ, 0 cannot be executed\n$")


if __name__ == "__main__":
    unittest.main()
