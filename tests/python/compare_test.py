"""Simulated beside measured values."""
import math
import os
import unittest

from tests.python.harness import TRACES, PythonTest, heddle

SUITE = os.path.join(TRACES, "suite.csv")
KERNEL = '"vecadd(float *, float *)"'


class Compare(PythonTest):
    def setUp(self):
        super().setUp()
        self.results = heddle.run(self.capture("a", kernels=2, blocks=4, warps=2))
        self.name = self.results.launches["kernel"].iloc[0]

    def test_the_suite(self):
        results = heddle.run(os.path.join(TRACES, "softmax"))
        frame = heddle.compare(results, SUITE).set_index("metric")
        row = frame.loc["smsp__inst_executed.sum"]
        self.assertEqual((row.trace, row.launch, row.unit), ("softmax", 1, "inst"))
        self.assertEqual((row.simulated, row.measured, row.error), (2039808, 2039808, 0))
        row = frame.loc["cycles"]
        self.assertEqual(row.simulated, results.launches["cycles"].iloc[0])
        self.assertEqual(row.measured, 15152)
        self.assertEqual(row.error, (row.simulated - 15152) / 15152)
        self.assertIn("gpc__cycles_elapsed.max", frame.index)
        self.assertEqual(list(heddle.compare(results, SUITE, ["cycles"])["metric"]), ["cycles"])
        self.raises(heddle.ResultsError, "no values of metric 'sm__x' on both sides", heddle.compare, results, SUITE,
                    ["sm__x"])

    def raw(self):
        return self.write("raw.csv", f"""\
==PROF== Connected to process 1
"ID","Process ID","Kernel Name","Block Size","Grid Size","dram__bytes_read.sum","gpu__time_duration.sum",\
"smsp__inst_executed.sum","what__we_lack.sum"
"","","","","","Kbyte","us","inst","inst"
"0","7",{KERNEL},"(64, 1, 1)","(4, 1, 1)","1.50","2.5","1,048","3"
"1","7",{KERNEL},"(64, 1, 1)","(8, 1, 1)","n/a","5","96","3"
"2","7","other(int)","(64, 1, 1)","(8, 1, 1)","1","5","96","3"
""")

    def test_nsights_raw_page(self):
        frame = heddle.compare(self.results, self.raw())
        rows = {(r.launch, r.metric): r for r in frame.itertuples()}
        self.assertEqual(set(rows), {(1, "dram__bytes_read.sum"), (1, "gpu__time_duration.sum"),
                                     (1, "smsp__inst_executed.sum"), (2, "gpu__time_duration.sum"),
                                     (2, "smsp__inst_executed.sum")})
        self.assertEqual((rows[1, "dram__bytes_read.sum"].measured, rows[1, "dram__bytes_read.sum"].unit), (1500, "byte"))
        self.assertTrue(math.isclose(rows[1, "gpu__time_duration.sum"].measured, 2500))
        self.assertEqual(rows[1, "smsp__inst_executed.sum"].simulated, 48)
        self.assertEqual(rows[1, "smsp__inst_executed.sum"].measured, 1048)
        self.assertEqual(rows[1, "smsp__inst_executed.sum"].error, -1000 / 1048)
        self.assertEqual(rows[2, "smsp__inst_executed.sum"].error, 0)
        self.assertEqual(rows[2, "smsp__inst_executed.sum"].kernel, self.name)
        read = heddle.read_ncu(self.raw())
        self.assertEqual(sorted(set(read.launch)), [1, 2, 3])
        self.assertEqual(read.grid.iloc[0], (4, 1, 1))

    def test_nsights_long_form(self):
        file = self.write("long.csv", f"""\
"ID","Kernel Name","Block Size","Grid Size","Section Name","Metric Name","Metric Unit","Metric Value"
"0",{KERNEL},"(64, 1, 1)","(4, 1, 1)","x","smsp__inst_executed.sum","inst","48"
"0",{KERNEL},"(64, 1, 1)","(4, 1, 1)","x","l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum","","7"
"1",{KERNEL},"(64, 1, 1)","(8, 1, 1)","x","smsp__inst_executed.sum","inst","90"
""")
        frame = heddle.compare(self.results, file).set_index(["launch", "metric"])
        self.assertEqual(frame.loc[(1, "smsp__inst_executed.sum"), "error"], 0)
        self.assertEqual(frame.loc[(1, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"), "error"], -1)
        self.assertEqual(frame.loc[(2, "smsp__inst_executed.sum"), "error"], 6 / 90)

    def test_a_measured_zero_has_no_relative_error(self):
        file = self.write("zero.csv", "name,launch,cycles,smsp__inst_executed.sum,dram__bytes_write.sum\na,1,5,0,0\n")
        frame = heddle.compare(self.results, file).set_index("metric")
        self.assertTrue(math.isnan(frame.loc["smsp__inst_executed.sum", "error"]))
        self.assertEqual(frame.loc["dram__bytes_write.sum", "error"], 0)

    def test_errors(self):
        self.raises(heddle.ResultsError, "/no/such.csv", heddle.compare, self.results, "/no/such.csv")
        other = self.write("o.csv", "name,cycles\nb,5\n")
        self.raises(heddle.ResultsError, ["o.csv: none of the simulated kernels (a/1, a/2)", "there are: b"],
                    heddle.compare, self.results, other)
        text = self.write("t.csv", "x,y\n1,2\n")
        self.raises(heddle.ResultsError, "t.csv:1: a reference table needs the columns", heddle.compare, self.results, text)
        self.raises(heddle.ResultsError, 'no column "Kernel Name"', heddle.read_ncu, text)
        with open(self.raw()) as f:
            wrong = self.write("w.csv", f.read().replace('"us"', '"furlong"').replace('"Kbyte"', '"second"'))
        self.raises(heddle.ResultsError, "dram__bytes_read.sum is in second; expected byte", heddle.compare,
                    self.results, wrong)


if __name__ == "__main__":
    unittest.main()
