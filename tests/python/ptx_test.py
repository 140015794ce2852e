"""Modules in PTX, called as functions."""
import array
import os
import unittest

import numpy

from tests.python.harness import PythonTest, heddle

DATA = os.path.join(os.getcwd(), "tests", "exec", "data")
STRIDED = """.version 8.0 .target sm_90 .address_size 64
.shared .align 16 .b8 tile[8192];
.entry k(.param .u64 out) {
 .reg .b32 %r<9>; .reg .b64 %rd<9>;
 mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mad.lo.u32 %r3, %r1, 128, %r2; st.shared.u32 [%r3], %r1;
 mad.lo.u32 %r4, %r1, 4, %r2; ld.shared.u32 %r5, [%r4];
 ld.param.u64 %rd1, [out]; and.b32 %r6, %r1, 31; mul.wide.u32 %rd2, %r6, 128; add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+64], %r5;
 ret;
}
"""
TEXTURES = """.version 8.0 .target sm_90 .address_size 64
.global .texref picture;
.entry copy(.param .u64 t, .param .u64 s) {
 .reg .b64 %rd<2>; .reg .b32 %r<8>; .reg .f32 %f<8>;
 ld.param.u64 %rd0, [t]; ld.param.u64 %rd1, [s];
 mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; cvt.rn.f32.u32 %f0, %r0; cvt.rn.f32.u32 %f1, %r1;
 tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd0, {%f0, %f1}];
 shl.b32 %r0, %r0, 2; mov.b32 %r2, %f2; sust.b.2d.b32.trap [%rd1, {%r0, %r1}], %r2;
 ret;
}
.entry bound(.param .u64 s) {
 .reg .b64 %rd<2>; .reg .b32 %r<8>; .reg .f32 %f<8>;
 ld.param.u64 %rd1, [s];
 mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; cvt.rn.f32.u32 %f0, %r0; cvt.rn.f32.u32 %f1, %r1;
 tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [picture, {%f0, %f1}];
 shl.b32 %r0, %r0, 2; mov.b32 %r2, %f2; sust.b.2d.b32.trap [%rd1, {%r0, %r1}], %r2;
 ret;
}
"""
SAXPY = os.path.join(DATA, "saxpy.ptx")


