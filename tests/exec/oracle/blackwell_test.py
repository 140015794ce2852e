"""Machine code of Blackwell gives what an H200 gives for the same PTX: nobody has asked a GPU of its own."""
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = os.path.join("tests", "exec", "oracle")
WGMMA = 263  # forms that only an sm_90a has


class Forms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), cls.folder], check=True, stdout=subprocess.DEVNULL)
        cls.results = os.path.join(cls.folder, "results.bin")
        with lzma.open(os.path.join(HERE, "h200", "results.bin.xz")) as x, open(cls.results, "wb") as f:
            f.write(x.read())
        with tarfile.open(os.path.join(HERE, "blackwell", "forms.cubins.tar.xz")) as t:
            t.extractall(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def different(self, target, equal):
        """Forms that give something else; all others but those of warp groups are equal."""
        folder = os.path.join(self.folder, target + "-O1")
        for name in ("manifest.txt", "operands.bin"):
            shutil.copy(os.path.join(self.folder, name), folder)
        p = subprocess.run([os.path.join(HERE, "compare"), folder, self.results, "cubin"], stdout=subprocess.PIPE, text=True)
        missing = re.findall(r"(?m)^missing \d+ (\S+) .*?(?: \| )(.*)$", p.stdout)
        self.assertEqual(len(missing), WGMMA)
        self.assertEqual({m for m in missing if not m[0].startswith("wgmma.") or "no kernel" not in m[1]}, set())
        differ = re.findall(r"(?m)^differs \d+ (.*?) \| ", p.stdout)
        self.assertIn(f"{equal} forms equal, {len(differ)} differ, {WGMMA} cannot be executed\n", p.stdout)
        return differ

    def test_sm_100a(self):
        self.assertEqual(self.different("sm_100a", 1840), [])

    def test_sm_120a(self):
        # An instruction of its own multiplies floats of 8 bits there; up to 10.x they are multiplied as halves.
        differ = self.different("sm_120a", 1816)
        self.assertEqual(len(differ), 24)
        for form in differ:
            self.assertRegex(form, r"^mma\..*\.e[45]m[23]\.e[45]m[23]\.")


if __name__ == "__main__":
    unittest.main()
