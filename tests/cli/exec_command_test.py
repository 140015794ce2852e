"""heddle exec as a user types it."""
import ast
import os
import struct
import unittest

from tests.cli import harness

DATA = os.path.join(os.getcwd(), "tests", "exec", "data")
SAXPY, NESTED = os.path.join(DATA, "saxpy.ptx"), os.path.join(DATA, "nested.ptx")

MODULE = """.version 8.8 .target sm_90 .address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[9] = {108, 97, 110, 101, 32, 37, 100, 10, 0};
.entry hello() {
 .local .align 8 .b8 args[8]; .reg .b64 %rd<4>; .reg .b32 %r<4>;
 mov.u32 %r0, %tid.x; st.local.u32 [args], %r0;
 mov.u64 %rd0, text; cvta.global.u64 %rd0, %rd0; mov.u64 %rd1, args; cvta.local.u64 %rd1, %rd1;
 { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd0; st.param.b64 [a], %rd1;
 call (r), vprintf, (f, a); ld.param.b32 %r1, [r]; }
 ret;
}
.entry beyond(.param .u64 p) {
 .reg .b64 %rd<2>; .reg .b32 %r<2>;
 ld.param.u64 %rd0, [p];
 ld.global.u32 %r0, [%rd0+16];
 ret;
}
.entry odd(.param .u64 p) {
 .reg .b32 %r<4>; .reg .b64 %rd<2>;
 suq.memory_layout.b32 %r0, [%rd0];
 txq.channel_order.b32 %r0, [%rd0];
 ret;
}
.entry ranks(.param .u64 p) {
 .reg .b64 %rd<4>; .reg .b32 %r<4>; .shared .u32 s;
 mov.u32 %r0, %ctaid.x; mov.u32 %r1, %cluster_ctarank; ld.param.u64 %rd0, [p]; mul.wide.u32 %rd1, %r0, 4;
 add.u64 %rd0, %rd0, %rd1; st.global.u32 [%rd0], %r1;
 ld.shared.u32 %r2, [s];
 ret;
}
.entry stuck() { .reg .b32 %r<2>; .reg .pred %p;
 mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 32; @%p bra one;
 bar.sync 2, 64;
 ret;
one: bar.sync 1, 64;
 ret;
}
"""


TEXTURES = """.version 8.8 .target sm_90 .address_size 64
.entry halve(.param .u64 t, .param .u64 s) {
 .reg .b64 %rd<2>; .reg .b32 %r<8>; .reg .f32 %f<8>;
 ld.param.u64 %rd0, [t]; ld.param.u64 %rd1, [s];
 mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y;
 cvt.rn.f32.u32 %f0, %r0; cvt.rn.f32.u32 %f1, %r1;
 tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd0, {%f0, %f1}];
 shl.b32 %r0, %r0, 2; mov.b32 %r2, %f2;
 sust.b.2d.b32.trap [%rd1, {%r0, %r1}], %r2;
 ret;
}
"""


def npy(name):
    """numpy's type, the shape and the bytes of a file."""
    with open(name, "rb") as f:
        data = f.read()
    length = struct.unpack("<H", data[8:10])[0]
    assert data[:8] == b"\x93NUMPY\x01\x00" and (10 + length) % 64 == 0
    header = ast.literal_eval(data[10:10 + length].decode())
    return header["descr"], header["shape"], data[10 + length:]


