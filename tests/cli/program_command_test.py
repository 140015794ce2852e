"""heddle exec PROGRAM as a user types it: what is said when it cannot be, and what comes out."""
import json
import lzma
import os
import sqlite3
import stat
import unittest

from tests.cli import harness

DATA = os.path.join(os.getcwd(), "tests", "runtime", "data")


class Program(harness.HeddleTest):
    def program(self, name="graphs"):
        path = os.path.join(self.dir, name)
        if not os.path.exists(path):
            with lzma.open(os.path.join(DATA, name + ".xz")) as packed, open(path, "wb") as f:
                f.write(packed.read())
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_launches_and_timeline(self):
        p = self.heddle("exec", "--out", "r.db", "--timeline", "t.json", self.program())
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("all PASS", p.stdout)
        self.assertRegex(p.stderr, r"heddle: graphs: 48 launches, 75,232 warp instructions, [0-9.]+ us on NVIDIA H200")
        with sqlite3.connect(os.path.join(self.dir, "r.db")) as db:
            self.assertEqual(db.execute("SELECT count(*), sum(warp_instructions) FROM launches").fetchone(), (48, 75232))
        with open(os.path.join(self.dir, "t.json"), encoding="utf-8") as f:
            names = {e.get("name") for e in json.load(f)["traceEvents"]}
        self.assertIn("cudaGraphLaunch", " ".join(n for n in names if n))
        # Twice the same but for the host's times; what is there is kept.
        self.fails("exec", "--out", "r.db", self.program(), says="r.db")
        self.ok("exec", "--quiet", "--out", "s.db", self.program())
        self.assertEqual(self.ok("report", "r.db", "--hash").stdout, self.ok("report", "s.db", "--hash").stdout)

    def test_cold_and_warm(self):
        """The graph's kernels again and again: from cold caches always the same, else faster once their data is in the L2."""
        cycles = {}
        for option in ("--cold", "--between=flush", "--force"):
            self.ok("exec", "--quiet", option, "--out", option + ".db", self.program())
            cycles[option] = [c for (c,) in self.query(option + ".db", "SELECT cycles FROM launches ORDER BY launch LIMIT 6")]
        self.assertEqual(cycles["--cold"][:3], cycles["--cold"][3:])
        self.assertEqual(cycles["--between=flush"], cycles["--cold"])
        self.assertEqual(cycles["--force"][0], cycles["--cold"][0])
        for warm, cold in zip(cycles["--force"][3:], cycles["--cold"][3:]):
            self.assertLess(warm, cold)

    def test_other_gpu_and_functional(self):
        p = self.heddle("exec", "--gpu", "a100", self.program())
        self.assertEqual(p.returncode, 1)
        self.assertIn("graphs: no machine code that an sm_80 runs and no PTX in it (there is: sm_90, compute_90)", p.stderr)
        self.assertIn("no kernel image is available", p.stderr + p.stdout)
        p = self.heddle("exec", "--set", "topology.sms=66", "--set", "topology.tpcs_per_gpc=[8,8,8,9]", "--functional",
                        self.program())
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("all PASS", p.stdout)
        self.assertIn("executed and not timed", p.stderr)
        self.assertIn("what races between them is not decided as on a GPU", p.stderr)
        p = self.heddle("exec", "--quiet", "--functional", self.program())
        self.assertNotIn("launches", p.stderr)

    def test_clocks(self):
        """The program's clocks are the simulated host's, so what it prints is the same in each run."""
        p = self.heddle("exec", self.program("clocks"))
        self.assertIn("all PASS", p.stdout)
        self.assertIn("assumed: the host's own work takes no time, but for looks at its clocks, 25 ns each", p.stderr)
        show = "import time; a = time.monotonic_ns(); time.sleep(2); print(time.monotonic_ns() - a)"
        for clock, least in (("simulated", 0), ("host", 2_000_000_000)):
            # A program without CUDA has this computer's time.
            self.assertGreaterEqual(int(self.ok("exec", "--clock", clock, "python3", "-c", show).stdout), least)
        self.fails("exec", "--clock", "none", self.program(), says="--clock")

    def test_pages_and_own_work(self):
        """Unified memory by the page; the host's own work counts when that is asked for."""
        p = self.ok("exec", self.program("pages"))
        self.assertIn("all PASS", p.stdout)
        self.assertIn("(the host's own work takes no time)", p.stderr)
        self.assertEqual(p.stdout, self.ok("exec", self.program("pages")).stdout)
        p = self.ok("exec", "--host-work", "cpu:2", self.program("pages"), "work")
        self.assertIn("own work: PASS", p.stdout)
        self.assertIn("assumed: the host's own work is 2 of what this computer's processor takes for it", p.stderr)
        for wrong in ("cpu:0", "cpu:x", "some"):
            self.fails("exec", "--host-work", wrong, self.program("pages"), says="legal: none, cpu, cpu:FACTOR")
        self.fails("exec", "--host-work", "cpu", "--clock", "host", self.program("pages"), says="--clock simulated")

    def test_memory_domains(self):
        """C69: what one SM wrote before a flag of the device's is seen behind another SM's flag by the CPU, which waits for it."""
        p = self.ok("exec", self.program("domains"))
        self.assertEqual(p.stdout, "on another SM: PASS\non the CPU: PASS\n")
        self.assertIn("another run may be others", p.stderr)  # it waits without a call

    def test_threads(self):
        """Threads go on by simulated time: each run is the same, and nobody's patience was needed."""
        runs = set()
        for n in range(3):
            p = self.ok("exec", "--out", f"threads{n}.db", self.program("threads"))
            self.assertIn("all PASS", p.stdout)
            self.assertNotIn("another run may be others", p.stderr)
            with sqlite3.connect(os.path.join(self.dir, f"threads{n}.db")) as d:
                # All but what this computer took.
                runs.add(p.stdout + "".join(l for l in d.iterdump() if "host_timing" not in l))
        self.assertEqual(len(runs), 1)
        p = self.ok("exec", "--clock", "host", self.program())
        self.assertIn("clocks that the program reads are this computer's", p.stderr)

    def test_arguments_and_status_are_the_programs(self):
        self.assertEqual(self.heddle("exec", "--", "/bin/sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(self.ok("exec", "sh", "-c", "echo $0 $1", "a", "-b").stdout, "a -b\n")

    def test_errors(self):
        self.fails("exec", "./none", says="No such file or directory (legal: a program, or a module")
        self.fails("exec", "--gpu", "none", self.program(), says="none")
        self.fails("exec", "--set", "topology.sms=0", self.program(), says="topology.sms")
        self.fails("exec", "--arg", "1", self.program(), says="--arg is for a kernel of a module")


if __name__ == "__main__":
    unittest.main()
