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
DATA = os.path.join(HERE, "blackwell")
WGMMA = 263  # forms that only an sm_90a has


def extracted(name, folder):
    with tarfile.open(os.path.join(DATA, name)) as t:
        t.extractall(folder)


class Forms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), cls.folder], check=True, stdout=subprocess.DEVNULL)
        cls.results = os.path.join(cls.folder, "results.bin")
        with lzma.open(os.path.join(HERE, "h200", "results.bin.xz")) as x, open(cls.results, "wb") as f:
            f.write(x.read())
        extracted("forms.cubins.tar.xz", cls.folder)

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


class Suites(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        extracted("suites.cubins.tar.xz", cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def memory(self, suite, target, *kernel):
        p = subprocess.run([os.path.join(HERE, suite + "_memory"), os.path.join(self.temporary.name, target, suite + ".cubin"),
                            *kernel], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return p.stdout.splitlines(), p.stderr

    def recorded(self, suite):
        with open(os.path.join(HERE, "h200", suite + ".digests"), encoding="ascii") as f:
            return f.read().splitlines()

    def check_suite(self, target):
        theirs = [line for line in self.recorded("suite") if line.split()[1] != "wgmma"]
        self.assertEqual(len(theirs), 116)
        ours, error = self.memory("suite", target)
        # The program ends at the kernel of a warp group, which is not there; one comes behind it.
        self.assertIn("no kernel _Z7k_wgmma", error)
        self.assertEqual(ours + self.memory("suite", target, "gridsync")[0], theirs)

    def check_second(self, target):
        theirs = self.recorded("second")
        ours, error = self.memory("second", target)
        self.assertEqual((len(ours), error), (67, ""))
        with open(os.path.join(HERE, "suite_differences.txt"), encoding="utf-8") as f:
            known = {tuple(line.split()) for line in f if line.strip() and not line.startswith("#")}
        self.assertEqual({tuple(a.split()[1:3]) for a, b in zip(ours, theirs) if a != b}, known)

    def test_suite_of_sm_100a(self):
        self.check_suite("sm_100a")

    def test_suite_of_sm_120a(self):
        self.check_suite("sm_120a")

    def test_second_of_sm_100a(self):
        self.check_second("sm_100a")

    def test_second_of_sm_120a(self):
        self.check_second("sm_120a")


if __name__ == "__main__":
    unittest.main()
