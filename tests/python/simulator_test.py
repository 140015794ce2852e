"""A launch in steps."""
import os
import unittest

from tests.python.harness import TRACES, PythonTest, heddle

SOFTMAX = os.path.join(TRACES, "softmax")


class Simulator(PythonTest):
    def test_steps_change_no_result(self):
        whole = heddle.run(SOFTMAX)
        sim = heddle.Simulator("h200", SOFTMAX)
        quantum = 500  # more than one of any shipped GPU
        before, steps = 0, 0
        while sim.step(1000):
            steps += 1
            self.assertGreaterEqual(sim.cycle, before + 1000)
            self.assertLess(sim.cycle, before + 1000 + quantum + 5000 * (steps == 1))  # nothing happens at the launch
            before = sim.cycle
        self.assertGreater(steps, 5)
        self.assertTrue(sim.finished)
        self.assertFalse(sim.step())
        result = sim.result()
        self.assertTrue(result.counters.equals(whole.counters))
        self.assertTrue(result.stalls.equals(whole.stalls))
        self.assertEqual(sim.cycle, whole.launches["cycles"].iloc[0])
        self.assertEqual(result.info, whole.info)

    def test_counters_grow(self):
        sim = heddle.Simulator("h200", SOFTMAX)
        before = sim.counters()
        self.assertEqual(before["smsp__inst_executed.sum"], 0)
        while sim.step(3000):
            now = sim.counters()
            for name in ("smsp__inst_executed.sum", "dram__bytes_read.sum", "gpc__cycles_elapsed.max",
                         "sm__cycles_active.avg"):
                self.assertGreaterEqual(now[name], before[name])
            self.assertEqual(now["gpc__cycles_elapsed.max"], sim.cycle)
            self.assertLessEqual(now["sm__cycles_active.max"], sim.cycle)
            self.assertEqual(sim.stalls()["selected"], now["smsp__inst_executed.sum"])
            before = now
        self.assertEqual(sim.counters()["smsp__inst_executed.sum"], 2039808)

    def test_series(self):
        names = ["smsp__inst_executed.sum", "dram__bytes_read.sum"]
        frame = heddle.Simulator("h200", SOFTMAX).series(2000, names)
        self.assertEqual(list(frame.columns), names)
        self.assertEqual(frame.index.name, "cycle")
        self.assertTrue(frame.index.is_monotonic_increasing)
        self.assertTrue(frame["smsp__inst_executed.sum"].is_monotonic_increasing)
        self.assertEqual(frame["smsp__inst_executed.sum"].iloc[-1], 2039808)
        self.assertGreater(len(frame), 4)

    def test_a_share_of_the_machine_has_no_steps(self):
        self.raises(heddle.Error, ["share.sms = 32", "cannot be simulated in steps", "fidelity default"],
                    heddle.Simulator, "h200", SOFTMAX, fidelity="fast")

    def test_residency_control(self):
        base = 0x7f0000000000
        options = {"l2_set_aside": 4 << 20, "l2_window": (hex(base), "1MiB", 0.5, "persisting", "streaming")}
        sim = heddle.Simulator("h200", SOFTMAX, **options)
        self.assertTrue(sim.run().counters.equals(heddle.run(SOFTMAX, **options).counters))

    def test_errors(self):
        path = self.capture("a", kernels=2)
        self.raises(heddle.TraceError, "one launch is needed, and there are 2", heddle.Simulator, "h200", path)
        sim = heddle.Simulator("h200", heddle.load(path)[0])
        self.raises(heddle.Error, "the launch is not finished", sim.result)
        self.raises(heddle.Error, "cycles=0: out of range", sim.step, 0)
        self.raises(heddle.Error, "no metric 'cycles'", sim.series, metrics=["cycles"])
        self.assertEqual(len(sim.run()), 1)
        self.deadlock("stuck")
        sim = heddle.Simulator("h200", self.path("stuck.traceg"))
        self.raises(heddle.DeadlockError, "cannot go on", sim.run)
        self.raises(heddle.Error, "make a new Simulator", sim.step)


if __name__ == "__main__":
    unittest.main()
