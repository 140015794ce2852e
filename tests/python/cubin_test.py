"""Modules in machine code, called as functions."""
import array
import os
import unittest

from tests.python.harness import PythonTest, heddle

DATA = os.path.join(os.getcwd(), "tests", "cubin", "data")
PARTS = os.path.join(DATA, "parts.cubin")
FAT = os.path.join(DATA, "saxpy.none.fatbin")


class Cubin(PythonTest):
    def test_what_is_in_it(self):
        mod = heddle.load_cubin(PARTS)
        self.assertEqual(list(mod.kernels), ["parts"])
        self.assertEqual(repr(mod), "<module in machine code: parts>")
        # A char, a double, a pointer: the code knows their sizes.
        self.assertEqual([p[1:] for p in mod.parts.parameters], [("b8", 1), ("b64", 8), ("b64", 8)])

    def test_timed_and_executed(self):
        """Constants, a variable that points to another one, a call: 2.5 * factors[1] + results[0] + *pointer + a."""
        mod = heddle.load_cubin(PARTS)
        for timed in (True, False):
            out = array.array("f", [0] * 256)
            r = mod.parts[2, 256](1, 2.5, out, timed=timed)
            self.assertEqual(list(out), [13] * 256)
            # 16 warps of 35 instructions
            self.assertEqual(int(r.counters["smsp__inst_executed.sum"].iloc[0]) if timed else r.warp_instructions, 560)
        out = heddle.to_device(array.array("f", [0] * 256))
        cycles = [list(mod.parts[2, 256](1, 2.5, out, threads=n).launches["cycles"]) for n in (1, 2)]
        self.assertEqual(cycles[0], cycles[1])
        self.assertGreater(int(cycles[0][0]), 2000)

    def test_one_of_several_images(self):
        """Of a fat binary the code of 9.0, not that of 7.5: 7 instructions, an exit, 11 more."""
        x, y = array.array("f", range(1000)), array.array("f", [1] * 1000)
        done = heddle.load_cubin(FAT).saxpy[4, 256](1000, 2.5, x, y, timed=False)
        self.assertEqual(list(y), [2.5 * i + 1 for i in range(1000)])
        self.assertEqual(list(x), list(range(1000)))
        self.assertEqual(done.warp_instructions, 608)

    def test_patterns_of_accesses(self):
        mod = heddle.load_cubin(PARTS)
        out = heddle.to_device(array.array("f", [0] * 256))
        banks, sectors = mod.parts[2, 256].banks(1, 2.5, out), mod.parts[2, 256].coalesce(1, 2.5, out)
        self.assertEqual([int(x) for x in banks["conflicts"]], [0, 0])
        self.assertEqual([int(x) for x in sectors["sectors"]], [16, 16, 64, 16])

    def test_errors(self):
        mod = heddle.load_cubin(FAT)
        self.raises(heddle.Error, "saxpy takes 4 arguments, not 2", mod.saxpy[1, 32], 1, 2.5)
        self.raises(heddle.Error, "does not fit", mod.saxpy[1, 32], 2**33, 1.0, 0, 0)
        self.raises(heddle.TraceError, "out of bounds", mod.saxpy[1, 32], 10, 2.0, 0, 0)
        self.raises(heddle.Error, "nowhere: cannot be read", heddle.load_cubin, "nowhere")
        with open(PARTS, "rb") as f:
            cut = f.read(3000)
        with open(self.path("cut.cubin"), "wb") as f:
            f.write(cut)
        self.raises(heddle.Error, "byte 32: the table of segments", heddle.load_cubin, self.path("cut.cubin"))



SETTINGS = ["launch.start_cycles=1000", "launch.end_cycles=500", "clocks.core_mhz=1000"]


