"""Several processes on one simulated GPU (programs/processes.cu)."""
import lzma
import os
import re
import stat
import subprocess
import time
import unittest

from tests.cli import harness

PACKED = os.path.join(os.getcwd(), "tests", "runtime", "data", "processes.xz")
ALONE = 9021.8  # us, what 70,000 steps of `slices` take


class ProcessesTest(harness.HeddleTest):
    def setUp(self):
        super().setUp()
        self.program = self.path("processes")
        with lzma.open(PACKED) as packed, open(self.program, "wb") as f:
            f.write(packed.read())
        os.chmod(self.program, os.stat(self.program).st_mode | stat.S_IXUSR)

    def run_program(self, options, *arguments):
        p = self.ok("exec", *options, "--", self.program, *arguments)
        self.assertNotIn("FAIL", p.stdout)
        return p

    def times(self, options, *arguments):
        return sorted(float(t) for t in
                      re.findall(r"process \d+: ([\d.]+) us", self.run_program(options, *arguments).stdout))

    def test_memory_and_events_of_another_process(self):
        """The same in each run, databases included; each process has its own."""
        seen = set()
        for i in range(3):
            p = self.run_program(["--out", self.path("r.db"), "--force"], "ipc")
            self.assertIn("parent: managed cudaErrorInvalidValue, its own cudaErrorDeviceUninitialized\n", p.stdout)
            self.assertIn("child: opened once, free cudaErrorInvalidValue\n", p.stdout)
            self.assertRegex(p.stdout, r"child: 0 wrong at [\d.]+ us\nchild: closed cudaErrorInvalidValue\n")
            self.assertIn("parent: the first is 7\n", p.stdout)
            self.assertIn("processes have the device's SMs one at a time, 2000 us each", p.stderr)
            self.assertNotIn("another run may be others", p.stderr)
            hashes = [self.ok("report", self.path(f), "--hash").stdout for f in ("r.db", "r.1.db")]
            seen.add((*sorted(p.stdout.splitlines()), *hashes))
        self.assertEqual(len(seen), 1)
        for file, kernels in (("r.db", {"fill"}), ("r.1.db", {"add"})):
            names = {n for (n,) in self.query(file, "SELECT kernel FROM launches")}
            self.assertTrue(len(names) == 1 and all(k in next(iter(names)) for k in kernels), names)
        self.run_program(["--functional"], "ipc")

    def test_two_kernels_share_the_time(self):
        """Of 9 ms each: both end after about 18. Exactly, where a change takes nothing: of 500 us, the first
        waits for 18 slices of the other one."""
        self.assertEqual(self.times([], "slices", "1", "70000"), [ALONE])
        first, second = self.times([], "slices", "2", "70000")
        self.assertTrue(ALONE + 4 * 2000 < first < second < 2 * ALONE * 1.02, (first, second))
        free = ["--set", "host.sharing.slice_us=500", "--set", "host.sharing.change_ns=0"]
        first, second = self.times(free, "slices", "2", "70000")
        self.assertAlmostEqual(first, ALONE + 18 * 500, delta=0.2)
        self.assertLess(second, 2 * ALONE + 5)

    def test_processes_that_find_each_other_by_name(self):
        name = f"test-{time.time_ns()}"
        for _ in range(2):
            both = [subprocess.Popen([harness.HEDDLE, "exec", "--quiet", "--share", f"{name}:{i}/2", self.program,
                                      "slices", "1", "20000"], stdout=subprocess.PIPE, text=True) for i in (2, 1)]
            out = [p.communicate()[0] for p in both]
            self.assertEqual([p.returncode for p in both], [0, 0])
            times = [float(re.search(r": ([\d.]+) us", o).group(1)) for o in out]
            self.assertTrue(all(4000 < t < 5300 for t in times), times)
            self.assertEqual(times, getattr(self, "before", times))
            self.before = times
        self.assertFalse([f for f in os.listdir("/dev/shm") if name in f])
        for wrong in ("a b", "x:0/2", "x:3/2", "x:1", ":1/2"):
            self.fails("exec", "--share", wrong, self.program, says=f"--share {wrong} (legal: NAME, or NAME:I/N")
        self.fails("exec", "--share", "x", "--clock", "host", self.program, says="--share is for --clock simulated")

    def test_a_launcher(self):
        """Programs that a shell starts find each other; of another GPU is none of them."""
        name = f"test-{time.time_ns()}"
        p = self.ok("exec", "--out", self.path("l.db"), "--share", name, "/bin/sh", "-c",
                    f"{self.program} run one & {self.program} run two; wait")
        self.assertEqual(sorted(re.findall(r"(\w+): cudaSuccess", p.stdout)), ["one", "two"])
        first = subprocess.Popen([harness.HEDDLE, "exec", "--quiet", "--share", name + ":1/2", self.program, "run"],
                                 stdout=subprocess.PIPE)
        time.sleep(0.5)
        self.fails("exec", "--gpu", "h100", "--share", name + ":2/2", self.program, "run",
                   says="other processes have another GPU there")
        self.fails("exec", "--share", name + ":2/3", self.program, "run", says="2 processes begin together")
        self.ok("exec", "--share", name + ":2/2", self.program, "run")
        first.communicate()
        self.assertEqual(first.returncode, 0)

    def test_programs_that_processes_become(self):
        p = self.run_program(["--out", self.path("e.db")], "exec")
        for name in ("parent", "one", "two"):
            self.assertRegex(p.stdout, name + r": cudaSuccess at [\d.]+ us\n")
        self.assertTrue(all(os.path.exists(self.path(f)) for f in ("e.db", "e.1.db", "e.2.db")))
        self.assertEqual(sorted(p.stdout.splitlines()), sorted(self.run_program([], "exec").stdout.splitlines()))

    def test_semaphores_between_processes(self):
        p = self.run_program([], "turns")
        lines = re.findall(r"(parent|child): cudaSuccess at ([\d.]+) us", p.stdout)
        self.assertEqual([w for w, _ in lines], ["parent", "child"] * 3)
        self.assertEqual([float(t) for _, t in lines], sorted(float(t) for _, t in lines))
        self.assertNotIn("another run may be others", p.stderr)

    def test_a_child_of_a_process_that_has_used_the_device(self):
        """It can not (CUDA C++ Programming Guide, environment: fork())."""
        p = self.run_program([], "after")
        self.assertIn("child: cudaErrorInitializationError\nchild: cudaErrorInitializationError at", p.stdout)
        self.assertEqual(len(re.findall("parent: cudaSuccess", p.stdout)), 2)

    def test_compute_modes(self):
        p = self.run_program(["--compute-mode", "exclusive-process"], "turns")
        self.assertEqual(re.findall(r"(\w+): (\w+) at", p.stdout),
                         [("parent", "cudaSuccess"), ("child", "cudaErrorDevicesUnavailable")] * 3)
        p = self.heddle("exec", "--compute-mode", "prohibited", self.program, "run")
        self.assertIn("one: cudaErrorDevicesUnavailable", p.stdout)
        self.assertIn(", mode 3\n", self.run_program(["--compute-mode", "exclusive-process"], "device").stdout)

    def test_an_instance(self):
        p = self.run_program(["--mig", "3g.71gb"], "device")
        self.assertIn("NVIDIA H200 MIG 3g.71gb: 60 SMs, L2 31457280, memory 75055000000, set-aside 0, "
                      "3 copy engines, mode 0\na kernel: cudaSuccess", p.stdout)
        self.fails("exec", "--mig", "3g.40gb", self.program, says="--mig 3g.40gb: no profile of h200 (legal: 1g.18gb, ")


if __name__ == "__main__":
    unittest.main()
