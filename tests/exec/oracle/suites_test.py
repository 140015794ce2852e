"""The kernels of both suites leave in memory what an H200 left, but for the buffers of suite_differences.txt."""
import os
import subprocess
import unittest

HERE = os.path.join("tests", "exec", "oracle")


def memory_lines(text):
    """{(kernel, buffer): its place, bytes and digest}"""
    out = {}
    for line in text.splitlines():
        word, kernel, buffer, *rest = line.split()
        assert word == "memory" and (kernel, buffer) not in out, line
        out[kernel, buffer] = rest
    return out


class Suites(unittest.TestCase):
    def check(self, suite):
        p = subprocess.run([os.path.join(HERE, suite + "_memory"), os.path.join("tests", "exec", "data", suite + ".ptx")],
                           stdout=subprocess.PIPE, text=True, check=True)
        ours = memory_lines(p.stdout)
        with open(os.path.join(HERE, "h200", suite + ".digests"), encoding="ascii") as f:
            theirs = memory_lines(f.read())
        with open(os.path.join(HERE, "suite_differences.txt"), encoding="utf-8") as f:
            known = {tuple(line.split()) for line in f if line.strip() and not line.startswith("#")}
        self.assertEqual(list(ours), list(theirs), "kernels and buffers")
        different = {b for b in theirs if ours[b] != theirs[b]}
        self.assertEqual(different, known & set(theirs))
        self.assertEqual([ours[b][:2] for b in different], [theirs[b][:2] for b in different], "places and sizes")

    def test_first(self):
        self.check("suite")

    def test_second(self):
        self.check("second")


if __name__ == "__main__":
    unittest.main()
