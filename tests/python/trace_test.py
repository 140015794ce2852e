"""Traces: launches, shapes, opcodes."""
import os
import unittest
import warnings

from tests.python.harness import TRACES, WARP_INSTRUCTIONS, PythonTest, heddle


class Trace(PythonTest):
    def test_launches_of_a_capture(self):
        trace = heddle.load(self.capture("a", kernels=3, blocks=2, warps=2))
        self.assertEqual([(x.trace, x.number) for x in trace], [("a", 1), ("a", 2), ("a", 3)])
        self.assertEqual([x.grid for x in trace], [(2, 1, 1), (4, 1, 1), (6, 1, 1)])
        launch = trace[1]
        self.assertEqual(launch.block, (64, 1, 1))
        self.assertEqual(launch.cluster, (1, 1, 1))
        self.assertEqual((launch.kernel, launch.mangled), ("vecadd(float*, S_)", "_Z6vecaddPfS_")
                         if launch.kernel == "vecadd(float*, S_)" else ("vecadd(float*, float*)", "_Z6vecaddPfS_"))
        self.assertEqual((launch.registers, launch.static_shared, launch.dynamic_shared), (32, 0, 0))
        self.assertEqual(launch.compute_capability, 90)
        self.assertIs(launch.control_bits, False)
        self.assertEqual(os.path.realpath(launch.path), os.path.realpath(self.path("a", "kernel-2.traceg")))
        self.assertEqual(len(trace[1:]), 2)
        self.assertIn("3 launches", repr(trace))

    def test_opcodes_are_counted(self):
        launch = heddle.load(self.capture("a", blocks=2, warps=2))[0]
        self.assertEqual(launch.opcodes, {"EXIT": 4, "FADD": 4, "IMAD.WIDE": 4, "LDG.E": 4, "S2R": 4, "STG.E": 4})
        self.assertEqual(len(launch.code), WARP_INSTRUCTIONS)
        self.assertEqual((launch.code[2].pc, launch.code[2].opcode), (0x20, "LDG.E"))

    def test_a_native_trace_has_the_same(self):
        text = heddle.load(os.path.join(TRACES, "softmax"))[0]
        self.ok("import", os.path.join(TRACES, "softmax"), "-o", self.path("n"))
        native = heddle.load(self.path("n"))[0]
        self.assertTrue(native.path.endswith(".heddle"))
        self.assertEqual(native.opcodes, text.opcodes)
        self.assertEqual(sum(text.opcodes.values()), 2039808)  # smsp__inst_executed.sum of traces/h200/suite.csv
        self.assertEqual((native.grid, native.block, native.registers), ((512, 1, 1), (256, 1, 1), 24))
        self.assertIs(text.control_bits, True)
        self.assertIn("LDG", " ".join(i.text for i in text.code))

    def test_a_cluster_can_be_given(self):
        launch = heddle.load(self.capture("a", blocks=4))[0].with_cluster(2)
        self.assertEqual(launch.cluster, (2, 1, 1))
        self.raises(heddle.TraceError, "kernel-1.traceg", lambda: launch.with_cluster(3).grid)

    def test_errors(self):
        self.raises(heddle.TraceError, "/no/such/trace", heddle.load, "/no/such/trace")
        one = self.capture("a")
        self.raises(heddle.TraceError, "given twice", heddle.load, one, one)
        self.raises(heddle.TraceError, "a/1: given twice", heddle.run, [heddle.load(one), heddle.load(one)])
        self.raises(heddle.TraceError, "no launches", heddle.run, [])
        self.write("bad/kernel-1.traceg", "-kernel name = x\nnonsense\n")
        self.write("bad/kernelslist.g", "kernel-1.traceg\n")
        self.raises(heddle.TraceError, "kernel-1.traceg:", lambda: heddle.load(self.path("bad"))[0].grid)

    def test_odd_lists_warn_or_are_errors(self):
        self.capture("a")
        self.write("a/kernelslist.g", "kernel-1.traceg\nwhatever\n")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            heddle.load(self.path("a"))
        self.assertEqual([w.category for w in caught], [heddle.HeddleWarning])
        self.assertIn("kernelslist.g:2", str(caught[0].message))
        self.raises(heddle.TraceError, "kernelslist.g:2", heddle.load, self.path("a"), strict=True)


if __name__ == "__main__":
    unittest.main()
