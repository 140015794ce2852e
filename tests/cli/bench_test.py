"""tools/bench: the yardstick beside its speeds."""
import importlib.machinery
import importlib.util
import os
import unittest

loader = importlib.machinery.SourceFileLoader("bench", os.path.join(os.getcwd(), "tools", "bench"))
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
loader.exec_module(bench)


class OfSeconds:
    def __init__(self, seconds):
        self.seconds = seconds


def rows(seconds):
    return [{"kernel": k, "instructions": 1000, "cpu_seconds": s} for k, s in seconds.items()]


class Yardstick(unittest.TestCase):
    def test_its_work_is_fixed_and_its_time_is_measured(self):
        y = bench.Yardstick(os.path.join(os.getcwd(), "tools", "yardstick"))
        y.lay()
        y.lay()
        self.assertEqual(len({(r["steps"], r["loads"], r["check"]) for r in y.runs}), 1)
        for r in y.runs:
            self.assertGreater(r["integer_seconds"], 0.01)
            self.assertGreater(r["chase_seconds"], 0.01)
        self.assertRegex(y.text({"instructions": 8_000_000, "cpu_seconds": 2.0}),
                         r"^Yardstick: [0-9.]+ s \([0-9,]+ M integer steps/s, .* median of 2\)\. "
                         rf"All kernels: 4\.00 M instructions a second, {4 * y.seconds:.2f} M per yardstick\.$")

    def test_a_slower_machine_is_no_slower_program(self):
        table = rows({"a": 1.0, "b": 3.0, "yardstick": 0.5})
        on_half_the_speed = bench.against_yardstick(rows({"a": 2.0, "b": 6.0}), table, OfSeconds(1.0))
        self.assertIn("2 kernels: 8.0 yardsticks before (0.50 s each), 8.0 now (1.00 s each), ratio 1.000", on_half_the_speed)
        # Slower everywhere, which the median of the kernels' ratios would hide.
        self.assertIn("ratio 1.500", bench.against_yardstick(rows({"a": 1.5, "b": 4.5}), table, OfSeconds(0.5)))
        self.assertIn("no yardstick", bench.against_yardstick(rows({"a": 2.0}), rows({"a": 1.0}), OfSeconds(1.0)))


if __name__ == "__main__":
    unittest.main()
