"""Library kernels, traces/h200/library: all of them run, those with tensor copies follow their barrier objects."""
import csv
import os
import statistics
import unittest

from tests.e2e import shipped

LIBRARY = os.path.join(shipped.TRACES, "library")
COMMAND = ["validate", "--reference", "traces/h200/library/suite.csv", "--traces", "traces/h200/library", "--gpu", "h200"]

# Those that take little time; with tensor copies, multicast, clusters in x, y and both, stores by STAS.
KERNELS = ["mm2048", "mm8192x512x1024", "mm_fp16_1024", "bmm", "linear_bias", "mm_skinny", "mm_tf32", "mm_fp8",
           "cudnn_attention", "conv2d", "scan_init", "scan", "adam_step"]
TENSOR = KERNELS[:10]

# When they were added: median 3 %, largest 22 %. The bounds only stop the model from getting much worse
# unnoticed.
MEDIAN_BOUND, LARGEST_BOUND = 0.15, 0.4


class Library(shipped.HeddleTest):
    def setUp(self):
        super().setUp()
        os.symlink(os.path.join(shipped.ROOT, "traces"), self.path("traces"))
        with open(os.path.join(LIBRARY, "suite.csv"), newline="") as f:
            self.measured = {r["name"]: r for r in csv.DictReader(f)}

    def test_every_row_has_a_trace_and_a_half(self):
        self.assertEqual(len(self.measured), 731)
        self.assertEqual(sum(r["half"] == "seen" for r in self.measured.values()), 362)
        for name in self.measured:
            self.assertTrue(os.path.exists(os.path.join(LIBRARY, name, "kernel-1.heddle")), name)

    def test_they_run_and_are_near_the_silicon(self):
        chosen = [a for k in KERNELS for a in ("--kernel", k)]
        self.ok(*COMMAND, *chosen, "--out", "v.db", "--csv", "v.csv", "--quiet", "--strict")
        with open(self.path("v.csv"), newline="") as f:
            errors = {r["name"]: abs(float(r["relative_error"])) for r in csv.DictReader(f) if r["metric"] == "cycles"}
        self.assertEqual(set(errors), set(KERNELS))
        self.assertLessEqual(statistics.median(errors.values()), MEDIAN_BOUND, errors)
        self.assertLessEqual(max(errors.values()), LARGEST_BOUND, errors)
        counted = self.query("v.db", """
            SELECT trace, warp_instructions,
                   (SELECT value FROM counters c WHERE c.launch_id = l.id AND c.name = 'heddle__bulk_copy_bytes.sum'),
                   (SELECT value FROM counters c WHERE c.launch_id = l.id AND
                    c.name = 'heddle__tensor_copies_unknown.sum')
            FROM launches l""")
        for name, instructions, copied, unknown in counted:
            with self.subTest(name):
                # Waits are repeated as often as they have to be: not a property of the program.
                self.assertAlmostEqual(instructions / float(self.measured[name]["smsp__inst_executed.sum"]), 1, delta=0.05)
                self.assertEqual(copied > 0, name in TENSOR)
                self.assertEqual(unknown, 0)


if __name__ == "__main__":
    unittest.main()
