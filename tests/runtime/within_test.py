"""Programs with a CUDA runtime within themselves, as nvcc makes them when nothing else is asked for."""
import lzma
import os
import shutil
import stat
import subprocess
import unittest

from tests.cli import harness

HERE = os.path.join(os.getcwd(), "tests", "runtime")
WITHIN = os.path.join(HERE, "within")
# Devices when it began and later; a function of a later runtime: its number, the last error, and none any more.
RIGHT = "1 1 801 801 0\n"


class WithinTest(harness.HeddleTest):
    def within(self, name, *arguments):
        return self.heddle("exec", "--quiet", os.path.join(WITHIN, name), *arguments)

    def test_functions_are_redirected(self):
        """Wherever the program or library is loaded, and before its own constructors."""
        for name in ("own", "fixed", "linked"):
            for clock in ("simulated", "host"):
                with self.subTest(program=name, clock=clock):
                    p = self.ok("exec", "--quiet", "--clock", clock, os.path.join(WITHIN, name))
                    self.assertEqual(p.stdout, RIGHT)
                    self.assertEqual(p.stderr, "heddle: cudaOfALaterRuntime is not supported\n")
        # And not without heddle.
        p = subprocess.run([os.path.join(WITHIN, "own")], capture_output=True, text=True)
        self.assertRegex(p.stdout, "^(-[0-9]+ ){4}-[0-9]+\n$")

    def test_libraries_that_are_opened_later(self):
        library = os.path.join(WITHIN, "libwithin.so")
        again = self.path("again.so")
        shutil.copy(library, again)
        p = self.within("opens", library, again, library)
        self.assertEqual(p.stdout, 3 * RIGHT, p.stderr)
        self.assertEqual(self.within("opens", library + ".none").returncode, 1)
        # Beside a program's own, which is looked at again when a library was closed.
        p = self.within("own", library, again, library)
        self.assertEqual(p.stdout, 4 * RIGHT)
        self.assertEqual(p.stderr, "heddle: cudaOfALaterRuntime is not supported\n")

    def test_threads_before_the_first_call(self):
        self.assertEqual(self.within("early_threads").stdout, "1.0 s, 1\n")

    def test_other_runtimes(self):
        self.fails("exec", os.path.join(WITHIN, "older"),
                   says="older has the runtime of a CUDA before 13 within itself (legal: CUDA 13's)")
        p = self.heddle("exec", "--quiet", "/bin/sh", "-c", os.path.join(WITHIN, "older"))
        self.assertRegex(p.stderr, "^heddle: .*/older has the runtime of a CUDA before 13 within itself")
        self.assertRegex(p.stdout, "^(-[0-9]+ ){4}-[0-9]+\n$")

    def static(self):
        path = self.path("static")
        with lzma.open(os.path.join(HERE, "data", "static.xz")) as packed, open(path, "wb") as f:
            shutil.copyfileobj(packed, f)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_stripped(self):
        """nvcc's own, whose names were stripped: says why it cannot be, and what to do."""
        program = self.static()
        subprocess.run(["strip", program], check=True)
        self.fails("exec", program, says="static has CUDA's runtime within itself, and was stripped of the names by which "
                   "that is replaced (legal: a program that was not stripped, or one made with nvcc -cudart shared)")
        p = self.heddle("exec", "--quiet", "/bin/sh", "-c", program)
        self.assertIn("heddle: cuGetExportTable is not supported: a CUDA runtime within the program asks for it", p.stderr)
        self.assertIn("whose names were stripped", p.stderr)

    def test_clocks_begin_as_simulated(self):
        """Its clocks are the simulated host's from its start, as if the runtime were beside it."""
        p = self.ok("exec", self.static(), "clock")
        self.assertIn("began 2026-01-01", p.stdout)


if __name__ == "__main__":
    unittest.main()