class InWorkloads(PythonTest):
    def kernel_us(self, r):
        return [round(s.end_us - s.start_us, 6) for s in r.spans.itertuples() if s.track == "device 0 kernels"]

    def test_a_kernel_of_a_module(self):
        """It lasts what a launch does, less the launch's start and end, here 1500 cycles of 1 ns."""
        gpu = heddle.Config("h200", set=SETTINGS)
        w = heddle.Workload()
        k = w.kernel("k", 2, 256, module=PARTS, kernel="parts", args=[1, 2.5, "zeros:f32:256"])
        saxpy = w.kernel("saxpy", 4, 256, module=FAT, args=[1000, 2.5, "arange:f32:1000", "ones:f32:1000"])
        w.launch(k)
        w.launch(saxpy)
        w.device_synchronize()
        r = heddle.run_host(w, gpu=gpu)
        self.assertEqual((r.blocks, len(r.errors)), (6, 0))
        for i, (file, kernel, grid, args) in enumerate(((PARTS, "parts", 2, ["1", "2.5", "zeros:f32:256"]),
                                                        (FAT, "saxpy", 4, ["1000", "2.5", "arange:f32:1000", "ones:f32:1000"]))):
            # The command: modules of this process lie elsewhere in memory, which changes the time a little.
            self.ok("run", file, "--kernel", kernel, "--grid", str(grid), "--block", "256", "--gpu", "h200", "--out",
                    self.path(kernel + ".db"), *(x for a in args for x in ("--arg", a)),
                    *(x for s in SETTINGS for x in ("--set", s)))
            cycles, = self.query(kernel + ".db", "SELECT cycles FROM launches")[0]
            self.assertEqual(self.kernel_us(r)[i], round((cycles - 1500) / 1000, 6))
        w.save(self.path("w.workload.textproto"))
        self.assertEqual(self.kernel_us(heddle.run_host(self.path("w.workload.textproto"), gpu=gpu)), self.kernel_us(r))
        # On one machine each finds what the other has left.
        self.assertEqual(len(self.kernel_us(heddle.run_host(w, gpu=gpu, together=True))), 2)

    def test_its_text(self):
        w = heddle.Workload()
        w.kernel("k", (2, 3), 256, module="/a/b.cubin", kernel="f", args=[1, -2.5, "zeros:f32:256", "/c/x.npy"], cluster=2,
                 dynamic_shared_bytes=64)
        self.assertIn('kernel { name: "k" grid { x: 2 y: 3 } block { x: 256 } cluster { x: 2 } module { file: "/a/b.cubin" kernel: "f" '
                      'arg: "1" arg: "-2.5" arg: "zeros:f32:256" arg: "/c/x.npy" } dynamic_shared_bytes: 64 }', w.text())
        w = heddle.Workload()
        w.kernel("k", 2, 256, module="b.ptx", args=["x.npy"])
        self.assertIn(f'file: "{os.getcwd()}/b.ptx" kernel: "k" arg: "{os.getcwd()}/x.npy"', w.text())

    def test_what_is_none(self):
        w = heddle.Workload()
        for says, arguments in (("a module's kernel needs its name there, grid and block", dict(module="m.ptx")),
                                ("kernel and args are of a module", dict(us=1, args=[1])),
                                ("kernel and args are of a module", dict(us=1, kernel="f")),
                                ("the path of a .ptx, .cubin or .fatbin", dict(grid=1, block=32, module=3)),
                                ("array is no number and no text", dict(grid=1, block=32, module="m", args=[array.array("f", [1])])),
                                ("NoneType is no number", dict(grid=1, block=32, module="m", args=[None]))):
            self.raises(heddle.Error, says, w.kernel, "k", **arguments)
        for says, arguments in (("`registers` and `static_shared_bytes` are what the module says", dict(registers=16)),
                                ("one of `us`, `block_us`, `trace` and `module`", dict(us=1)),
                                ("kernel parts has 3 parameters, and there are 1 arguments", dict(args=[1])),
                                ("no kernel other (there are: parts)", dict(kernel="other")),
                                ("m.ptx: cannot be read", dict(module="m.ptx"))):
            w = heddle.Workload()
            w.launch(w.kernel("parts", 2, 256, **{**dict(module=PARTS, args=[1, 2.5, "zeros:f32:256"]), **arguments}))
            with self.assertRaises(heddle.Error) as e:
                heddle.run_host(w)
            self.assertIn(says, str(e.exception))
            self.assertIn("cubin_test.py:", str(e.exception))  # the line of Python


if __name__ == "__main__":
    unittest.main()
