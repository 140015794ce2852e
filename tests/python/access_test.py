"""Bank conflicts and sectors."""
import os
import unittest

import numpy

from tests.python.harness import TRACES, PythonTest, heddle

LANES = numpy.arange(32)


class Access(PythonTest):
    def test_bank_conflicts_by_hand(self):
        def cost(addresses, *args, **kwargs):
            c = heddle.bank_conflicts(addresses, *args, **kwargs)
            return c["wavefronts"], c["conflicts"]
        self.assertEqual(cost(LANES * 4), (1, 0))            # a word from each bank
        self.assertEqual(cost(LANES * 8), (2, 1))            # every second bank, two words of each
        self.assertEqual(cost(LANES * 128), (32, 31))        # one bank
        self.assertEqual(cost([64] * 32), (1, 0))            # one word, broadcast
        self.assertEqual(cost(LANES * 132), (1, 0))          # rows of 33 words
        self.assertEqual(cost(LANES * 8, width=8), (2, 0))   # 256 bytes need two passes
        self.assertEqual(cost(LANES * 16, 16, "store"), (4, 0))
        self.assertEqual(cost([0] * 32, kind="atomic"), (32, 31))  # one word, one lane after the other
        self.assertEqual(cost(LANES * 128, mask=0xff), (8, 7))
        self.assertEqual(cost(LANES % 8 * 16 + LANES // 8 * 128, 16, "matrix"), (4, 0))

    def test_sectors_by_hand(self):
        self.assertEqual(heddle.sectors(LANES * 4), {"lines": 1, "sectors": 4, "bytes": 128})
        self.assertEqual(heddle.sectors(LANES * 4 + 4), {"lines": 2, "sectors": 5, "bytes": 128})
        self.assertEqual(heddle.sectors(LANES * 128), {"lines": 32, "sectors": 32, "bytes": 128})
        self.assertEqual(heddle.sectors([0] * 32, 16), {"lines": 1, "sectors": 1, "bytes": 16})

    def test_a_trace_has_the_counts_of_its_run(self):
        path = os.path.join(TRACES, "bank8")
        counters = heddle.run(path).counters.iloc[0]
        banks = heddle.banks(path)
        loads = banks[banks.opcode.str.startswith("LDS")]
        self.assertEqual(loads.conflicts.sum(),
                         counters["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"])
        self.assertEqual(loads.wavefronts.sum(), counters["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"])
        worst = banks.iloc[0]
        self.assertEqual((worst.padding, worst.row_bytes, worst.padded_conflicts), (4, 128, 0))
        self.assertEqual((worst.swizzle, worst.swizzled_conflicts), ("c ^ r % 32", 0))
        free = banks[banks.conflicts == 0]
        self.assertTrue(free.padding.isna().all() and free.swizzle.isna().all())
        self.assertEqual(len(banks.iloc[0].worst_addresses), 32)
        worst = heddle.bank_conflicts(banks.iloc[0].worst_addresses, int(banks.iloc[0].width))
        self.assertEqual(worst["wavefronts"], banks.iloc[0].worst)
        self.assertIn("\n", banks.iloc[0].picture)
        sectors = heddle.coalesce(path)
        stores = sectors[sectors.opcode.str.startswith("STG")]
        self.assertEqual(stores.sectors.sum(), counters["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"])

    def test_errors(self):
        self.raises(heddle.Error, "31 values; a warp has 32 lanes", heddle.bank_conflicts, LANES[:31])
        self.raises(heddle.Error, "width=3; legal values: 1, 2, 4, 8, 16 bytes", heddle.bank_conflicts, LANES, 3)
        self.raises(heddle.Error, "width=2; legal values: 4, 8, 16", heddle.bank_conflicts, LANES, 2, "matrix")
        self.raises(heddle.Error, "kind='x'", heddle.bank_conflicts, LANES, kind="x")
        self.raises(heddle.Error, "mask=0", heddle.sectors, LANES, mask=0)
        self.raises(heddle.Error, "addresses: legal values", heddle.sectors, LANES - 1)
        self.raises(heddle.TraceError, "one launch is needed", heddle.banks, self.capture("a", kernels=2))


if __name__ == "__main__":
    unittest.main()
