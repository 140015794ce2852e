"""Wrong input: one line that names the file and the place, status 1, no partial rows."""
import os
import resource
import signal
import subprocess
import unittest

from tests.cli import harness


class Errors(harness.HeddleTest):
    def test_usage(self):
        self.fails(says=["no command given", "there are: run, import"])
        self.fails("run", says=["PATH", "heddle run --help"])
        self.capture("app")
        self.fails("run", "app", says="--gpu")
        self.fails("run", "app", "--gpu", "h200", "--no-such-option", says="--no-such-option")
        self.fails("run", "app", "--gpu", "h200", "--threads", "0", says="--threads")
        self.fails("run", "app", "--gpu", "h200", "--threads", "2", "--cpus", "4", says="--cpus")
        self.fails("run", "app", "--gpu", "h200", "--append", "--force", "--out", "x.db", says="--force")
        self.fails("frobnicate", says="frobnicate")

    def test_options_that_would_be_ignored(self):
        self.capture("app")
        self.ok("run", "app", "--gpu", "h200", "--out", "r.db")
        occupancy = ("occupancy", "--gpu", "h200", "--regs", "32")
        for command, one, other in ((("run", "app", "--gpu", "h200"), ("--append",), "--out"), (("run", "app", "--gpu", "h200"), ("--no-host-timing",), "--out"),
                                    (("report", "r.db", "--hash"), ("--run", "1"), "--hash"), (("report", "r.db", "--hash"), ("--kernel", "app"), "--hash"),
                                    (("report", "r.db", "--hash"), ("--html", "r.html"), "--hash"), (("report", "r.db", "--hash"), ("--relations",), "--hash"),
                                    (("report", "r.db", "--relations"), ("--kernel", "app"), "--relations"), (("report", "r.db", "--relations"), ("--html", "r.html"), "--relations"),
                                    ((*occupancy, "--curve", "regs"), ("--suggest",), "--curve"), (("config", "show", "h200", "--hash"), ("--under", "l2"), "--under"),
                                    (("config", "show", "h200", "--hash"), ("--flat",), "--flat"), (("config", "show", "h200", "--hash"), ("--plain",), "--plain"),
                                    (("sweep", "best", "s", "--pareto", "cycles,time"), ("--metric", "time"), "--metric"),
                                    (("sweep", "best", "s", "--pareto", "cycles,time"), ("--top", "1"), "--top"),
                                    (("sweep", "best", "s", "--pareto", "cycles,time"), ("--group-by", "gpu"), "--group-by")):
            self.fails(*command, *one, says=[one[0], other])

    def test_configuration(self):
        self.capture("app")
        self.fails("run", "app", "--gpu", "h2000", says=["h2000", "h200"])
        self.fails("run", "app", "--gpu", "h200", "--set", "l2.wayz=4", says="l2.wayz")
        self.fails("run", "app", "--gpu", "h200", "--set", "l2.ways=100000", says="l2.ways")
        self.fails("run", "app", "--gpu", "h200", "--fidelity", "wild", says="wild")

    def test_missing_paths(self):
        self.fails("run", "nowhere", "--gpu", "h200", says="nowhere")
        os.mkdir(self.path("empty"))
        self.fails("run", "empty", "--gpu", "h200", says="empty")
        self.write("bad/kernelslist.g", "kernel-1.traceg\n")
        self.fails("run", "bad", "--gpu", "h200", says="kernelslist.g:1")

    def test_unwritable_output_is_found_before_the_simulation(self):
        self.capture("app")
        for option in ("--out", "--summary"):
            p = self.fails("run", "app", "--gpu", "h200", option, "no/such/dir/file", says="no/such/dir/file")
            self.assertEqual(p.stdout, "")
            self.fails("run", "app", "--gpu", "h200", option, self.dir, says=self.dir)

    def test_malformed_trace(self):
        text = harness.trace_text()
        lines = text.splitlines(keepends=True)
        bad = next(i for i, line in enumerate(lines) if "LDG" in line)
        lines[bad] = lines[bad].replace("ffffffff", "fffgffff")
        self.write("app/kernel-1.traceg", "".join(lines))
        p = self.fails("run", "app/kernel-1.traceg", "--gpu", "h200", "--out", "r.db", "--summary", "s.csv",
                       says=f"app/kernel-1.traceg:{bad + 1}: ")
        self.assertEqual(p.stdout, "")
        self.assertFalse(os.path.exists(self.path("r.db")))
        self.assertFalse(os.path.exists(self.path("s.csv")))

    def test_truncated_trace(self):
        text = harness.trace_text()
        self.write("app/kernel-1.traceg", text[:len(text) * 2 // 3])
        self.fails("run", "app/kernel-1.traceg", "--gpu", "h200", "--out", "r.db", says="app/kernel-1.traceg")
        self.assertFalse(os.path.exists(self.path("r.db")))
        inside = text.index(" LDG") + 2  # of a line
        self.write("app/kernel-1.traceg", text[:inside])
        line = text[:inside].count("\n") + 1
        self.fails("run", "app/kernel-1.traceg", "--gpu", "h200",
                   says=[f"app/kernel-1.traceg:{line}: ", "; the file ends inside this line (incomplete copy?)"])

    def test_kernels_before_the_error_are_kept(self):
        self.capture("app", kernels=3)
        self.write("app/kernel-2.traceg", "this is no trace\n")
        p = self.fails("run", "app", "--gpu", "h200", "--out", "r.db", "--summary", "s.csv", "--fail-fast",
                       says="app/kernel-2.traceg")
        self.assertIn("1 of 3 launches finished, kept in r.db", p.stderr)
        self.assertEqual(self.query("r.db", "SELECT launch FROM launches"), [(1,)])
        self.assertEqual(self.query("r.db", "SELECT count(DISTINCT launch_id) FROM counters"), [(1,)])
        with open(self.path("s.csv")) as f:
            self.assertEqual(len(f.readlines()), 2)

    def test_keep_going(self):
        self.capture("app", kernels=3)
        self.write("app/kernel-2.traceg", "this is no trace\n")
        for option in (["--keep-going"], []):
            with self.subTest(option):
                self.fails("run", "app", "--gpu", "h200", "--out", "r.db", "--force", *option, says="app/kernel-2.traceg")
                self.assertEqual(self.query("r.db", "SELECT launch FROM launches"), [(1,), (3,)])

    def test_a_killed_launch_does_not_stop_the_others(self):
        """Each launch is simulated in a process of its own; the second one's is ended by a signal."""
        for jobs in (1, 2):
            with self.subTest(jobs=jobs):
                self.capture("app", kernels=3)
                self.write("app/kernel-2.traceg", harness.trace_text(blocks=30000, warps=8))
                p = subprocess.Popen([harness.HEDDLE, "run", "app", "--gpu", "h200", "--out", "r.db", "--force", "--jobs",
                                      str(jobs), "-q"], cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                os.kill(self.busy_worker(p.pid), signal.SIGSEGV)
                out, err = p.communicate(timeout=120)
                self.assertEqual(p.returncode, 1, err)
                self.assertIn("app/kernel-2.traceg: the process of the simulation was ended by signal 11 (Segmentation "
                              "fault)", err)
                self.assertEqual(self.query("r.db", "SELECT launch FROM launches"), [(1,), (3,)])
                self.assertIn("2 of 3 launches", out)

    def test_threads_that_cannot_be_started(self):
        """A limit of memory leaves room for few stacks: fewer threads, a warning, and the same results."""
        self.capture("app", blocks=300)
        self.ok("run", "app", "--gpu", "h200", "--out", "one.db")
        want = self.ok("report", "one.db", "--hash").stdout

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))
            resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, 64 << 20))  # of each thread

        for options in (["--threads", "1024"], ["--cpus", "1024"]):
            with self.subTest(options):
                p = self.heddle("run", "app", "--gpu", "h200", "--out", "r.db", "--force", *options, preexec_fn=limit)
                self.assertEqual(p.returncode, 0, p.stderr)
                self.assertRegex(p.stderr, r"heddle: warning: \d+ threads for a launch, not \d+: the host starts no more")
                self.assertEqual(self.ok("report", "r.db", "--hash").stdout, want)

    def test_capability(self):
        self.capture("app", capability=80)
        self.fails("run", "app", "--gpu", "h200",
                   says=["kernel-1.traceg", "8.0", "9.0", "--allow-capability-mismatch"])
        p = self.ok("run", "app", "--gpu", "h200", "--allow-capability-mismatch")
        self.assertIn("heddle: warning: ", p.stderr)

    def test_unknown_list_lines(self):
        self.capture("app")
        with open(self.path("app/kernelslist.g"), "a") as f:
            f.write("what is this\n")
        self.assertIn("kernelslist.g:2", self.ok("run", "app", "--gpu", "h200").stderr)
        self.fails("run", "app", "--gpu", "h200", "--strict", says="kernelslist.g:2")

    def test_report_of_something_else(self):
        self.fails("report", "none.db", says="none.db: no such file")
        self.fails("host", ".", "--gpu", "h200", says=".: is a directory (legal: a workload file, or a kernelslist.g)")
        self.fails("config", "check", "none.textproto", says="none.textproto: cannot be read: no such file")
        self.write("notes.txt", "not a database" * 100)
        self.fails("report", "notes.txt", says="notes.txt")
        self.capture("app")
        self.fails("run", "app", "--gpu", "h200", "--out", "notes.txt", "--force", says="notes.txt")
        with open(self.path("notes.txt")) as f:
            self.assertTrue(f.read().startswith("not a database"))

    def test_a_deadlock_does_not_stop_the_others(self):
        for jobs in (1, 2):
            with self.subTest(jobs=jobs):
                self.capture("app", kernels=3)
                self.deadlock("app/kernel-2")
                p = self.fails("run", "app", "--gpu", "h200", "--out", "r.db", "--force", "--keep-going",
                               "--jobs", jobs, says=["app/kernel-2.traceg", "deadlock"])
                self.assertEqual(self.query("r.db", "SELECT launch FROM launches"), [(1,), (3,)])
                self.assertIn("2 of 3 launches", p.stdout)

    def test_a_truncated_native_trace_does_not_stop_the_others(self):
        self.capture("app", kernels=3)
        self.ok("import", "app", "-o", "native")
        for f in os.listdir(self.path("native/app")):  # a folder of files without a list
            if not f.endswith(".heddle"):
                os.remove(self.path("native/app", f))
        for keep in (8, 1000):  # not even the header is there; the chunks are not
            with self.subTest(keep=keep):
                bad = self.path("native/app/kernel-2.heddle")
                with open(bad, "r+b") as f:
                    f.truncate(keep)
                self.fails("run", "native/app", "--gpu", "h200", "--out", "r.db", "--force", "--keep-going",
                           says="native/app/kernel-2.heddle")
                self.assertEqual(sorted(self.query("r.db", "SELECT trace, launch FROM launches")),
                                 [("app", 1), ("app", 3)])

    def test_a_deadlock_of_many_warps_is_reported_in_short(self):
        self.deadlock("app/kernel-1", blocks=20)
        p = self.fails("run", "app/kernel-1.traceg", "--gpu", "h200", says="40 warps cannot go on")
        lines = [line for line in p.stderr.splitlines() if line.startswith("  ")]
        self.assertEqual(len(lines), 17)
        self.assertEqual(lines[-1], "  ... and 24 more")

    def test_deadlock_says_who_waits_for_what(self):
        self.deadlock("app/kernel-1")
        p = self.fails("run", "app/kernel-1.traceg", "--gpu", "h200", "--out", "r.db",
                       says=["app/kernel-1.traceg", "deadlock"])
        for warp in (0, 1):
            self.assertRegex(p.stderr, rf"(?m)^ +SM 0 .*warp {warp}.*barrier")
        self.assertFalse(os.path.exists(self.path("r.db")))

    def test_no_space_left_keeps_the_finished_kernels(self):
        self.capture("app", kernels=30)
        self.capture("some", kernels=10)
        self.ok("run", "some", "--gpu", "h200", "--out", "some.db")
        room = os.path.getsize(self.path("some.db"))  # for more than the configuration, less than all of the 30

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a failed write instead of the end
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

        p = self.heddle("run", "app", "--gpu", "h200", "--out", "r.db", preexec_fn=limit)
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertIn("heddle: error: r.db: ", p.stderr)
        kept = self.query("r.db", "SELECT count(*) FROM launches")[0][0]
        self.assertIn(f"{kept} of 30 launches finished", p.stderr)
        self.assertTrue(0 < kept < 30, kept)
        self.assertEqual(self.query("r.db", "SELECT count(DISTINCT launch_id) FROM counters"), [(kept,)])
        self.assertEqual(self.query("r.db", "SELECT count(*) FROM host_timing"), [(kept,)])
        self.assertEqual(self.query("r.db", "PRAGMA integrity_check"), [("ok",)])

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        self.capture("app")
        with open("/dev/full", "w") as full:
            p = subprocess.run([harness.HEDDLE, "metrics"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(p.returncode, 1)
        self.assertIn("heddle: error: standard output: No space left", p.stderr)

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        p = self.heddle("run", "app", "--gpu", "h200", "--out", "r.db", preexec_fn=limit)
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertFalse(os.path.exists(self.path("r.db")), "in the way of the next attempt")
        self.fails("run", "app", "--gpu", "h200", "--summary", "/dev/full", says="/dev/full")


if __name__ == "__main__":
    unittest.main()
