"""Ctrl-C and SIGTERM: finished kernels stay, the exit status tells; the progress bar on a terminal."""
import gzip
import os
import pty
import signal
import subprocess
import time
import unittest

from tests.cli import harness

# A kernel that keeps the simulator busy for long: 20,000 blocks of dependent additions.
ADDITIONS = 400
BLOCKS = 20000
WARPS = 8
BODY = "0000 ffffffff 1 R0 S2R 0 0\n" + "".join(
    f"{16 * (i + 1):04x} ffffffff 1 R5 FADD 2 R5 R5 0\n" for i in range(ADDITIONS)) + \
    f"{16 * (ADDITIONS + 1):04x} ffffffff 0 EXIT 0 0\n"
# With a side file, the trace is not read once more for its static code. Stall 5, no barriers.
SIDE = "# function _Z6vecaddPfS_ base 0\n" \
    "0000 0000000000007919 000e2e0000002100 S2R R0, SR_TID.X ;\n" + "".join(
    f"{16 * (i + 1):04x} 0000000505057221 000fea0000000000 FADD R5, R5, R5 ;\n" for i in range(ADDITIONS)) + \
    f"{16 * (ADDITIONS + 1):04x} 000000000000794d 000fea0003800000 EXIT ;\n"


class Interrupt(harness.HeddleTest):
    def start(self, *args, **kwargs):
        self.capture("app", kernels=1)
        self.write("app/kernelslist.g", "kernel-1.traceg\nkernel-2.traceg.gz\n")
        self.write("app/kernel-2.sass", SIDE)
        self.write_long("app/kernel-2.traceg.gz")
        command = [harness.HEDDLE, "run", "app", "--gpu", "h200", "--out", "r.db", "--summary", "s.csv",
                   *args]
        return subprocess.Popen(command, cwd=self.dir, text=True, **kwargs)

    def write_long(self, name):
        """Every block is the same gzip member behind a small one with its index."""
        header, block = harness.trace_text(blocks=1, warps=WARPS, body=BODY).split("#BEGIN_TB")
        warps = gzip.compress(block[block.index("warp = 0"):].encode())
        with open(self.path(name), "wb") as f:
            f.write(gzip.compress(header.replace("(1,1,1)", f"({BLOCKS},1,1)", 1).encode()))
            for b in range(BLOCKS):
                f.write(gzip.compress(f"#BEGIN_TB\n\nthread block = {b},0,0\n\n".encode(), 1))
                f.write(warps)

    def wait_for_first_kernel(self, process):
        for _ in range(600):
            if os.path.exists(self.path("s.csv")) and os.path.getsize(self.path("s.csv")) > 0:
                return
            self.assertIsNone(process.poll(), "ended too early")
            time.sleep(0.05)
        self.fail("the first kernel did not finish")

    def check_kept(self):
        self.assertEqual(self.query("r.db", "SELECT launch FROM launches"), [(1,)])
        self.assertEqual(self.query("r.db", "SELECT launches_planned FROM runs"), [(2,)])
        self.assertEqual(self.query("r.db", "SELECT count(DISTINCT launch_id) FROM counters"), [(1,)])
        with open(self.path("s.csv")) as f:
            self.assertEqual(len(f.readlines()), 2)
        self.assertIn("1 of 2 launches", self.ok("report", "r.db").stdout)

    def interrupt_with(self, number, status, *args):
        p = self.start(*args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_for_first_kernel(p)
        time.sleep(0.3)
        sent = time.monotonic()
        p.send_signal(number)
        _, err = p.communicate(timeout=60)
        self.assertLess(time.monotonic() - sent, 20)
        self.assertEqual(p.returncode, status, err)
        self.assertIn("heddle: interrupted: 1 of 2 launches finished, kept in r.db", err)
        self.assertNotIn("error", err)
        self.check_kept()

    def test_sigint(self):
        self.interrupt_with(signal.SIGINT, 130)

    def test_sigterm_with_threads(self):
        self.interrupt_with(signal.SIGTERM, 143, "--threads", "2")

    def test_kill(self):
        p = self.start(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for_first_kernel(p)
        p.kill()
        p.wait()
        self.check_kept()

    def test_bar_on_a_terminal(self):
        primary, secondary = pty.openpty()
        p = self.start(stdout=subprocess.DEVNULL, stderr=secondary)
        os.close(secondary)
        self.wait_for_first_kernel(p)
        time.sleep(1)
        p.send_signal(signal.SIGINT)
        shown = b""
        while True:
            try:
                chunk = os.read(primary, 65536)
            except OSError:
                break
            if not chunk:
                break
            shown += chunk
        p.wait()
        os.close(primary)
        text = shown.decode()
        self.assertIn("\r[", text)
        self.assertIn("kernel 2/2 app/2 ", text)
        self.assertIn("warp-inst/s", text)
        # The last thing drawn is taken away before the message.
        self.assertRegex(text, r"\r\x1b\[Kheddle: interrupted")

    def test_the_search_for_what_matters_stops(self):
        self.write("app/kernelslist.g", "kernel-2.traceg.gz\n")
        self.write("app/kernel-2.sass", SIDE)
        self.write_long("app/kernel-2.traceg.gz")
        p = subprocess.Popen([harness.HEDDLE, "config", "check", "h200", "--matter", "app", "--jobs", "2", "--csv", "m.csv"],
                             cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("simulations follow", p.stderr.readline())
        time.sleep(0.3)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=60)
        self.assertEqual(p.returncode, 130, err)
        self.assertIn("heddle: error: interrupted", err)
        self.assertNotIn("matter", out)
        self.assertFalse(os.path.exists(self.path("m.csv")))

    def test_a_host_program_stops(self):
        file = self.write("w.workload.textproto",
                          "thread { name: 'm' call { repeat { times: 30000000 call { compute_us: 1 } } } }")
        p = subprocess.Popen([harness.HEDDLE, "host", file, "--gpu", "h200"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate()
        self.assertEqual((p.returncode, out, err), (130, "", "heddle: error: interrupted\n"))


if __name__ == "__main__":
    unittest.main()
