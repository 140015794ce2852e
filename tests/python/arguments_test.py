"""Arguments of kernels: what a call says happens, or an error says why not. saxpy of one block, y = 2 x + y."""
import array
import ctypes
import decimal
import unittest

import numpy
import pandas

from tests.python.harness import PythonTest, heddle

SAXPY = """.version 8.0 .target sm_90 .address_size 64
.entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) {
 .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .pred %p<1>;
 ld.param.u32 %r0, [n]; ld.param.f32 %f0, [a]; ld.param.u64 %rd0, [x]; ld.param.u64 %rd1, [y];
 mov.u32 %r1, %tid.x; setp.ge.u32 %p0, %r1, %r0; @%p0 ret;
 mul.wide.u32 %rd2, %r1, 4; add.u64 %rd0, %rd0, %rd2; add.u64 %rd1, %rd1, %rd2;
 ld.global.f32 %f1, [%rd0]; ld.global.f32 %f2, [%rd1]; fma.rn.f32 %f3, %f0, %f1, %f2; st.global.f32 [%rd1], %f3; ret;
}
.entry words(.param .u64 to, .param .u64 from, .param .u32 n) {
 .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<1>;
 ld.param.u32 %r0, [n]; ld.param.u64 %rd0, [from]; ld.param.u64 %rd1, [to];
 mov.u32 %r1, %tid.x; setp.ge.u32 %p0, %r1, %r0; @%p0 ret;
 mul.wide.u32 %rd2, %r1, 4; add.u64 %rd0, %rd0, %rd2; add.u64 %rd1, %rd1, %rd2;
 ld.global.u32 %r2, [%rd0]; st.global.u32 [%rd1], %r2; ret;
}
.entry pair(.param .align 4 .b8 s[12], .param .u64 y) {
 .reg .b64 %rd<2>; .reg .b32 %r<4>;
 ld.param.u32 %r0, [s]; ld.param.u32 %r1, [s+8]; ld.param.u64 %rd1, [y]; st.global.u32 [%rd1], %r0; st.global.u32 [%rd1+4], %r1; ret;
}
.entry half(.param .f16 h, .param .f64 d, .param .u64 y) {
 .reg .b64 %rd<2>; .reg .b16 %h<1>; .reg .f64 %d<1>;
 ld.param.b16 %h0, [h]; ld.param.f64 %d0, [d]; ld.param.u64 %rd1, [y]; st.global.f64 [%rd1], %d0; st.global.b16 [%rd1+8], %h0; ret;
}"""


def x():
    return numpy.arange(8, dtype="f4")


