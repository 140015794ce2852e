"""The machine code of both suites: memory as an H200 left it, and what its warps did as it was recorded."""
import lzma
import os
import subprocess
import tempfile
import unittest

HERE = os.path.join("tests", "exec", "oracle")
RECORDED_BASE = "7f026c000000"  # where the recordings' memory begins: some kernels' hashes are of addresses


def table(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return [line.split() for line in f if line.strip() and not line.startswith("#")]


class MachineCode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for suite in ("suite", "second"):
            with lzma.open(os.path.join("tests", "exec", "data", suite + ".cubin.xz")) as f:
                cubin = f.read()
            with open(cls.cubin(suite), "wb") as f:
                f.write(cubin)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def cubin(cls, suite):
        return os.path.join(cls.folder.name, suite + ".cubin")

    def run_suite(self, suite, *options):
        """The lines that it prints, as lists of words."""
        p = subprocess.run([os.path.join(HERE, suite + "_memory"), *options, self.cubin(suite)],
                           stdout=subprocess.PIPE, text=True, check=True)
        return [line.split() for line in p.stdout.splitlines()]

    def check_memory(self, suite, buffers):
        with open(os.path.join(HERE, "h200", suite + ".digests"), encoding="ascii") as f:
            theirs = [line.split() for line in f]
        ours = self.run_suite(suite)
        self.assertEqual([line[:5] for line in ours], [line[:5] for line in theirs], "kernels, buffers, places, sizes")
        self.assertEqual(len(ours), buffers)
        known = {tuple(line) for line in table("suite_differences.txt")}
        different = {(a[1], a[2]) for a, b in zip(ours, theirs) if a != b}
        self.assertEqual(different, known & {(line[1], line[2]) for line in theirs})

    def check_streams(self, suite, traces, kernels):
        """`kernels`: of so many the recordings are in the repository."""
        known = {line[0]: tuple(int(n) for n in line[1:]) for line in table("stream_differences.txt")}
        lines = self.run_suite(suite, "--against", os.path.join("traces", "h200", *traces), "--base", RECORDED_BASE)
        self.assertEqual(len(lines), kernels)
        for word, kernel, warps, streams, lanes, addresses, *_ in lines:
            self.assertEqual(word, "recorded")
            self.assertGreater(int(warps), 0)
            expected = known.get(kernel, (int(warps),) * 3)
            self.assertEqual((int(streams), int(lanes), int(addresses)), expected, f"{kernel}, of {warps} warps")

    def test_memory_of_the_suite(self):
        self.check_memory("suite", 117)

    def test_memory_of_the_second(self):
        self.check_memory("second", 67)

    def test_streams_of_the_suite(self):
        self.check_streams("suite", [], 16)

    def test_streams_of_the_second(self):
        self.check_streams("second", ["second"], 28)


if __name__ == "__main__":
    unittest.main()
