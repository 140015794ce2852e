"""Machine code on the command line: heddle list, sass, exec, run, banks and coalesce."""
import os
import struct
import unittest

from tests.cli import harness
from tests.cli.exec_command_test import npy

DATA = os.path.join(os.getcwd(), "tests", "cubin", "data")
SAXPY = os.path.join(DATA, "saxpy.o")
FAT = os.path.join(DATA, "saxpy.none.fatbin")
PARTS = os.path.join(DATA, "parts.cubin")
# y = 2.5 x + 1
ARGUMENTS = ["--kernel", "saxpy", "--grid", 4, "--block", 256, "--arg", 1000, "--arg", 2.5, "--arg", "arange:f32:1000", "--arg",
             "ones:f32:1000", "--out-arg", "3=y.npy"]
# out[i] = tile[255 - i] + counter + a, where all of the tile is b * factors[1] + results[0]: 2.5 * 2 + 0 + 7 + 1.
PARTS_ARGUMENTS = ["--kernel", "parts", "--grid", 2, "--block", 256, "--arg", 1, "--arg", 2.5, "--arg", "zeros:f32:256"]


class Cubin(harness.HeddleTest):
    def floats(self, name, count):
        kind, shape, data = npy(self.path(name))
        self.assertEqual((kind, shape), ("<f4", (count,)))
        return struct.unpack(f"<{count}f", data)

    def test_list(self):
        lines = self.ok("list", PARTS).stdout.splitlines()
        self.assertTrue(lines[0].startswith("sm_90 machine code, "), lines[0])
        # Registers, a tile of 256 floats, no stack; char at 0, double at 8, pointer at 16; __launch_bounds__ and __cluster_dims__.
        self.assertEqual(lines[3].split(), ["parts", "14", "1024", "0", "24", "up", "to", "256", "2x1x1"])
        heads = [line.split(",")[0] for line in self.ok("list", FAT).stdout.splitlines() if "bytes" in line and "kernel" not in line]
        self.assertEqual(heads, ["sm_75 machine code", "sm_90 machine code", "compute_90 PTX"])
        text = self.write("text.txt", "no code")
        self.fails("list", text, says="text.txt: byte 0: no code for a GPU (legal: a cubin, a fat binary, PTX")

    def test_sass(self):
        out = self.ok("sass", SAXPY).stdout
        self.assertIn("\n// saxpy: 10 registers\n", out)
        self.assertIn("\n0070  @P0 EXIT ;\n", out)
        self.assertIn("\n0100  FFMA R7, R2, UR6, R7 ;\n", out)
        self.assertIn("// sm_75, ", self.ok("sass", FAT).stdout)
        self.assertNotIn("// sm_75, ", self.ok("sass", FAT, "--capability", 90).stdout)
        self.fails("sass", SAXPY, "--capability", 75, says="saxpy.o: no machine code of capability 75 (legal: 90)")
        self.fails("sass", SAXPY, "--kernel", "k", says="saxpy.o: no function k (legal: saxpy)")

    def test_executed(self):
        for file in (SAXPY, FAT):
            out = self.ok("exec", file, *ARGUMENTS)
            # 32 warps of 19 instructions: 7 by all 1024 threads, the exit by the 24 without an element, 11 by the others.
            self.assertIn("saxpy: 608 warp instructions, 18,192 thread instructions in ", out.stderr)
            self.assertEqual(self.floats("y.npy", 1000), tuple(2.5 * i + 1 for i in range(1000)))
        self.ok("exec", PARTS, *PARTS_ARGUMENTS, "--out-arg", "2=p.npy")
        self.assertEqual(self.floats("p.npy", 256), (13,) * 256)

    def test_timed(self):
        """heddle run: a call and a return among them, 35 instructions of each of 16 warps."""
        base = ["run", PARTS, *PARTS_ARGUMENTS, "--gpu", "h200"]
        out = self.ok(*base, "--out-arg", "2=p.npy", "--out", "a.db").stdout
        self.assertIn(" 560 warp instructions", out)
        self.assertIn("(2, 1, 1), (256, 1, 1)", out)
        self.assertEqual(self.floats("p.npy", 256), (13,) * 256)
        self.ok(*base, "--threads", 2, "--quantum", 100, "--out", "b.db")
        hashes = [self.ok("report", db, "--hash").stdout.split()[0] for db in ("a.db", "b.db")]
        self.assertEqual(hashes[0], hashes[1])

    def test_blackwell(self):
        """The same kernel for 10.0 and 12.0: as text, executed, timed."""
        for target, gpu, only in (("sm_100a", "b200", "I2F.S8 R8, UR4"), ("sm_120a", "rtx5090", "UI2F.S8 UR4, UR4")):
            file = os.path.join(DATA, f"parts.{target}.cubin")
            text = self.ok("sass", file).stdout
            self.assertIn("  LDCU.U8 UR4, c[0x0][0x380] ;\n", text)
            self.assertIn(f"  {only} ;\n", text)
            self.assertNotIn("??", text)
            for command in (["exec", file], ["run", file, "--gpu", gpu, "--strict"]):
                self.ok(*command, *PARTS_ARGUMENTS, "--out-arg", "2=p.npy")
                self.assertEqual(self.floats("p.npy", 256), (13,) * 256)

    def test_patterns(self):
        def rows(command):
            return [line.split()[:4] for line in self.ok(command, PARTS, *PARTS_ARGUMENTS).stdout.splitlines()
                    if line[:4].isalnum() and line[4:5] == " "]
        # The tile forwards and backwards; 16 warps.
        self.assertEqual(rows("banks"), [["00c0", "16", "16", "1.00"], ["0130", "16", "16", "1.00"]])
        # Through the pointer to the counter, the result of 128 bytes, results[0].
        self.assertEqual(rows("coalesce"), [["00e0", "16", "16", "1.00"], ["0140", "16", "16", "1.00"], ["01a0", "16", "64", "4.00"],
                                            ["01e0", "16", "16", "1.00"]])

    def test_errors(self):
        self.fails("exec", SAXPY, "--kernel", "k", "--grid", 1, "--block", 1, says=("saxpy.o", "no kernel k (there are: saxpy)"))
        self.fails("exec", SAXPY, *ARGUMENTS[:8], says="kernel saxpy has 4 parameters, and there are 1 arguments")
        self.fails("exec", SAXPY, *ARGUMENTS[:6], "--arg", 1001, *ARGUMENTS[8:-2], "-j", 1,
                   says=("saxpy.o: image at byte 1104: saxpy+0xd0: load of 4 bytes at ", " in global memory is out of bounds (nearest "
                         "allocation: 4000 bytes", "kernel saxpy, thread (232, 0, 0) of block (3, 0, 0)"))
        self.fails("exec", PARTS, *PARTS_ARGUMENTS[:4], "--block", 512, *PARTS_ARGUMENTS[6:],
                   says="kernel parts: blocks of 512 x 1 x 1 threads (legal: 1 to 256 together)")
        self.fails("exec", PARTS, "--kernel", "parts", "--grid", 3, *PARTS_ARGUMENTS[4:],
                   says="a grid of 3 x 1 x 1 blocks in clusters of 2 x 1 x 1 (legal: multiples)")
        with open(PARTS, "rb") as f:
            cut = f.read(3000)
        with open(self.path("cut.cubin"), "wb") as f:
            f.write(cut)
        self.fails("exec", "cut.cubin", *PARTS_ARGUMENTS, says="cut.cubin: byte 32: the table of segments has ")


if __name__ == "__main__":
    unittest.main()
