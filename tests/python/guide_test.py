"""Worked examples of the CUDA guide that are counts or cycles of timed kernels, by their ids (sim/host/COVERAGE.md)."""
import array
import unittest

from tests.python.harness import PythonTest, heddle

HEAD = ".version 8.0 .target sm_90 .address_size 64\n"
REGISTERS = ".reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .f32 %f<32>; .reg .pred %p<8>;\n"
LOADS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
STORES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"


def words(n):
    return heddle.to_device(array.array("I", [0] * n))


def kernel(body, shared=""):
    """k(out, n): thread number in %r1, out + 4 * thread in %rd1."""
    return heddle.load_ptx(
        HEAD + shared + ".entry k(.param .u64 out, .param .u32 n) {\n" + REGISTERS +
        "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [n]; mul.wide.u32 %rd2, %r1, 4;\n"
        "add.s64 %rd1, %rd1, %rd2;\n" + body + " ret; }").k


class Guide(PythonTest):
    def counters(self, function, out, n, block=32):
        return function[1, block](out, n).counters

    def test_four_bytes_of_every_sector(self):
        """C12: 4-byte accesses 32 bytes apart take 32 sectors per request, an eighth of each is used."""
        strided = kernel("mul.wide.u32 %rd3, %r1, 28; add.s64 %rd1, %rd1, %rd3; ld.global.u32 %r3, [%rd1];\n"
                         "st.global.u32 [%rd1], %r3;")
        c = self.counters(strided, words(512), 0)
        self.assertEqual(int(c["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"].iloc[0]), 1)
        self.assertEqual(int(c["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"].iloc[0]), 32)
        dense = kernel("ld.global.u32 %r3, [%rd1]; st.global.u32 [%rd1], %r3;")
        c = self.counters(dense, words(512), 0)
        self.assertEqual(int(c["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"].iloc[0]), 4)

    def chains(self, count):
        """Cycles of blocks of 4, 8, 16 and 32 warps whose lanes have `count` independent chains of 1,024 steps in all."""
        steps = "".join(f"add.f32 %f{4 + i % count}, %f{4 + i % count}, 0f3f800000;\n" for i in range(1024))
        sums = "".join(f"add.f32 %f4, %f4, %f{5 + i};\n" for i in range(count - 1))
        starts = "".join(f"mov.f32 %f{4 + i}, %f3;\n" for i in range(count))
        k = kernel("cvt.rn.f32.u32 %f3, %r1;\n" + starts + steps + sums +
                   "st.global.f32 [%rd1], %f4;")
        out = words(1024)
        return [int(k[1, 32 * w](out, 3).launches["cycles"].iloc[0]) for w in (4, 8, 16, 32)]

    def test_latency_is_hidden_by_warps_and_by_independent_instructions(self):
        """C13: steps of 4 cycles that wait for each other: 16 warps per SM issue one per cycle and sub-core; of two chains 8."""
        one = self.chains(1)
        self.assertLess(max(one[:3]) - min(one[:3]), 400)  # 4 to 16 warps: as long as one
        self.assertGreater(min(one[:3]), 4 * 1024)
        self.assertAlmostEqual((one[3] - one[2]) / 4096, 1, delta=0.1)  # 32 take turns
        two = self.chains(2)
        self.assertLess(abs(two[1] - two[0]), 400)
        self.assertAlmostEqual((two[0] - one[0]) / -2048, 1, delta=0.2)  # half the time of one chain
        self.assertAlmostEqual((two[2] - two[1]) / 2048, 1, delta=0.15)  # 16 take turns

    def test_transposition_in_shared_memory(self):
        """C42: eight lanes store 16 bytes to a column of 8 x 8: eight passes; with the column xor the row one."""
        columns = {"plain": "mov.u32 %r5, 3;", "swizzled": "xor.b32 %r5, %r1, 3;"}
        passes = {}
        for name, column in columns.items():
            k = kernel(column + "mov.u32 %r4, tile; shl.b32 %r6, %r1, 7; shl.b32 %r5, %r5, 4; add.u32 %r4, %r4, %r6;\n"
                       "add.u32 %r4, %r4, %r5; st.shared.v4.u32 [%r4], {%r1, %r1, %r1, %r1};\n"
                       "ld.shared.v4.u32 {%r7, %r8, %r9, %r10}, [%r4]; st.global.u32 [%rd1], %r7;",
                       ".shared .align 128 .b8 tile[1024];\n")
            c = self.counters(k, words(32), 0, 8)
            passes[name] = int(c[STORES].iloc[0]), int(c[LOADS].iloc[0])
        self.assertEqual(passes, {"plain": (8, 8), "swizzled": (1, 1)})

    def test_strides_in_shared_memory(self):
        """C77: words 1, 2 and 3 apart take 1, 2 and 1 passes; words that lanes share one."""
        def passes(word):
            k = kernel(word + "mov.u32 %r4, tile; shl.b32 %r5, %r5, 2; add.u32 %r4, %r4, %r5; ld.shared.u32 %r7, [%r4];\n"
                       "st.global.u32 [%rd1], %r7;", ".shared .align 128 .b8 tile[1024];\n")
            return int(self.counters(k, words(32), 0)[LOADS].iloc[0])
        self.assertEqual([passes(f"mul.lo.u32 %r5, %r1, {n};") for n in (1, 2, 3)], [1, 2, 1])
        self.assertEqual(passes("mov.u32 %r5, 5;"), 1)  # one for all
        self.assertEqual(passes("shr.u32 %r5, %r1, 2;"), 1)  # each for four
        self.assertEqual(passes("and.b32 %r5, %r1, 1; mul.lo.u32 %r5, %r5, 33;"), 1)  # two words of two banks

    def test_half_of_the_shared_memory(self):
        """C78: half of an SM's shared memory on 8.0 is 82 KB; the driver takes 100."""
        self.assertEqual(heddle.occupancy("a100", registers=32, smem=1024, carveout=50).shared_carveout, 100 * 1024)


if __name__ == "__main__":
    unittest.main()
