"""heddle banks and heddle coalesce on the shipped kernels: the sums are the counters of a run."""
import csv
import os
import unittest

from tests.e2e import shipped

KERNELS = [os.path.join(shipped.TRACES, k) for k in ("bank8", "cluster_dsm", "softmax", "scan_block", "stride32",
                                                     "transpose_pad", "hist_gmem", "gemm_wmma", "divergent")]
BANKS = ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
         "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
         "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum")
SECTORS = tuple(f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum" for op in ("ld", "st", "red", "atom"))


class Access(shipped.HeddleTest):
    def sums(self, command, column):
        self.ok(command, *KERNELS, "--csv", f"{command}.csv")
        total = {}
        with open(self.path(f"{command}.csv"), newline="") as f:
            for r in csv.DictReader(f):
                total[r["trace"]] = total.get(r["trace"], 0) + int(r[column])
        return total

    def test_the_sums_are_the_counters_of_a_run(self):
        self.ok("run", *KERNELS, "--gpu", "h200", "--out", "r.db")
        for command, column, metrics in (("banks", "conflicts", BANKS), ("coalesce", "sectors", SECTORS)):
            found = self.sums(command, column)
            for trace, simulated in self.query("r.db", "SELECT trace, sum(value) FROM launches JOIN counters "
                                               f"ON launch_id = id WHERE name IN {metrics} GROUP BY id"):
                with self.subTest(command=command, trace=trace):
                    self.assertEqual(found.get(trace, 0), simulated)

    def test_the_text_names_the_worst_instruction_and_the_padding(self):
        out = self.ok("banks", KERNELS[0], "--svg", "b.svg").stdout
        self.assertIn("274,692 requests, 2,167,044 wavefronts, 1,892,352 conflicts", out)
        self.assertIn("LDS R7, [R6]", out)
        self.assertIn("padding: 1 more word behind each row of 32 words; with it all 274,692 accesses to these rows take "
                      "274,692 wavefronts, 0 conflicts, now 2,167,044, 1,892,352", out)
        self.assertIn("swizzle: in rows of 32 words, word c of row r at c ^ r % 32; with it", out)
        with open(self.path("b.svg")) as f:
            self.assertIn("</svg>", f.read())
        out = self.ok("coalesce", os.path.join(shipped.TRACES, "stride32"), "--top", 1).stdout
        self.assertIn("16,384 requests, 294,912 sectors, 18.00 per request, ideal 65,536", out)
        self.assertIn("1 instructions more (--top)", out)
        self.assertNotRegex(out, "conflict|padding|swizzle")  # words of shared memory

    def test_errors(self):
        self.fails("banks", "nowhere", says="nowhere")
        self.fails("banks", KERNELS[0], "--kernel", 2, says="--kernel 2")
        self.fails("coalesce", *KERNELS[:2], "--svg", "x.svg", says="--svg draws one kernel")


if __name__ == "__main__":
    unittest.main()