class Exec(harness.HeddleTest):
    def module(self):
        return self.write("m.ptx", MODULE)

    def test_saxpy(self):
        arguments = ["--kernel", "saxpy", "--grid", 4, "--block", "256", "--arg", 1000, "--arg", 2.5, "--arg",
                     "arange:f32:1000", "--arg", "ones:f32:1000", "--out-arg", "3=y.npy"]
        out = self.ok("exec", SAXPY, *arguments)
        # 32 warps of 20 instructions: 10 by all 1024 threads, the branch by the 24 without an element, 9 by the others.
        self.assertIn("saxpy: 640 warp instructions, 19,264 thread instructions in ", out.stderr)
        kind, shape, data = npy(self.path("y.npy"))
        self.assertEqual((kind, shape), ("<f4", (1000,)))
        self.assertEqual(struct.unpack("<1000f", data), tuple(2.5 * i + 1 for i in range(1000)))
        # The result as an argument: 1 * (2.5 i + 1) + (2.5 i + 1).
        self.ok("exec", SAXPY, "--kernel", "saxpy", "--grid", 32, "--block", "32", "--arg", 1000, "--arg", 1, "--arg",
                "y.npy", "--arg", "y.npy", "--out-arg", "3=z.npy", "-j", 3)
        self.assertEqual(struct.unpack("<1000f", npy(self.path("z.npy"))[2]), tuple(5.0 * i + 2 for i in range(1000)))
        # Files of other kinds stay.
        self.write("note.txt", "mine")
        self.fails("exec", SAXPY, *arguments[:-1], "3=note.txt", says="note.txt")

    def test_timed(self):
        """heddle run executes a module while it is simulated."""
        base = ["run", SAXPY, "--kernel", "saxpy", "--grid", 4, "--block", "256", "--arg", 1000, "--arg", 2.5, "--arg",
                "arange:f32:1000", "--arg", "ones:f32:1000", "--gpu", "h200"]
        out = self.ok(*base, "--out-arg", "3=y.npy", "--out", "a.db")
        self.assertEqual(struct.unpack("<1000f", npy(self.path("y.npy"))[2]), tuple(2.5 * i + 1 for i in range(1000)))
        # 32 warps of 19 machine instructions, all of which all warps come to.
        self.assertIn("608 warp instructions", out.stdout)
        self.ok(*base, "--threads", 2, "--quantum", 100, "--out", "b.db")
        hashes = [self.ok("report", db, "--hash").stdout.split()[0] for db in ("a.db", "b.db")]
        self.assertEqual(hashes[0], hashes[1])
        self.fails("run", SAXPY, "--gpu", "h200", says="saxpy.ptx: a module is run alone, with --kernel, --grid and --block")
        self.fails("run", "somewhere", "--kernel", "k", "--gpu", "h200", says="are for a module (FILE.ptx, FILE.cubin, FILE.fatbin)")
        # What has no time yet.
        untimed = self.write("u.ptx", """.version 8.0 .target sm_90 .address_size 64
.entry k(.param .u64 t) { .reg .b64 %rd<2>; .reg .pred %p<2>; ld.param.u64 %rd0, [t]; istypep.texref %p0, %rd0; ret; }
""")
        self.fails("run", untimed, "--kernel", "k", "--grid", 1, "--block", 1, "--gpu", "h200", "--arg", 0,
                   says=("kernel k has 1 instructions that have no time yet", "u.ptx"))
        self.ok("run", self.module(), "--kernel", "hello", "--grid", 1, "--block", 1, "--gpu", "h200")

    def test_kernels_that_kernels_launch(self):
        launch = [NESTED, "--kernel", "_Z11hello_worldv", "--grid", 1, "--block", 1]
        out = self.ok("exec", *launch)
        self.assertEqual(out.stdout, "Hello World!\n")
        self.assertIn("_Z11hello_worldv and 2 kernels that kernels launched: ", out.stderr)
        out = self.ok("run", *launch, "--gpu", "h200")
        self.assertIn("Hello World!\n", out.stdout)
        self.assertIn("the kernel has launched kernels: 2 were executed, not timed (heddle exec PROGRAM times them)", out.stderr)
        self.write("w.workload", f"""kernel {{ name: "k" grid {{ x: 1 }} block {{ x: 1 }} module {{ file: "{NESTED}" kernel: "_Z11hello_worldv" }} }}
thread {{ name: "main" call {{ launch {{ kernel: "k" }} }} }}
""")
        self.fails("host", "w.workload", "--gpu", "h200", says="kernel _Z11hello_worldv launches kernels")

    def test_lower(self):
        out = self.ok("lower", SAXPY)
        self.assertIn("// saxpy: 16 registers\n", out.stdout)
        self.assertIn("FFMA", out.stdout)
        self.fails("lower", SAXPY, "--kernel", "other", says="saxpy.ptx: no kernel other")

    def test_printf(self):
        out = self.ok("exec", self.module(), "--kernel", "hello", "--grid", 2, "--block", 2, "-j", 2)
        self.assertEqual(out.stdout, "lane 0\nlane 1\n" * 2)

    def test_errors_of_the_program(self):
        m = self.module()
        self.fails("exec", m, "--kernel", "beyond", "--grid", "2,1", "--block", 4, "--arg", "zeros:u32:4", "-j", 1,
                   says="m.ptx:15: load of 4 bytes at 0x7f1000000410 in global memory is out of bounds (nearest "
                        "allocation: 16 bytes at 0x7f1000000400); kernel beyond, thread (0, 0, 0) of block (0, 0, 0)")
        self.fails("exec", m, "--kernel", "stuck", "--grid", 1, "--block", 64,
                   says=("no thread of block (0, 0, 0) of kernel stuck can go on; warp 0: lanes 0xffffffff at ",
                         "m.ptx:35 (at barrier 1); warp 1: lanes 0xffffffff at ", "m.ptx:33 (at barrier 2)"))
        p = self.heddle("exec", m, "--kernel", "odd", "--grid", 1, "--block", 1, "--arg", 0)
        self.assertEqual(p.returncode, 1)
        self.assertIn("m.ptx: kernel odd has 2 instructions that cannot be executed yet", p.stderr)
        self.assertIn("m.ptx:20:2: 'suq.memory_layout.b32' cannot be executed yet: what it gives is the driver's\n", p.stderr)
        self.assertIn("m.ptx:21:2: 'txq.channel_order.b32' cannot be executed yet", p.stderr)

    def test_clusters_and_checks(self):
        base = ["exec", self.module(), "--kernel", "ranks", "--grid", 6, "--block", 1, "--arg", "zeros:u32:6"]
        self.ok(*base, "--cluster", 3, "--out-arg", "0=r.npy", "--check", "sync")
        self.assertEqual(struct.unpack("<6I", npy(self.path("r.npy"))[2]), (0, 1, 2) * 2)
        self.fails(*base, "--cluster", 4, says="a grid of 6 x 1 x 1 blocks in clusters of 4 x 1 x 1 (legal: multiples)")
        self.fails(*base, "--check", "init", "-j", 1,
                   says="m.ptx:28: load of 4 bytes at 0x400 in shared memory, of which some were never written; kernel ranks")
        self.fails(*base, "--check", "races", says="--check races (legal: init, race, sync)")

    def test_textures(self):
        with open(self.path("t.ptx"), "w", encoding="ascii") as f:
            f.write(TEXTURES)
        base = [self.path("t.ptx"), "--kernel", "halve", "--grid", 1, "--block", "8,4"]
        run = ["exec"] + base
        for options, first in (("", 1), (",filter=linear", 0.5), (",normalized=1", 7), (",address=border,border=7", 1)):
            self.ok(*run, "--arg", "texture:arange:f32:4x8" + options, "--arg", "surface:zeros:f32:4x8", "--out-arg", "1=s.npy",
                    "--force")
            kind, shape, data = npy(self.path("s.npy"))
            self.assertEqual((kind, shape), ("<f4", (4, 8)))
            self.assertEqual(struct.unpack("<32f", data)[1], first, options)
        out = self.ok("run", *base, "--gpu", "h200", "--arg", "texture:arange:f32:4x8,filter=linear", "--arg",
                      "surface:zeros:f32:4x8").stdout
        self.assertIn("halve", out)
        for argument, says in (
                ("texture:arange:f32:4x8,filter=cubic", "filter=cubic (legal: point, linear)"),
                ("texture:arange:f32:4x8,dims=3d", "dims=3d of an array of 2 indices without channels (legal: 3)"),
                ("texture:arange:u32:4x8,filter=linear", "a linear filter of u32 (legal: of f16, f32"),
                ("texture:arange:f64:4x8", "type=<f8 (legal: |u1, |i1, <u2, <i2, <u4, <i4, <f2, <f4)"),
                ("texture:4", "argument 'texture:4': no array (legal: texture:ARRAY or surface:ARRAY and options"),
                ("surface:arange:f32:4x8,filter=linear", "option 'filter=linear' (legal: "),
                ("surface:arange:f32:4x8", "t.ptx:7: handle "),
                ("zeros:f32:8", "is of no object (legal: of a texture)")):
            self.fails(*run, "--arg", argument, "--arg", "surface:zeros:f32:4x8", says=says)

    def test_the_number_of_instructions(self):
        loop = ["exec", os.path.join(DATA, "loop.ptx"), "--kernel", "loop", "--grid", 2, "--block", 64, "--arg", 1000, "--arg",
                "buffer:8"]
        # 4 warps of 5 instructions before the loop, 9 in each of its turns and 4 behind it.
        self.assertIn("loop: 36,036 warp instructions, ", self.ok(*loop).stderr)
        self.ok(*loop, "--max-instructions", 36036)
        self.fails(*loop, "--max-instructions", 36035,
                   says="loop.ptx: kernel loop has executed more than 36035 instructions")

    def test_errors_of_the_user(self):
        m = self.module()
        base = ["exec", m, "--kernel", "beyond", "--grid", 1, "--block", 1]
        self.fails("exec", m, "--kernel", "nothing", "--grid", 1, "--block", 1,
                   says="m.ptx: no kernel nothing (there are: hello, beyond, odd, ranks, stuck)")
        self.fails(*base, says="kernel beyond has 1 parameters, and there are 0 arguments")
        self.fails(*base, "--arg", "full:f32:1", says="argument 'full:f32:1' for parameter p of type .u64 (legal: a num")
        self.fails(*base, "--arg", "zeros:f33:1", says="(legal: a number")
        self.fails(*base, "--arg", "missing.npy", says="missing.npy")
        self.fails(*base, "--arg", 0, "--out-arg", "1=x.npy", says="--out-arg 1=x.npy (legal: INDEX=FILE.npy, of the 1")
        self.fails(*base, "--arg", 0, "--out-arg", "0=x.npy", says="argument 0 is no buffer")
        self.fails("exec", m, "--kernel", "hello", "--grid", "1,0", "--block", 1, says="--grid 1,0 (legal: X[,Y[,Z]]")
        self.fails("exec", m, "--kernel", "hello", "--grid", 1, "--block", "2000", says="(legal: 1 to 1024 together)")
        self.fails("exec", m, "--kernel", "hello", "--grid", 1, "--block", 1, "--shared", "300KiB",
                   says="307200 bytes of shared memory (legal: up to 232448)")


if __name__ == "__main__":
    unittest.main()
