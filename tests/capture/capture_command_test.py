"""heddle capture, with a library in the tracer's place that sends what a file has."""
import os
import signal
import subprocess
import time
import unittest

from tests.cli import harness

HERE = os.path.join(os.getcwd(), "tests", "capture")
FAKE = os.path.join(HERE, "libfake_tracer.so")


class Capture(harness.HeddleTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("streams"))
        subprocess.run([os.path.join(HERE, "make_streams"), self.path("streams")], check=True)

    def environment(self, stream=None, tracer=FAKE):
        e = {k: v for k, v in os.environ.items() if k not in ("HEDDLE_TRACER", "FAKE_STREAM")}
        e["HEDDLE_TRACER"] = tracer
        if stream:
            e["FAKE_STREAM"] = self.path("streams", stream)
        return e

    def capture(self, stream, *args, **kwargs):
        return self.heddle("capture", *args, env=self.environment(stream), **kwargs)

    def error(self, p, *says):
        errors = [line for line in p.stderr.splitlines() if line.startswith("heddle: error: ")]
        self.assertEqual(len(errors), 1, p.stderr)
        for text in says:
            self.assertIn(text, errors[0])

    def test_writes_files_and_a_list(self):
        p = self.capture("two", "-o", "out", "--", "true")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("recording on NVIDIA H200", p.stderr)
        self.assertIn("kernel-1.heddle: launch 5, _Z6vecaddPf, grid (2,1,1), 14 warp instructions", p.stderr)
        self.assertIn("out: 2 launches captured, 0 dropped", p.stderr)
        with open(self.path("out/kernelslist.g")) as f:
            self.assertEqual(f.read(), "MemcpyHtoD,0x00007f0000000000,4096\nkernel-1.heddle\nkernel-2.heddle\n")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["kernel-1.heddle", "kernel-2.heddle", "kernelslist.g"])
        p = self.heddle("coalesce", "out")  # they can be read
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("LDG.E", p.stdout)

    def test_graphs_and_parts_of_grids_are_named(self):
        p = self.capture("graph_and_part", "-o", "out", "--blocks", "2-3", "--", "true")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("kernel-1.heddle: launch 0, _Z6vecaddPf, grid (2,1,1), graph 1 in launch 1 of graphs, stream 0x7f01, "
                      "2 warp instructions", p.stderr)
        self.assertIn("kernel-3.heddle: launch 5, _Z6vecaddPf, grid (8,1,1), blocks 2-3 of 8, 2 warp instructions", p.stderr)
        p = self.heddle("run", "out/kernel-3.heddle", "--gpu", "h200")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("kernel-3.heddle: blocks 2-3 of the 8 of its grid", p.stderr)

    def test_the_program_keeps_its_arguments_output_and_status(self):
        p = self.capture("two", "-o", "out", "-q", "--", "sh", "-c", "echo \"$1\" --kernel; exit 7", "sh", "-o", "")
        self.assertEqual(p.returncode, 7)
        self.assertEqual(p.stdout, "-o --kernel\n")
        self.assertTrue(os.path.exists(self.path("out/kernel-2.heddle")))
        self.assertEqual(self.capture("two", "-o", "b", "--", "sh", "-c", "kill -SEGV $$").returncode, 139)

    def test_options_reach_the_tracer(self):
        p = self.capture("two", "-o", "out", "-q", "--blocks", "64", "--kernel", "gemm.*", "--launch", "3-9", "--first-of-each", "--nvtx", "step",
                         "--profiler", "--max-launches", "4", "--memory", "2", "--no-tensor-maps", "--", "env")
        e = dict(line.split("=", 1) for line in p.stdout.splitlines() if "=" in line)
        self.assertEqual({k[15:]: v for k, v in e.items() if k.startswith("HEDDLE_CAPTURE_") and k[15:] != "SOCKET"}, {
            "KERNEL": "gemm.*", "LAUNCHES": "3-9", "FIRST_OF_EACH": "1", "NVTX": "step", "PROFILER": "1", "MOST": "4",
            "BLOCKS": "64", "MEMORY": str(2 << 30), "MAPS": "0", "LIST": ""})
        self.assertEqual(e["LD_PRELOAD"], e["NVTX_INJECTION64_PATH"])
        self.assertEqual(e["NOBANNER"], "1")
        self.assertFalse(os.path.exists(e["HEDDLE_CAPTURE_SOCKET"]))  # gone with its folder
        self.assertFalse(os.path.exists(os.path.dirname(e["HEDDLE_CAPTURE_SOCKET"])))

    def test_what_is_dropped_is_an_error_behind_the_others(self):
        p = self.capture("dropped", "-o", "out", "--", "true")
        self.assertEqual(p.returncode, 1)
        self.assertIn("launch 6, _Z4hugev: dropped: its records need 5120 MiB, the buffer on the GPU has 1024 MiB", p.stderr)
        self.error(p, "missing")
        self.assertTrue(os.path.exists(self.path("out/kernel-1.heddle")))
        p = self.capture("cut", "-o", "cut", "--", "true")
        self.assertEqual(p.returncode, 1)
        self.assertIn("the stream ends within", p.stderr)
        self.assertEqual(os.listdir(self.path("cut")), [])
        p = self.capture("error", "-o", "e", "--", "true")
        self.assertEqual(p.returncode, 1)
        self.assertIn("no room on the GPU", p.stderr)

    def test_nothing_captured_says_why(self):
        p = self.capture("none", "-o", "out", "--", "true")
        self.assertEqual(p.returncode, 1)
        self.error(p, "none of the 4 launches was selected", "--list")
        p = self.capture("no_context", "-o", "out", "--", "true")
        self.assertEqual(p.returncode, 1)
        self.error(p, "nothing was captured: ")
        p = self.capture(None, "-o", "out", "--", "true")
        self.assertEqual(p.returncode, 1)
        self.error(p, "nothing was captured: ")

    def test_list(self):
        p = self.capture("list", "--list", "--", "true")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(p.stdout.split(), ["5", "grid", "(1,1,1)", "block", "(1,1,1)", "_Z6vecaddPf"])
        self.assertIn("graphs", p.stderr)

    def test_errors_before_anything_runs(self):
        ran = "touch ran"
        for args, says in ((("-o", "out", "--", "no-such-program"), ["no-such-program: cannot be run"]),
                           (("--", "sh", "-c", ran), ["--out is required"]),
                           (("-o", "out", "--list", "--", "sh", "-c", ran), ["--out"]),
                           (("-o", "out",), ["COMMAND"]),
                           (("-o", "out", "--kernel", "(", "--", "sh", "-c", ran), ["--kernel", "regular expression"]),
                           (("-o", "out", "--launch", "9-3", "--", "sh", "-c", ran), ["--launch", "N-M"]),
                           (("-o", "out", "--blocks", "0", "--", "sh", "-c", ran), ["--blocks", "from 1"]),
                           (("-o", "out", "--blocks", "9-3", "--", "sh", "-c", ran), ["--blocks", "A-B"]),
                           (("-o", "streams/two", "--", "sh", "-c", ran), ["streams/two"]),
                           (("-o", "out", "--tracer", "none.so", "--", "sh", "-c", ran),
                            ["none.so: there is no tracer", "make -C tools/tracer NVBIT_HOME="])):
            with self.subTest(args=args):
                p = self.capture("two", *args)
                self.assertEqual(p.returncode, 1)
                self.error(p, *says)
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_replaces_nothing_unless_told(self):
        self.assertEqual(self.capture("two", "-o", "out", "--", "true").returncode, 0)
        p = self.capture("two", "-o", "out", "--", "true")
        self.assertEqual(p.returncode, 1)
        self.error(p, "out/kernelslist.g: exists (--force replaces it)")
        self.assertEqual(self.capture("two", "-o", "out", "--force", "--", "true").returncode, 0)

    def test_the_disk_limit_keeps_what_is_complete(self):
        p = self.capture("two", "-o", "out", "--disk", "0.000000001", "--", "true")
        self.assertEqual(p.returncode, 1)
        self.error(p, "as many as --disk allows")
        with open(self.path("out/kernelslist.g")) as f:
            self.assertEqual(f.read().split("\n")[1:], ["kernel-1.heddle", ""])

    def test_a_full_disk_leaves_no_part_of_a_file(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        import resource
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
        p = self.capture("two", "-o", "out", "--", "true", preexec_fn=limit)
        self.assertEqual(p.returncode, 1, p.stderr)
        self.error(p, "out/kernel-1.heddle")
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_a_signal_ends_the_program_and_keeps_what_is_there(self):
        command = [harness.HEDDLE, "capture", "-o", "out", "--", "sleep", "60"]
        for number in (signal.SIGINT, signal.SIGTERM):
            p = subprocess.Popen(command + [], cwd=self.dir, env=self.environment("two"), text=True, stdin=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, start_new_session=True)
            deadline = time.monotonic() + 60
            while not os.path.exists(self.path("out/kernel-2.heddle")) and time.monotonic() < deadline:
                time.sleep(0.02)
            p.send_signal(number)
            error = p.communicate(timeout=60)[1]
            self.assertEqual(p.returncode, 128 + number, error)
            with open(self.path("out/kernelslist.g")) as f:
                self.assertIn("kernel-2.heddle", f.read())
            subprocess.run(["rm", "-r", self.path("out")], check=True)


if __name__ == "__main__":
    unittest.main()
