"""The suites' machine code of Blackwell leaves in memory what an H200's left: nobody has asked a GPU of its own."""
import os
import subprocess
import tarfile
import tempfile
import unittest

HERE = os.path.join("tests", "exec", "oracle")


class Suites(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        with tarfile.open(os.path.join(HERE, "blackwell", "suites.cubins.tar.xz")) as t:
            t.extractall(cls.temporary.name)

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