class Ptx(PythonTest):
    def test_arrays_go_there_and_back(self):
        mod = heddle.load_ptx(SAXPY)
        self.assertEqual(list(mod.kernels), ["saxpy"])
        x, y = array.array("f", range(1000)), array.array("f", [1] * 1000)
        r = mod.saxpy[4, 256](1000, 2.5, x, y)
        self.assertEqual(list(y), [2.5 * i + 1 for i in range(1000)])
        self.assertEqual(list(x), list(range(1000)))
        self.assertGreater(int(r.launches["cycles"].iloc[0]), 2000)
        self.assertEqual(int(r.counters["smsp__inst_executed.sum"].iloc[0]), 608)
        # At the same addresses, any number of threads takes the same time.
        x, y = heddle.to_device(x), heddle.to_device(y)
        cycles = [list(mod.saxpy[4, 256](1000, 2.5, x, y, threads=n).launches["cycles"]) for n in (1, 2)]
        self.assertEqual(cycles[0], cycles[1])

    def test_kernels_that_kernels_launch_are_executed_and_that_is_said(self):
        mod = heddle.load_ptx(os.path.join(DATA, "nested.ptx"))
        parent = mod.kernels["_Z6parentPi"]
        data = numpy.zeros(256, dtype=numpy.int32)
        with self.assertWarnsRegex(heddle.HeddleWarning, "_Z6parentPi has launched kernels: 2 were executed, not timed"):
            parent[1, 256](data)
        self.assertEqual(list(data), list(range(2, 258)))
        data[:] = 0
        r = parent[1, 256](data, timed=False)
        self.assertEqual(list(data), list(range(2, 258)))
        self.assertGreater(r.warp_instructions, 3 * 8 * 5)

    def test_a_workload_that_computes(self):
        w = heddle.Workload()
        s = w.stream()
        hx, hy = w.buffer(None, "pinned", "hx", data="arange:f32:1000"), w.buffer(None, "pinned", "hy", data="ones:f32:1000")
        x, y = w.device(4000, "x"), w.device(4000, "y")
        k = w.kernel("saxpy", 4, 256, module=SAXPY, args=[1000, 2.5, x, y])
        w.memcpy_async(x, hx, stream=s)
        w.memcpy_async(y, hy, stream=s)
        w.launch(k, stream=s)
        w.memcpy_async(hy, y, stream=s)
        w.stream_synchronize(s)
        r = heddle.run_host(w, "h200")
        self.assertEqual(sorted(r.buffers), ["hx", "hy"])
        self.assertEqual(r.buffers["hy"].dtype, numpy.float32)
        self.assertEqual(list(r.buffers["hy"]), [2.5 * i + 1 for i in range(1000)])
        self.assertGreater(r.end_us, 5)

    def test_numpy(self):
        x, y = numpy.arange(1000, dtype=numpy.float32), numpy.ones(1000, dtype=numpy.float32)
        heddle.load_ptx(SAXPY).saxpy[4, 256](numpy.int32(1000), numpy.float32(2.5), x, y)
        self.assertTrue((y == 2.5 * x + 1).all())
        one = numpy.ones(1, dtype=numpy.float32)  # an array, not a number
        heddle.load_ptx(SAXPY).saxpy[1, 32](1, 2, one, one, timed=False)
        self.assertEqual(one[0], 3)
        self.assertEqual(heddle.to_device(y).copy_to_host().dtype, numpy.float32)

    def test_only_executed(self):
        with open(SAXPY, encoding="utf-8") as f:
            mod = heddle.load_ptx(f.read())
        y = array.array("f", [0] * 10)
        done = mod.saxpy[1, 32](10, 1, array.array("f", range(10)), y, timed=False)
        self.assertEqual(list(y), list(range(10)))
        self.assertEqual((done.warp_instructions, done.output), (20, ""))

    def test_textures_and_surfaces(self):
        mod = heddle.load_ptx(TEXTURES)
        picture = numpy.arange(32, dtype=numpy.float32).reshape(4, 8)
        to = heddle.surface(numpy.zeros((4, 8), dtype=numpy.float32))
        from_ = heddle.texture(picture, filter="linear", address="border", border=8)
        mod.copy[1, (8, 4)](from_, to, timed=False)
        self.assertEqual(to.copy_to_host()[2, 3], (10 + 11 + 18 + 19) / 4)
        self.assertEqual(to.copy_to_host()[0, 0], 6)  # three quarters of the border
        r = mod.copy[1, (8, 4)](heddle.texture(picture), to)
        self.assertTrue((to.copy_to_host() == picture).all())
        self.assertGreater(int(r.launches["cycles"].iloc[0]), 1000)
        with self.assertRaisesRegex(heddle.Error, "is of no object"):
            mod.bound[1, (8, 4)](to, timed=False)
        mod.bind("picture", heddle.texture(picture * 2))
        mod.bound[1, (8, 4)](to, timed=False)
        self.assertTrue((to.copy_to_host() == picture * 2).all())
        with self.assertRaisesRegex(heddle.Error, "no variable paint"):
            mod.bind("paint", from_)
        with self.assertRaisesRegex(heddle.Error, "address=round .legal: wrap, clamp, mirror, border"):
            heddle.texture(picture, address="round")
        with self.assertRaisesRegex(heddle.Error, "format 'd'"):
            heddle.texture(numpy.zeros(4))
        from_.free()
        with self.assertRaisesRegex(heddle.Error, "freed"):
            mod.copy[1, (8, 4)](from_, to)

    def test_arrays_that_stay(self):
        mod = heddle.load_ptx(SAXPY)
        y = heddle.to_device(array.array("f", [1, 2]))
        for _ in range(3):
            mod.saxpy[1, 32](2, 1, array.array("f", [10, 20]), y, timed=False)
        self.assertEqual(list(memoryview(y.copy_to_host())), [31, 62])
        y.free()
        self.raises(heddle.Error, "an array whose memory was freed", mod.saxpy[1, 32], 2, 1, y, y)

    def test_patterns_of_accesses(self):
        """Executed, not simulated: 32 lanes of one bank, and of 32 sectors."""
        mod = heddle.load_ptx(STRIDED)
        out = heddle.to_device(array.array("I", [0] * 1024))
        banks, sectors = mod.k[1, 32].banks(out), mod.k[1, 32].coalesce(out)
        self.assertEqual([int(x) for x in banks["conflicts"]], [31, 0])
        self.assertEqual([int(x) for x in sectors["sectors"]], [32, 32])
        self.assertEqual(memoryview(out.copy_to_host())[32 * 31], 31)

    def test_races_while_timed(self):
        mod = heddle.load_ptx(STRIDED)
        out = array.array("I", [0] * 1024)
        mod.k[1, 32](out, check="race")  # one warp is in order
        for timed in (True, False):
            self.raises(heddle.TraceError, "race in shared memory", mod.k[1, 64], out, timed=timed, check=("race",))
        self.raises(heddle.Error, "check='init'; legal values: race, sync", mod.k[1, 32], out, check="init")

    def test_errors(self):
        mod = heddle.load_ptx(SAXPY)
        self.raises(heddle.Error, "saxpy takes 4 arguments, not 1", mod.saxpy[1, 32], 2)
        self.raises(heddle.Error, "2.5 for a parameter of type u32", mod.saxpy[1, 32], 2.5, 1, 0, 0)
        self.raises(heddle.Error, "neither a number nor an array", mod.saxpy[1, 32], 2, 1, [1], [2])
        self.raises(heddle.Error, "does not fit", mod.saxpy[1, 32], 2**33, 1, 0, 0)
        self.raises(heddle.TraceError, "out of bounds", mod.saxpy[1, 32], 2, 1, 0, 0)
        self.raises(heddle.Error, "grid=(): one to three numbers", lambda: mod.saxpy[(), 32])
        self.raises(heddle.Error, "kernel[grid, block]", lambda: mod.saxpy[32])
        with self.assertRaisesRegex(AttributeError, "no kernel sgemm .there are: saxpy."):
            mod.sgemm
        self.raises(heddle.Error, "module.ptx:1:", heddle.load_ptx, ".version 1\nthis is none")
        none = heddle.load_ptx(".version 8.0 .target sm_90 .address_size 64\n.entry k() { .reg .b64 d; .reg .pred p; istypep.texref p, d; ret; }")
        self.raises(heddle.TraceError, "'istypep.texref': not lowered yet", none.k[1, 1])


if __name__ == "__main__":
    unittest.main()
