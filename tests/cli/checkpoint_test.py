"""heddle run --checkpoint, --resume and --from-launch: the results are those of a run that was never stopped."""
import os
import signal
import subprocess
import time
import unittest

from tests.cli import harness

CODE = os.path.join(os.getcwd(), "tests", "cubin", "data")
AT_ISSUE = os.path.join(CODE, "at_issue.fatbin")
MAGIC = b"\x89HEDCKP\n"
# Loads that miss, and arithmetic behind them, in a loop's worth of code.
BODY = "0000 ffffffff 1 R0 S2R 0 0\n" + "".join(
    f"{32 * i + 16:04x} ffffffff 1 R3 LDG.E 1 R2 4 1 0x{{load:x}} {4 + 28 * (i % 2)}\n"
    f"{32 * i + 32:04x} ffffffff 1 R5 FADD 2 R3 R3 0\n" for i in range(24)) + \
    "0310 ffffffff 0 STG.E 2 R2 R5 4 1 0x{store:x} 4\n0320 ffffffff 0 EXIT 0 0\n"


class Checkpoint(harness.HeddleTest):
    def setUp(self):
        super().setUp()
        self.capture("app", kernels=3, blocks=300, body=BODY)

    def run_app(self, *args):
        return self.ok("run", "app", "--gpu", "h200", "-q", *args)

    def hash(self, db):
        return self.ok("report", db, "--hash").stdout

    def test_resumed_runs_have_the_same_hash(self):
        profile = ["--profile", "--profile-interval", "64", "--timeline", "--timeline-warps", "0,1"]
        self.run_app("--from-launch", "3", "--out", "whole.db", *profile)
        for cycle in ["0", "1000", "1500"]:
            self.run_app("--from-launch", "3", "--checkpoint", "c", "--checkpoint-at", cycle, "--out", "saved.db",
                         "--force", *profile)
            with open(self.path("c"), "rb") as f:
                self.assertEqual(f.read(8), MAGIC)
            self.run_app("--resume", "c", "--threads", "2", "--out", "resumed.db", "--force", *profile)
            self.assertEqual(self.hash("saved.db"), self.hash("whole.db"))
            self.assertEqual(self.hash("resumed.db"), self.hash("whole.db"))

    def test_every_so_many_cycles_the_newest_stays(self):
        self.run_app("--from-launch", "2", "--out", "whole.db")
        self.run_app("--from-launch", "2", "--checkpoint", "c", "--checkpoint-every", "300")
        self.run_app("--resume", "c", "--out", "resumed.db", "--quantum", "50")
        # The newest is of the last launch.
        launches = "SELECT launch, cycles FROM launches WHERE launch = 3"
        self.assertEqual(self.query("resumed.db", "SELECT launch, cycles FROM launches"),
                         self.query("whole.db", launches))

    def test_from_launch(self):
        self.run_app("--out", "all.db")
        self.run_app("--from-launch", "2", "--out", "some.db")
        rows = "SELECT launch, trace, trace_hash, cycles FROM launches"
        self.assertEqual(self.query("some.db", rows), self.query("all.db", rows)[1:])
        self.assertEqual(self.query("some.db", "SELECT launches_planned FROM runs"), [(2,)])
        self.refuses("--from-launch 4: there are 3 launches (legal: 1 to 3)", "--from-launch", "4")

    def test_the_others_follow_behind_the_resumed_launch(self):
        self.run_app("--from-launch", "2", "--checkpoint", "c", "--checkpoint-at", "1000", "--out", "whole.db")
        self.run_app("--resume", "c", "--out", "resumed.db")
        self.assertEqual(self.hash("resumed.db"), self.hash("whole.db"))

    def refuses(self, message, *args):
        self.fails("run", "app", "--gpu", "h200", "-q", *args, says=message)

    def test_what_differs_is_named(self):
        self.run_app("--from-launch", "2", "--checkpoint", "c", "--checkpoint-at", "1000")
        self.refuses("c: it is of 'h200' with configuration", "--resume", "c", "--set", "l2.ways=8")
        self.refuses("l2.ways is 20 there, 8 here", "--resume", "c", "--set", "l2.ways=8")
        self.refuses("c: --l2-set-aside is not given there, 1048576 here", "--resume", "c", "--l2-set-aside", "1MiB")
        self.refuses("c: --profile is not given there, given here", "--resume", "c", "--profile", "--out", "r.db")
        self.assertFalse(os.path.exists(self.path("r.db")))  # before anything is simulated
        with open(self.path("app/kernel-2.traceg"), "a") as f:
            f.write("\n")
        self.refuses("c: it is of the trace app/2 with hash", "--resume", "c")
        self.capture("other", kernels=1)
        r = self.heddle("run", "other", "--gpu", "h200", "--resume", "c")
        self.assertIn("c: it is of the launch app/2 (_Z6vecaddPfS_), which the traces given do not have", r.stderr)

    def test_damaged_files_are_refused(self):
        self.run_app("--from-launch", "2", "--checkpoint", "c", "--checkpoint-at", "1000")
        with open(self.path("c"), "rb") as f:
            good = f.read()

        def refused(data, message):
            with open(self.path("bad"), "wb") as f:
                f.write(data)
            self.refuses(message, "--resume", "bad")

        refused(b"", "bad: byte 0: empty file (legal: a checkpoint)")
        refused(b"text", "bad: byte 0: not a checkpoint")
        refused(good[:12], "truncated")
        refused(good[:100], "truncated")
        refused(good[:len(good) // 2], "truncated")
        refused(good + b"x", "damaged: the checkpoint should end here")
        refused(good[:8] + b"\x02" + good[9:], "damaged: wrong checksum of the version")
        for at in [20, 60, 200, len(good) // 2, len(good) - 1]:
            refused(good[:at] + bytes([good[at] ^ 4]) + good[at + 1:], "bad: byte ")
        self.refuses("app/kernel-1.traceg: byte 0: not a checkpoint", "--resume", "app/kernel-1.traceg")
        self.refuses("none", "--resume", "none")

    def test_what_a_checkpoint_replaces(self):
        self.write("text", "mine")
        self.refuses("text", "--checkpoint", "text", "--checkpoint-at", "1000")
        with open(self.path("text")) as f:
            self.assertEqual(f.read(), "mine")
        self.run_app("--checkpoint", "text", "--checkpoint-at", "1000", "--force")
        self.run_app("--checkpoint", "text", "--checkpoint-at", "1000")  # one replaces another

    def test_options_that_do_not_go_together(self):
        for args in [["--checkpoint-at", "1"], ["--checkpoint", "c", "--sample"], ["--resume", "c", "--jobs", "2"],
                     ["--checkpoint", "c", "--cpus", "2"], ["--resume", "c", "--from-launch", "2"],
                     ["--checkpoint", "c", "--checkpoint-every", "0"], ["--from-launch", "0"]]:
            r = self.heddle("run", "app", "--gpu", "h200", *args)
            self.assertNotEqual(r.returncode, 0, args)
            self.assertIn("--", r.stderr)
        self.refuses("share.sms", "--checkpoint", "c", "--fidelity", "fast")

    def test_a_cycle_that_no_launch_reaches_is_warned_about(self):
        r = self.run_app("--from-launch", "3", "--checkpoint", "c", "--checkpoint-at", "100000000")
        self.assertIn("--checkpoint-at 100000000: no launch came so far, nothing was saved", r.stderr)
        self.assertFalse(os.path.exists(self.path("c")))

    def test_code_that_is_executed(self):
        """Machine code and PTX, with what they compute, as without --checkpoint."""
        ptx = os.path.join(os.getcwd(), "tests", "exec", "data", "saxpy.ptx")
        launches = (
            (2, [os.path.join(CODE, "parts.cubin"), "--kernel", "parts", "--grid", 2, "--block", 256, "--arg", 1, "--arg", 2.5,
                 "--arg", "zeros:f32:256"]),
            (3, [ptx, "--kernel", "saxpy", "--grid", 40, "--block", 256, "--arg", 10000, "--arg", 2.5, "--arg",
                 "arange:f32:10000", "--arg", "ones:f32:10000"]),
            (0, [AT_ISSUE, "--kernel", "parted", "--grid", 12, "--block", 256, "--arg", "zeros:u32:3072", "--arg",
                 "arange:u32:3072"]),
            (1, [AT_ISSUE, "--kernel", "sums", "--grid", 20, "--block", 256, "--arg", "zeros:u64:8", "--arg", "zeros:u32:5120"]),
            (0, [AT_ISSUE, "--kernel", "flag", "--grid", 8, "--block", 128, "--arg", "zeros:u32:4096"]))
        for out, launch in launches:
            def run(db, *args, out=out, launch=launch):
                self.ok("run", *launch, "--gpu", "h200", "-q", "--out", db, "--force", "--profile", "--out-arg", f"{out}={db}.npy",
                        *args)
                with open(self.path(f"{db}.npy"), "rb") as f:
                    return self.hash(db), f.read()

            with self.subTest(launch=launch):
                whole = run("whole.db")
                (cycles,), = self.query("whole.db", "SELECT cycles FROM launches")
                for part in (0, 0.3, 0.6, 0.9):
                    at = int(cycles * part)
                    self.assertEqual(run("saved.db", "--checkpoint", "c", "--checkpoint-at", at), whole)
                    self.assertEqual(run("resumed.db", "--resume", "c", "--threads", 2), whole)
                # Saved again, it is as if it had never been.
                run("first.db", "--checkpoint", "a", "--checkpoint-at", int(cycles * 0.6))
                run("later.db", "--checkpoint", "b", "--checkpoint-at", int(cycles * 0.8))
                run("again.db", "--resume", "a", "--checkpoint", "c", "--checkpoint-at", int(cycles * 0.8))
                with open(self.path("b"), "rb") as b, open(self.path("c"), "rb") as c:
                    self.assertTrue(b.read() == c.read())

    def test_an_interrupted_run_goes_on(self):
        # Long enough that the signal comes in its middle.
        self.capture("long", kernels=1, blocks=30000, body=BODY)
        self.ok("import", "long", "-o", "native")
        self.ok("run", "native", "--gpu", "h200", "-q", "--out", "whole.db")
        p = subprocess.Popen([harness.HEDDLE, "run", "native", "--gpu", "h200", "--checkpoint", "c", "--out", "r.db"],
                             cwd=self.dir, text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        time.sleep(1.5)
        p.send_signal(signal.SIGTERM)
        errors = p.communicate()[1]
        self.assertEqual(p.returncode, 143, errors)
        self.assertIn("in c; --resume c goes on", errors)
        self.ok("run", "native", "--gpu", "h200", "-q", "--resume", "c", "--out", "resumed.db")
        self.assertEqual(self.hash("resumed.db"), self.hash("whole.db"))


if __name__ == "__main__":
    unittest.main()
