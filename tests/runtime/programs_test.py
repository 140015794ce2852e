"""CUDA programs, run unchanged by `heddle exec`, print what they print on an H200.

The shipped executables of data/ always run; all programs of programs/ where nvcc is found. HEDDLE names another heddle.
A program without a recording (NAME.out) must exit with 0 and print no FAIL: each checks its own results.
"""
import lzma
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

HEDDLE = os.environ.get("HEDDLE") or os.path.join(os.getcwd(), "tools", "heddle")
HERE = os.path.join(os.getcwd(), "tests", "runtime")
if not os.path.isdir(HERE):
    HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS, DATA = os.path.join(HERE, "programs"), os.path.join(HERE, "data")
SUITE = os.path.join(HERE, "..", "..", "traces", "h200", "suite.cu")
SECONDS = 300  # for one program


def find_nvcc():
    return os.environ.get("NVCC") or shutil.which("nvcc") or next(
        (p for p in ["/usr/local/cuda/bin/nvcc"] if os.path.exists(p)), None)


def names():
    found = []
    for entry in sorted(os.listdir(PROGRAMS)):
        if entry.endswith(".cu"):
            found.append(entry[:-3])
        elif os.path.exists(os.path.join(PROGRAMS, entry, "main.cu")):
            found.append(entry)
    return found + (["suite"] if os.path.exists(SUITE) else [])


class ProgramsTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="heddle-programs-")
        self.addCleanup(shutil.rmtree, self.dir)

    def check(self, name, program):
        got = subprocess.run([HEDDLE, "exec", program], cwd=self.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=SECONDS)
        text, remarks = (s.decode("utf-8", "replace") for s in (got.stdout, got.stderr))
        recording = os.path.join(PROGRAMS, name + ".out")
        if os.path.exists(recording):
            with open(recording, encoding="utf-8", errors="replace", newline="") as f:
                self.assertMultiLineEqual(text, f.read(), remarks[-2000:])
        self.assertEqual(got.returncode, 0, (text + remarks)[-4000:])
        self.assertNotIn("FAIL", text)

    def test_shipped(self):
        shipped = sorted(f for f in os.listdir(DATA) if f.endswith(".xz"))
        self.assertTrue(shipped)
        for file in shipped:
            name = file[:-3]
            with self.subTest(program=name):
                program = os.path.join(self.dir, name)
                with lzma.open(os.path.join(DATA, file)) as packed, open(program, "wb") as f:
                    shutil.copyfileobj(packed, f)
                os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
                self.check(name, program)

    def test_compiled(self):
        nvcc = find_nvcc()
        if nvcc is None:
            self.skipTest("no nvcc here: only the shipped programs were run")
        for name in names():
            with self.subTest(program=name):
                built = subprocess.run(["sh", os.path.join(PROGRAMS, "build.sh"), os.path.join(self.dir, "bin"), name],
                                       env=dict(os.environ, NVCC=nvcc), stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT)
                self.assertEqual(built.returncode, 0, built.stdout.decode("utf-8", "replace")[-4000:])
                self.check(name, os.path.join(self.dir, "bin", name))


if __name__ == "__main__":
    unittest.main()
