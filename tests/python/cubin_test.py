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


if __name__ == "__main__":
    unittest.main()
