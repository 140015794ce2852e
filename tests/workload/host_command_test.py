"""heddle host and heddle hostbench as a user types them."""
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import unittest

from tests.cli import harness

EXAMPLE = os.path.join(os.getcwd(), "traces/workloads/two_streams.workload.textproto")
SAXPY = os.path.join(os.getcwd(), "tests/exec/data/saxpy.ptx")
PARTS = os.path.join(os.getcwd(), "tests/cubin/data/parts.cubin")
MEASURED = [os.path.join(os.getcwd(), f"traces/h200/{name}.csv") for name in ("hostbench", "hostcalls")]


class Host(harness.HeddleTest):
    def test_the_example(self):
        out = self.ok("host", EXAMPLE, "--gpu", "h200", "--timeline", self.path("t.json"), "--out", self.path("t.db"),
                      "--check").stdout
        self.assertRegex(out, r"(?m)^device 0 stream s1 +3 +\d")
        self.assertRegex(out, r"(?m)^device 0 copy to device +2 +\d")
        total = float(re.search(r"(?m)^total ([\d.]+) us, 12 calls, 10 commands, 2048 blocks$", out).group(1))
        elapsed = float(re.search(r"thread main: start to stop: ([\d.]+) us", out).group(1))
        self.assertLess(elapsed, total)
        # Two copies of 16 MiB each way, half of them beside each other: 3 x 0.3 ms and two short kernels.
        self.assertAlmostEqual(total, 960, delta=30)
        events = self.check_trace("t.json")
        names = {e["name"] for e in events if e["ph"] == "X"}
        self.assertLessEqual({"copy H2D", "copy D2H", "saxpy", "cudaMemcpyAsync"}, names)
        tracks = [r[0] for r in self.query("t.db", "SELECT DISTINCT track FROM spans ORDER BY track")]
        self.assertIn("device 0 kernels", tracks)
        longest, = self.query("t.db", "SELECT max(end_ps) FROM spans")[0]
        self.assertAlmostEqual(longest / 1e6, total, places=2)
        counters = dict(self.query("t.db", "SELECT name, value FROM run_counters"))
        self.assertEqual((counters["calls"], counters["commands"], counters["thread blocks"]), (12, 10, 2048))
        self.assertEqual(counters["time ps"], longest)
        report = self.ok("report", self.path("t.db")).stdout
        for line in (r"device 0 stream s1 +3 +\d", r"time us %.3f" % total, r"thread blocks 2048"):
            self.assertRegex(report, r"(?m)^" + line)
        # The same spans by way of the database.
        self.ok("timeline", self.path("t.db"), "-o", self.path("u.json"))
        spans = lambda es: sorted((e["name"], e["ts"], e["dur"]) for e in es if e["ph"] == "X")
        self.assertEqual(spans(self.check_trace("u.json")), spans(events))

    def test_the_critical_path(self):
        out = self.ok("host", EXAMPLE, "--gpu", "h200", "--critical-path", "--timeline", self.path("t.json"),
                      "--out", self.path("t.db")).stdout
        total = re.search(r"(?m)^total ([\d.]+) us", out).group(1)
        by_kind = out.split(f"critical path: what the {total} us waited for\n")[1].split("\n\n")[0].splitlines()[2:]
        parts = [float(re.search(r" ([\d.]+) +[\d.]+ +\d+$", row).group(1)) for row in by_kind]
        self.assertAlmostEqual(sum(parts), float(total), places=2)
        self.assertLessEqual({"copy to device", "copy from device", "kernel"}, {row.split("  ")[0] for row in by_kind})
        self.assertRegex(out, r"(?m)^1 gaps between kernels, [\d.]+ us in all$")
        # What a viewer shows beside a span; the database has the same.
        copies = [e["args"] for e in self.check_trace("t.json") if e.get("name") == "copy H2D"]
        self.assertEqual(copies[0], {"kind": "copy", "correlation": 2, "stream": "s1", "bytes": 16777216})
        calls = self.query("t.db", "SELECT json_extract(args, '$.correlation'), json_extract(args, '$.bytes') FROM spans "
                                   "WHERE json_extract(args, '$.kind') = 'call' AND name = 'cudaMemcpyAsync' ORDER BY 1")
        self.assertEqual(calls, [(2, 16777216), (5, 16777216), (6, 16777216), (9, 16777216)])

    def test_graphs_are_drawn(self):
        """--dot: Graphviz reads it (tools/setup browser installs it)."""
        with open(self.path("w.textproto"), "w", encoding="utf-8") as f:
            f.write("""
                buffer { name: "h" memory: PINNED bytes: 4096 } buffer { name: "d" bytes: 4096 } stream { name: "s" }
                kernel { name: "k" us: 1 } graph { name: "captured" }
                graph { name: "g" node { name: "in" memcpy { to: "d" from: "h" } } node { name: "x" kernel: "k" after: "in" }
                  node { name: "y" kernel: "k" edge { from: "x" from_port: PROGRAMMATIC_PORT type: PROGRAMMATIC } }
                  node { name: "z" child: "captured" after: "y" } }
                thread { name: "main" call { stream_begin_capture { stream: "s" } }
                  call { launch { kernel: "k" stream: "s" } } call { memset_async { to: "d" stream: "s" } }
                  call { stream_end_capture { stream: "s" graph: "captured" } } }""")
        self.ok("host", self.path("w.textproto"), "--gpu", "h200", "--dot", self.path("g.dot"))
        if not shutil.which("dot"):
            self.skipTest("no Graphviz here: `tools/setup browser` installs it")
        p = subprocess.run(["dot", "-Tjson0", self.path("g.dot")], capture_output=True, text=True, timeout=60)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        drawn = json.loads(p.stdout)
        self.assertEqual([o["label"] for o in drawn["objects"] if "nodes" in o], ["captured", "g"])
        label = {o["_gvid"]: o["label"] for o in drawn["objects"]}
        self.assertEqual(sorted((label[e["tail"]], label[e["head"]], e.get("label", ""), e.get("style", "")) for e in drawn["edges"]),
                         sorted([("kernel k", "memset d, 4096 bytes", "", ""),
                                 ("in: memcpy h to d, 4096 bytes", "x: kernel k", "", ""),
                                 ("x: kernel k", "y: kernel k", "programmatic", ""),
                                 ("y: kernel k", "z: child graph captured", "", ""),
                                 ("z: child graph captured", "kernel k", "", "dashed")]))

    def check_trace(self, name):
        """The rules of Chrome's trace event format that viewers depend on; tests/e2e/trace_viewer_test.py asks a viewer."""
        with open(self.path(name), encoding="utf-8") as f:
            trace = json.load(f)
        self.assertEqual(trace["displayTimeUnit"], "ns")
        rows, named = {}, set()
        for e in trace["traceEvents"]:
            self.assertIn(e["ph"], "XM")
            self.assertIsInstance(e["name"], str)
            self.assertIsInstance(e["pid"], int)
            self.assertIsInstance(e["tid"], int)
            if e["ph"] == "M":
                self.assertIn(e["name"], ("process_name", "process_sort_index", "thread_name", "thread_sort_index"))
                self.assertTrue(e["args"])
                if e["name"] == "thread_name":
                    self.assertNotIn((e["pid"], e["tid"]), named)
                    named.add((e["pid"], e["tid"]))
            else:
                start, length = round(e["ts"] * 1e6), round(e["dur"] * 1e6)
                self.assertGreaterEqual(start, 0)
                self.assertGreaterEqual(length, 0)
                rows.setdefault((e["pid"], e["tid"]), []).append((start, start + length))
        self.assertEqual(set(rows), named)
        for spans in rows.values():  # complete events of a row must nest; these follow each other
            spans.sort()
            for (_, end), (start, _) in zip(spans, spans[1:]):
                self.assertLessEqual(end, start)
        return trace["traceEvents"]

    def test_errors_of_calls(self):
        text = """kernel { name: 'k' grid { x: 1 } block { x: 2000 } block_us: 1 }
thread { name: 'm'
  call { launch { kernel: 'k' } %s }
}"""
        unexpected = self.write("a.workload.textproto", text % "")
        self.assertIn("cudaLaunchKernel: cudaErrorInvalidConfiguration (block beyond 1024 x 1024 x 64)",
                      self.ok("host", unexpected, "--gpu", "h200").stdout)
        self.fails("host", unexpected, "--gpu", "h200", "--check", says="line 3: cudaLaunchKernel returned")
        expected = self.write("b.workload.textproto", text % "expect: 'cudaErrorInvalidConfiguration'")
        self.ok("host", expected, "--gpu", "h200", "--check")
        other = self.write("c.workload.textproto", text.replace("2000", "20") % "expect: 'cudaErrorInvalidValue'")
        self.fails("host", other, "--gpu", "h200", "--check", says="did not return cudaErrorInvalidValue")

    def test_undefined_behaviour(self):
        text = """buffer { name: 'b' bytes: 4096 allocated_by_call: true } pool { name: 'p' max_bytes: 33554432 }
stream { name: 's' } stream { name: 't' } kernel { name: 'k' us: 5 access { buffer: 'b' mode: WRITE } }
thread { name: 'm'
  call { malloc_async { buffer: 'b' stream: 's' pool: 'p' } }
  call { launch { kernel: 'k' stream: 's' } }
  call { launch { kernel: 'k' stream: 't' access { buffer: 'b' mode: ATOMIC offset: 16 bytes: 4 } } }
  call { free_async { buffer: 'b' stream: 's' } }
  call { pool_set_attribute { pool: 'p' release_threshold: 1 } }
  call { pool_stats: 'p' } call { pool_trim { pool: 'p' } } call { pool_reset_high: 'p' } call { mem_get_info: true }
}"""
        file = self.write("u.workload.textproto", text)
        out = self.ok("host", file, "--gpu", "h200").stdout
        self.assertIn("thread m, call 6: reserved 33554432 high 33554432 used 0 high 4096", out)
        self.assertIn("device 0 pool chunks taken 1", out)
        p = self.heddle("host", file, "--gpu", "h200", "--check")
        self.assertEqual(p.returncode, 1)
        self.assertIn("use before allocation: buffer b: cudaLaunchKernel k (thread m, line 6) and cudaMallocAsync "
                      "(thread m, line 4)", p.stderr)

    def test_a_deadlock_is_a_report(self):
        file = self.write("d.workload.textproto", "flag: 'f' thread { name: 'm' call { wait_flag: 'f' } }")
        p = self.heddle("host", file, "--gpu", "h200")
        self.assertEqual(p.returncode, 1)
        self.assertIn("nothing can go on after", p.stderr)
        self.assertIn("thread m ((wait for flag), line 1) waits for flag f, which nothing sets", p.stderr)

    def test_bad_files(self):
        bad = self.write("bad.workload.textproto", "thread {\n  nam: 'm'\n}")
        self.fails("host", bad, "--gpu", "h200", says="bad.workload.textproto:2:")
        self.fails("host", self.path("none"), "--gpu", "h200", says="cannot be read")

    def test_kernels_from_traces(self):
        self.write("capture/kernel-1.traceg", harness.trace_text())
        self.write("capture/kernelslist.g", "MemcpyHtoD,0x7f0000000000,1048576\nkernel-1.traceg\nkernel-1.traceg\n")
        out = self.ok("host", self.path("capture/kernelslist.g"), "--gpu", "h200").stdout
        self.assertRegex(out, r"(?m)^device 0 kernels +2 ")
        self.assertRegex(out, r"4 calls, 3 commands, 8 blocks")
        file = self.write("w.workload.textproto", "kernel { name: 'k' trace: 'capture/kernel-1.traceg' }\n"
                          "thread { name: 'm' call { repeat { times: 3 call { launch { kernel: 'k' } } } } }")
        self.assertRegex(self.ok("host", file, "--gpu", "h200").stdout, r"3 calls, 3 commands, 12 blocks")

    def modules_kernel(self, name, module, block=256, grid=4):
        return (f"kernel {{ name: '{name}' grid {{ x: {grid} }} block {{ x: {block} }}\n"
                f"  module {{ file: '{module}' kernel: '{name}' %s }} }}\n"
                f"thread {{ name: 'm' call {{ launch {{ kernel: '{name}' }} }} call {{ device_synchronize: true }}\n"
                f"  call {{ launch {{ kernel: '{name}' }} }} }}")

    def spans(self, database, name):
        return [b - a for a, b in self.query(database, f"SELECT start_ps, end_ps FROM spans WHERE name = '{name}' AND "
                                                       "track = 'device 0 kernels' ORDER BY start_ps")]

    def test_kernels_of_modules(self):
        """They last what `heddle run` says less start and end of the launch, here 1500 cycles of 1 ns."""
        gpu = ("--gpu", "h200", "--set", "launch.start_cycles=1000", "--set", "launch.end_cycles=500", "--set",
               "clocks.core_mhz=1000",
               *(x for one, ns in (("launch", 0), ("module", 0), ("module_kernel", 0), ("kernel", 110000))
                 for x in ("--set", f"host.first.{one}_ns={ns}")))
        for name, file, grid, arguments in (("saxpy", SAXPY, 4, ("1000", "2.5", "ones:f32:1000", "zeros:f32:1000")),
                                            ("parts", PARTS, 2, ("1", "2.5", "zeros:f32:256"))):
            with self.subTest(name):
                module = os.path.basename(file)
                shutil.copy(file, self.path(module))
                w = self.write(f"{name}.workload.textproto", self.modules_kernel(name, module, grid=grid) %
                               " ".join(f"arg: '{a}'" for a in arguments))
                out = self.ok("host", w, *gpu, "--out", self.path("h.db"), "--force").stdout
                self.assertIn(f"{2 * grid} blocks", out)
                self.ok("run", file, "--kernel", name, "--grid", grid, "--block", 256, *gpu, "--out", self.path("r.db"), "--force",
                        *(x for a in arguments for x in ("--arg", a)))
                cycles = self.query("r.db", "SELECT cycles FROM launches")[0][0]
                self.assertGreater(cycles, 1500)
                self.assertEqual(self.spans("h.db", name), [1000 * (cycles - 1500)] * 2)
                # Together on a machine: the second launch finds in the L2 what the first has read.
                self.ok("host", w, *gpu, "--together", "--out", self.path("t.db"), "--force")
                first, second = self.spans("t.db", name)
                # Not understood: on a machine of its own the kernel of parts.cubin begins 57 cycles later; with constants that are always
                # there 137, in revisions before FINDINGS.md 49, too, where something else hid the 57; 61 since constants come as in 54.
                self.assertAlmostEqual(first, 1000 * (cycles - 1500), delta=5000 if name == "saxpy" else 61000)
                self.assertLess(second, first)

    def test_arguments_from_files(self):
        """A .npy is looked for where the workload is."""
        shutil.copy(SAXPY, self.path("saxpy.ptx"))
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000,), }".ljust(117) + "\n"
        with open(self.path("x.npy"), "wb") as f:
            f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(4000))
        text = self.modules_kernel("saxpy", "saxpy.ptx") % "arg: '1000' arg: '2' arg: 'x.npy' arg: 'ones:f32:1000'"
        self.assertIn("8 blocks", self.ok("host", self.write("w.workload.textproto", text), "--gpu", "h200").stdout)

    def program(self, calls, buffers="", more="", kernel="arg: '1000' arg: '2' arg: '&x' arg: '&y'"):
        shutil.copy(SAXPY, self.path("saxpy.ptx"))
        return self.write("p.workload.textproto", f"""stream {{ name: 's' }}
buffer {{ name: 'hx' memory: PINNED data: 'arange:f32:1000' }}
buffer {{ name: 'hy' memory: PINNED data: 'ones:f32:1000' result: 'y.npy' }}
buffer {{ name: 'x' bytes: 4000 }} buffer {{ name: 'y' bytes: 4000 }} {buffers}
kernel {{ name: 'saxpy' grid {{ x: 4 }} block {{ x: 256 }} module {{ file: 'saxpy.ptx' kernel: 'saxpy' {kernel} }} }}
thread {{ name: 'main' {calls} }} {more}
""")

    def result(self):
        with open(self.path("y.npy"), "rb") as f:
            data = f.read()
        return struct.unpack("<1000f", data[-4000:])

    def test_programs_that_compute(self):
        launch = "call { launch { kernel: 'saxpy' stream: 's' } }"
        copies = "call { memcpy_async { to: 'x' from: 'hx' stream: 's' } } call { memcpy { to: 'y' from: 'hy' } }"
        back = "call { memcpy { to: 'hy' from: 'y' } }"
        out = self.ok("host", self.program(copies + launch + back), "--gpu", "h200", "--out", "a.db")
        self.assertEqual(self.result(), tuple(2.0 * i + 1 for i in range(1000)))
        self.assertIn("4 blocks", out.stdout)
        # As long as `heddle run` says, less the launch's start and end.
        self.ok("run", SAXPY, "--kernel", "saxpy", "--grid", 4, "--block", 256, "--gpu", "h200", "--out", "r.db", "--arg", 1000, "--arg", 2,
                "--arg", "arange:f32:1000", "--arg", "ones:f32:1000")
        cycles = self.query("r.db", "SELECT cycles FROM launches")[0][0]
        self.assertAlmostEqual(self.spans("a.db", "saxpy")[0] / 1000, cycles / 1.98, delta=0.3 * cycles)
        # A loop, a part of a buffer, a memset.
        self.ok("host", self.program(copies + "call { repeat { times: 3 call { repeat { times: 2 " + launch + " } } } }" + back), "--gpu", "h200")
        self.assertEqual(self.result(), tuple(12.0 * i + 1 for i in range(1000)))
        part = "call { memset { to: 'y' bytes: 400 } } call { memcpy { to: 'hy' from: 'y' bytes: 2000 to_offset: 2000 from_offset: 0 } }"
        self.ok("host", self.program(copies + launch + part), "--gpu", "h200")
        self.assertEqual(self.result(), (1.0,) * 500 + (0.0,) * 100 + tuple(2.0 * i + 1 for i in range(100, 500)))

    def test_programs_that_compute_together(self):
        """Of two threads, with a graph that is captured and one of nodes; by themselves and on one machine: the same values."""
        calls = """call { memcpy_async { to: 'x' from: 'hx' stream: 's' } } call { memcpy { to: 'y' from: 'hy' } }
call { stream_begin_capture { stream: 's' } } call { launch { kernel: 'saxpy' stream: 's' } } call { memcpy_async { to: 'z' from: 'y' stream: 's' } }
call { stream_end_capture { stream: 's' graph: 'captured' } } call { graph_instantiate { exec: 'e' graph: 'captured' } }
call { repeat { times: 3 call { graph_launch { exec: 'e' stream: 's' } } } } call { stream_synchronize: 's' }
call { graph_instantiate { exec: 'f' graph: 'nodes' } } call { graph_launch { exec: 'f' stream: 's' } } call { device_synchronize: true }
call { set_flag: 'done' }"""
        more = """flag: 'done' graph_exec: 'e' graph_exec: 'f' graph { name: 'captured' }
graph { name: 'nodes' node { name: 'k' kernel: 'saxpy' } node { name: 'back' memcpy { to: 'hy' from: 'y' } after: 'k' }
  node { name: 'half' memset { to: 'hy' bytes: 2000 } after: 'back' } }
thread { name: 'other' call { wait_flag: 'done' } call { memcpy { to: 'hz' from: 'z' } } }"""
        buffers = "buffer { name: 'z' bytes: 4000 } buffer { name: 'hz' memory: PINNED data: 'zeros:f32:1000' result: 'z.npy' }"
        for together in ((), ("--together",), ("--together", "--threads", "2")):
            with self.subTest(together):
                self.ok("host", self.program(calls, buffers, more), "--gpu", "h200", *together)
                self.assertEqual(self.result(), (0.0,) * 500 + tuple(8.0 * i + 1 for i in range(500, 1000)))
                with open(self.path("z.npy"), "rb") as f:
                    self.assertEqual(struct.unpack("<1000f", f.read()[-4000:]), tuple(6.0 * i + 1 for i in range(1000)))

    def test_what_programs_that_compute_may_not(self):
        launch = "call { launch { kernel: 'saxpy' stream: 's' } }"
        for what, says in (({"kernel": "arg: '1000' arg: '2' arg: '&nothing' arg: '&y'"}, "nothing"),
                           ({"kernel": "arg: '1001' arg: '2' arg: '&x' arg: '&y'"}, "kernel \"saxpy\": "),
                           ({"kernel": "arg: '1' arg: '&y'"}, "saxpy has 4 parameters, and there are 2 arguments"),
                           ({"kernel": "arg: '1' arg: '2' arg: 'zeros:f32:9' arg: 'zeros:f32:9'"},
                            ":2: a buffer with `data` or `result`, and no kernel of a module has it"),
                           ({"buffers": "buffer { name: 'z' bytes: 4 data: 'ones:f32:2' }"}, "buffer \"z\" has 4 bytes, and `data` 8"),
                           ({"buffers": "buffer { name: 'z' data: 'many' }"}, "`data` is FILE.npy, zeros:TYPE:COUNT"),
                           ({"buffers": "buffer { name: 'z' bytes: 4 result: 'z.txt' }"}, "`result` is FILE.npy")):
            with self.subTest(says):
                self.fails("host", self.program(launch, **what), "--gpu", "h200", says=says)

    def test_errors_of_modules(self):
        shutil.copy(SAXPY, self.path("saxpy.ptx"))
        self.write("odd.ptx", """.version 8.0
.target sm_90
.address_size 64
.entry odd() { .reg .b32 %r<4>; .reg .b64 %rd<2>;
 suq.memory_layout.b32 %r0, [%rd0];
 txq.channel_order.b32 %r0, [%rd0];
 ret;
}
""")
        good = "arg: '1000' arg: '2' arg: 'ones:f32:1000' arg: 'ones:f32:1000'"
        for text, says in (
                (self.modules_kernel("none", "saxpy.ptx") % good, "saxpy.ptx: no kernel none (there are: saxpy)"),
                (self.modules_kernel("saxpy", "nowhere.ptx") % good, "nowhere.ptx: cannot be read"),
                (self.modules_kernel("saxpy", "saxpy.ptx") % "arg: '1'", "kernel saxpy has 4 parameters, and there are 1 arguments"),
                (self.modules_kernel("saxpy", "saxpy.ptx") % good.replace("1000", "full", 1),
                 "argument 'full' for parameter saxpy_param_0 of type .u32 (legal: a number, FILE.npy, buffer:BYTES"),
                (self.modules_kernel("saxpy", "saxpy.ptx", block=2048) % good, "2048 x 1 x 1 threads (legal: 1 to 1024 together)"),
                (self.modules_kernel("odd", "odd.ptx") % "",
                 "odd.ptx: kernel odd has 2 instructions that cannot be executed yet: ")):
            for together in ((), ("--together",)):
                with self.subTest(says, together=together):
                    p = self.heddle("host", self.write("e.workload.textproto", "\n" + text), "--gpu", "h200", *together)
                    self.assertEqual(p.returncode, 1)
                    self.assertRegex(p.stderr, r'e\.workload\.textproto:2: kernel "\w+": ')
                    self.assertIn(says, p.stderr)
        self.assertRegex(p.stderr, "odd.ptx:5:2: 'suq.memory_layout.b32' cannot be executed yet: what it gives is the driver's; /.*/odd.ptx:6:2: 'txq.channel_order.b32' cannot be")
        beyond = self.write("b.workload.textproto", self.modules_kernel("saxpy", "saxpy.ptx") % good.replace("1000", "1001", 1))
        self.fails("host", beyond, "--gpu", "h200", says=('b.workload.textproto:1: kernel "saxpy": ', "in global memory is out of "
                   "bounds (nearest allocation: 4000 bytes", "kernel saxpy, thread (232, 0, 0) of block (3, 0, 0)"))
        self.fails("host", beyond, "--gpu", "h200", "--together", says=("saxpy.ptx:", "in global memory is out of bounds"))

    def test_the_l2s_policy_reaches_the_kernel_of_a_trace(self):
        trace = os.path.join(os.getcwd(), "traces/h200/vecadd")
        kernel = next(os.path.join(d, f) for d, _, fs in os.walk(trace) for f in fs if ".traceg" in f or f.endswith(".heddle"))
        file = self.write("p.workload.textproto", """kernel { name: 'k' trace: '%s' } thread { name: 'm'
call { launch { kernel: 'k' } } call { device_synchronize: true }
call { device_set_limit { persisting_l2_bytes: 39321600 } }
call { launch { kernel: 'k' } } call { launch { kernel: 'k' } } }""" % kernel)
        # A set-aside shows where more is written than may be dirty beside it: here 4 MiB, of 3 MB and a third of that.
        gpu = ("--gpu", "h200", "--set", "l2.max_dirty_bytes=3000000")
        self.ok("host", file, *gpu, "--out", self.path("p.db"))
        lengths = [b - a for a, b in self.query("p.db", "SELECT start_ps, end_ps FROM spans WHERE name = 'k' AND "
                                                        "track = 'device 0 kernels' ORDER BY start_ps")]
        self.ok("run", kernel, *gpu, "--out", self.path("a.db"))
        self.ok("run", kernel, *gpu, "--out", self.path("b.db"), "--l2-set-aside", "39321600")
        a, b = (self.query(name, "SELECT cycles FROM launches")[0][0] for name in ("a.db", "b.db"))
        self.assertGreater(b, a)
        self.assertEqual(lengths[1], lengths[2])
        self.assertAlmostEqual((lengths[1] - lengths[0]) / 1e6, (b - a) / 1980, delta=0.002)

    def test_programs_without_end(self):
        """What would take the machine is refused with its place; what only goes on tells how far and ends by Ctrl-C."""
        for name, text, says in (
                ("devices", "devices: 4294967295 thread { name: 'm' }", ":1: devices: 4294967295; legal: 1 to 64"),
                ("deep", "thread { name: 'm' " + "call { repeat { times: 1 " * 10000 + "} } " * 10000 + "}", "too deep; legal: 256"),
                ("rows", "buffer { name: 'd' bytes: 64 }\nthread { name: 'm'\ncall { memcpy { to: 'd' from: 'd' rows: "
                         "9223372036854775808 } } }", ":3: thread m, call 1 (cudaMemcpy): rows: 9223372036854775808"),
                ("us", "thread { name: 'm'\ncall { launch_host_func { us: nan } } }", ":2: launch_host_func: us: 0 to 1e9"),
                ("time", "thread { name: 'm'\ncall { repeat { times: 1000000 call { compute_us: 1e9 } } } }",
                 "thread m, (host work), line 2: the program takes more than 53 days"),
                ("steps", "kernel { name: 'k' us: 1 } thread { name: 'm'\ncall { repeat { times: 1000000000 call { launch { "
                          "kernel: 'k' } } } } }", "more than 1000 steps (limit steps, which can be raised)")):
            with self.subTest(name):
                self.fails("host", self.write(name + ".workload.textproto", text), "--gpu", "h200", "--limit", "steps=0" if
                           name != "steps" else "steps=1000", says=[name + ".workload.textproto:", says])
        empty = self.write("empty.workload.textproto", "thread { name: 'm' call { repeat { times: 1000000000000000000 } } }")
        self.ok("host", empty, "--gpu", "h200")
        endless = self.write("endless.workload.textproto", "thread { name: 'm' call { repeat { times: 1000000000000000000 "
                             "call { get_last_error: true } } } }")
        p = subprocess.Popen([harness.HEDDLE, "host", endless, "--gpu", "h200"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        self.assertRegex(p.stderr.readline(), r"us simulated, \d+ calls made")
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=30)
        self.assertEqual(p.returncode, 130)
        self.fails("host", empty, "--gpu", "h200", "--limit", "spans", says="--limit spans: not NAME=NUMBER")
        self.fails("host", empty, "--gpu", "h200", "--limit", "x=1", says='no limit "x"; legal: steps, commands, nodes')

    def test_findings_are_grouped(self):
        calls = "".join("call { memset_async { to: 'd' stream: 's' } }\ncall { memset_async { to: 'd' stream: 't' } }\n"
                        for _ in range(300))
        file = self.write("r.workload.textproto", "stream { name: 's' } stream { name: 't' } buffer { name: 'd' bytes: 64 }\n"
                          "thread { name: 'm'\n" + calls + "}")
        p = self.heddle("host", file, "--gpu", "h200", "--check")
        self.assertEqual(p.returncode, 1)
        lines = [line for line in p.stderr.splitlines() if "race" in line]
        self.assertEqual(len(lines), 1)
        self.assertRegex(lines[0], r"race: buffer d: cudaMemsetAsync \(thread m, line 4\) and cudaMemsetAsync "
                                   r"\(thread m, line 3\); \d+ such pairs of calls; \d+ times")
        text = "stream { name: 's' } stream { name: 't' } " + "".join(
            f"buffer {{ name: 'd{i}' bytes: 64 }}" for i in range(20)) + "thread { name: 'm'\n" + "".join(
            f"call {{ memset_async {{ to: 'd{i}' stream: '{s}' }} }}" for i in range(20) for s in "st") + "}"
        p = self.heddle("host", self.write("s.workload.textproto", text), "--gpu", "h200", "--check", "--check-lines", "5")
        self.assertEqual(p.stderr.count("race: "), 5)
        self.assertIn("... and 15 more (--check-lines)", p.stderr)

    def test_hostbench_of_tables_with_nothing_in_them(self):
        bad = self.write("bad.csv", "test,parameter,value,unit\nh2d_pinned_us,x,3.84,us\n")
        self.fails("hostbench", bad, "--gpu", "h200", says="bad.csv:2: test h2d_pinned_us: 'x' is no parameter of it")
        for text in ("test,parameter,value,unit\n", "test,parameter,value,unit\nno_such_test,1,1,us\n"):
            self.fails("hostbench", self.write("none.csv", text), "--gpu", "h200", says="nothing to compare")

    def test_hostbench(self):
        out = self.ok("hostbench", *MEASURED, "--gpu", "h200", "--page", self.path("HOST.md")).stdout
        self.assertRegex(out, r"260 of 274 within what is asked; \d+ not modelled yet")
        with open(self.path("HOST.md"), encoding="utf-8") as f:
            self.assertIn("| concurrent_streams_us | 160 streams spin1e6 | 1129 |", f.read())


if __name__ == "__main__":
    unittest.main()