class Arguments(PythonTest):
    @classmethod
    def setUpClass(cls):
        cls.mod = heddle.load_ptx(SAXPY)

    def saxpy(self, x, y, **more):
        return self.mod.saxpy[1, 32](8, 2.0, x, y, timed=False, **more)

    def right(self, y, times=1):
        self.assertEqual([float(v) for v in numpy.asarray(y).ravel()], [2.0 * times * i + 1 for i in range(8)])

    def test_arrays_that_take_results(self):
        import mmap
        file = mmap.mmap(-1, 32)
        file[:] = numpy.ones(8, "f4").tobytes()
        shaped = numpy.ones((2, 4), "f4")
        for y in (numpy.ones(8, "f4"), shaped, shaped.view(numpy.matrix), array.array("f", [1] * 8), (ctypes.c_float * 8)(*[1] * 8),
                  memoryview(bytearray(numpy.ones(8, "f4"))), numpy.ones(8, [("v", "f4")])):
            shaped[:] = 1
            self.saxpy(x(), y)
            self.right(numpy.frombuffer(bytes(y), "f4"))
        self.saxpy(x(), file)
        self.right(numpy.frombuffer(file, "f4"))

    def test_what_numpy_makes_arrays_of(self):
        y = numpy.ones(8, "f4")
        self.saxpy(pandas.Series(x()), y)
        self.right(y)
        y = pandas.Series(numpy.ones(8, "f4"))
        try:
            self.saxpy(x(), y)
        except heddle.Error as e:  # of a pandas whose arrays are read-only
            self.assertIn("has changed y", str(e))
        else:
            self.right(y)

        class Copy:
            def __array__(self, *_, **__):
                return numpy.ones(8, "f4")

        self.raises(heddle.Error, "saxpy has changed y: read-only", self.saxpy, x(), Copy())

    def test_read_only_arrays_are_inputs(self):
        y, fixed = numpy.ones(8, "f4"), x()
        fixed.flags.writeable = False
        self.saxpy(fixed, y)
        self.right(y)
        y.flags.writeable = False
        self.raises(heddle.Error, "saxpy has changed y: read-only, so what it stored there is lost", self.saxpy, x(), y)
        self.raises(heddle.Error, "saxpy has changed y", self.saxpy, x(), bytes(32))
        self.raises(heddle.Error, "saxpy has changed y", self.mod.saxpy[1, 32], 8, 2.0, x(), bytes(32))  # timed, too

    def test_arrays_that_mean_nothing_on_a_gpu(self):
        for y, says in ((numpy.array([1.0] * 8, dtype=object), "Python's objects"), (numpy.ones(8, ">f4"), "big-endian"),
                        (numpy.ones(8, [("a", "<i4"), ("b", ">f4")]), "big-endian"), (numpy.ones(8, [("a", "O")]), "Python's objects"),
                        ((ctypes.c_float.__ctype_be__ * 8)(), "big-endian"), ((ctypes.py_object * 8)(), "Python's objects"),
                        (numpy.ones(16, "f4")[::2], "do not lie one behind the other"), (numpy.ones((4, 2), "f4").T, "do not lie one behind the other"),
                        (numpy.broadcast_to(numpy.float32(1), 8), "do not lie one behind the other"), (memoryview(bytes(64))[::2], "do not lie one behind"),
                        (numpy.ma.array(x(), mask=[1] * 8), "a masked array"), ([1.0] * 8, "list is neither"), ("text", "str is neither"),
                        ({}, "dict is neither"), (None, "NoneType is neither"), (1j, "complex is neither"), (numpy.complex64(1), "neither a real number"),
                        (numpy.datetime64(1, "s"), "neither a real number"), (pandas.Series(["a"] * 8), "Python's objects")):
            self.raises(heddle.Error, says, self.saxpy, x(), y)
            if not isinstance(y, (complex, numpy.generic)):
                self.raises(heddle.Error, says, heddle.to_device, y)
        view = memoryview(bytearray(32))
        view.release()
        self.raises(heddle.Error, "released memoryview", self.saxpy, x(), view)

    def test_elements_that_the_buffer_protocol_lacks(self):
        days, to = numpy.arange("2020-01-01", "2020-01-05", dtype="M8[D]"), numpy.zeros(4, "M8[D]")
        self.mod.words[1, 32](to, days, 8, timed=False)
        self.assertEqual(to.tolist(), days.tolist())
        self.assertEqual(heddle.to_device(days).copy_to_host().tolist(), days.tolist())
        for kind in ("f2", "c8", "?", "g", [("a", "u1"), ("b", "f4", 3)]):
            there = numpy.ones((2, 3), kind)
            back = heddle.to_device(there).copy_to_host()
            self.assertEqual((back.dtype, back.shape, back.tobytes()), (there.dtype, there.shape, there.tobytes()))

    def test_arrays_without_an_index_or_an_element(self):
        y = numpy.array(1.0, dtype="f4")
        self.mod.saxpy[1, 1](1, 2.0, numpy.array(3.0, dtype="f4"), y, timed=False)
        self.assertEqual(float(y), 7)
        out = numpy.ones(8, "f4")
        self.mod.saxpy[1, 32](numpy.array(8), numpy.array(2.0), x(), out, timed=False)  # no addresses: numbers
        self.right(out)
        self.mod.saxpy[1, 32](0, 2.0, numpy.zeros(0, "f4"), numpy.zeros((3, 0)), timed=False)
        self.raises(heddle.TraceError, "out of bounds", self.mod.saxpy[1, 32], 8, 2.0, x(), numpy.zeros(0, "f4"), timed=False)
        self.raises(heddle.TraceError, "out of bounds", self.mod.saxpy[1, 32], 8, 2.0, x(), numpy.zeros(7, "f4"), timed=False)

    def test_arrays_that_share_memory_share_it_there(self):
        both = numpy.arange(8, dtype="f4")
        self.saxpy(both, both)  # x is y
        self.assertEqual(both.tolist(), [3.0 * i for i in range(8)])
        for order in (1, -1):  # in whatever order results come back
            whole = numpy.arange(12, dtype="f4")
            parts = [whole[:8], whole[2:10]][::order]
            self.mod.saxpy[1, 1](1, 2.0, *parts, timed=False)
            right = numpy.arange(12, dtype="f4")
            right[2 if order == 1 else 0] += 2 * right[0 if order == 1 else 2]
            self.assertEqual(whole.tolist(), right.tolist())
        y = numpy.ones(8, "f4")
        fixed = y[:]
        fixed.flags.writeable = False
        self.mod.words[1, 32](y, fixed, 8, timed=False)
        self.saxpy(fixed, y)  # what the read-only one has changed to is there
        self.assertEqual(y.tolist(), [3.0] * 8)

    def test_an_array_is_held_while_the_kernel_runs(self):
        y, failed = array.array("f", [1] * 8), []

        def told(_):
            try:
                y.append(1)
            except BufferError as e:
                failed.append(e)
        self.mod.saxpy[1, 32](8, 2.0, x(), y, progress=told)
        self.right(y)
        self.assertTrue(failed)
        y.append(1)  # and not longer

    def test_numbers(self):
        y = numpy.ones(8, "f4")
        self.mod.saxpy[1, 32](numpy.uint8(8), decimal.Decimal(2), x(), y, timed=False)
        self.right(y)
        call = lambda n, a: self.mod.saxpy[1, 32](n, a, x(), y, timed=False)
        for n in (numpy.float32(2.5), 8.0, decimal.Decimal(8), float("nan"), "8"):
            with self.assertRaises(heddle.Error):
                call(n, 2.0)
        for n in (2**32, -2**31 - 1, 10**30):
            self.raises(heddle.Error, "does not fit into a parameter of type u32", call, n, 2.0)
        for a in (1e40, 10**400):
            self.raises(heddle.Error, "for a, a parameter of type f32: not a number that it can be", call, 8, a)
        self.raises(heddle.Error, "ndarray for n, a parameter of type u32: an array is an address", call, x(), 2.0)
        self.raises(heddle.Error, "DeviceArray for a, a parameter of type f32", call, 8, heddle.to_device(x()))
        self.right(y)  # untouched
        out = numpy.zeros(2)
        self.mod.half[1, 1](numpy.float16(1.5), True, out, timed=False)
        self.assertEqual((out[0], out.view("f2")[4]), (1.0, 1.5))
        self.raises(heddle.Error, "for h, a parameter of type f16", self.mod.half[1, 1], 1e6, 1.0, out, timed=False)

    def test_structures_by_value(self):
        y = numpy.zeros(2, "u4")
        record = numpy.array([(1, 2, 3)], "u4,u4,u4")
        for s in (record[0], record, numpy.array([1, 2, 3], "u4"), numpy.array([1, 2, 3], "u4").tobytes()):
            y[:] = 0
            self.mod.pair[1, 1](s, y, timed=False)
            self.assertEqual(y.tolist(), [1, 3])
        for s in (1, 2.0, bytes(11), numpy.zeros(4, "u4")):
            self.raises(heddle.Error, "for s, a structure of 12 bytes", self.mod.pair[1, 1], s, y, timed=False)

    def test_grids_and_blocks(self):
        def launch(grid, block, **more):
            y = numpy.ones(8, "f4")
            self.mod.saxpy[grid, block](8, 2.0, x(), y, timed=False, **more)
            self.right(y)
        launch(numpy.int32(1), numpy.int64(32))
        launch(numpy.array(1), numpy.array([32, 1]))
        launch((1, 1, 1), [32])
        launch(1, (32, 1, 1), cluster=numpy.int32(1), shared=numpy.int32(16), threads=numpy.int8(1))
        for size in (True, 1.0, float("nan"), "1", b"1", None, (), (1, 1, 1, 1), (1, 1.5), 0, -1, 2**31, numpy.float32(1), {"x": 1}, numpy.ones(1)):
            self.raises(heddle.Error, "grid=", lambda: self.mod.saxpy[size, 32])
            self.raises(heddle.Error, "block=", lambda: self.mod.saxpy[1, size])
        for more in ({"shared": -1}, {"shared": 1.5}, {"threads": 0}, {"cluster": 0}, {"cluster": "2"}):
            self.raises(heddle.Error, next(iter(more)) + "=", launch, 1, 32, **more)

    def test_limits_of_each_dimension(self):
        for grid, block, says in ((1, (1, 1, 65), "blocks of 1 x 1 x 65 threads (legal: 1024 x 1024 x 64)"), (1, 1025, "blocks of 1025 x 1 x 1 threads"),
                                  (1, (1, 1025), "blocks of 1 x 1025 x 1"), (1, (32, 32, 2), "blocks of 32 x 32 x 2"), ((1, 65536), 1, "a grid of 1 x 65536 x 1"),
                                  ((1, 1, 65536), 1, "a grid of 1 x 1 x 65536")):
            for timed in (False, True):
                with self.assertRaises(heddle.Error) as caught:
                    self.mod.saxpy[grid, block](8, 2.0, x(), numpy.ones(8, "f4"), timed=timed)
                self.assertIn(says, str(caught.exception))
        y = numpy.ones(8, "f4")
        self.mod.saxpy[1, (8, 1, 64)](8, 1.0 / 32, x() * 0, y, timed=False)

    def test_keywords(self):
        for timed in (True, False):
            self.raises(heddle.Error, "saxpy: no argument 'strem'; legal: shared, cluster, timed", self.mod.saxpy[1, 32], 8, 2.0, x(), x(), timed=timed, strem=3)
        self.raises(heddle.Error, "saxpy: gpu: of launches that are timed", self.saxpy, x(), x(), gpu="h100")
        self.raises(heddle.Error, "saxpy: out: of launches that are timed", self.saxpy, x(), x(), out="results.db")

    def test_textures(self):
        for picture, says in ((numpy.ones((4, 4), ">f4"), "big-endian"), (numpy.ones((4, 4), object), "Python's objects"), (numpy.ones((4, 4), "i8"), "format 'l'"),
                              (numpy.ones((4, 8), "f4")[:, ::2], "do not lie"), (numpy.zeros((0, 4), "f4"), "0 bytes"), ([[1.0]], "list is neither")):
            self.raises(heddle.Error, says, heddle.texture, picture)
            self.raises(heddle.Error, says, heddle.surface, picture)
        there = heddle.texture(numpy.ones((4, 4), "f4"))
        there.free()
        self.raises(heddle.Error, "a texture whose memory was freed", there.copy_to_host)
        self.raises(heddle.Error, "ndarray is no texture", self.mod.bind, "t", numpy.ones((4, 4), "f4"))

    def test_memory_that_was_given_back(self):
        there = heddle.to_device(x())
        there.free()
        self.raises(heddle.Error, "an array whose memory was freed", there.copy_to_host)
        self.raises(heddle.Error, "an array whose memory was freed", self.saxpy, x(), there)


class Lanes(PythonTest):
    def test_addresses(self):
        self.assertEqual(heddle.bank_conflicts(numpy.arange(32, dtype=">i8") * 128)["wavefronts"], 32)
        for bad in (numpy.arange(32) * 4.0, [0.5] * 32, ["0"] * 32):
            self.raises(heddle.Error, "addresses: whole numbers", heddle.bank_conflicts, bad)
            self.raises(heddle.Error, "addresses: whole numbers", heddle.sectors, bad)
        self.raises(heddle.Error, "width=4.0: not a whole number", heddle.sectors, range(32), 4.0)


if __name__ == "__main__":
    unittest.main()
