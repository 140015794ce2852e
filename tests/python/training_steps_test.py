"""Training steps of three models, recorded with torch.profiler, against their measured times (traces/h200/steps)."""
import csv
import unittest

from tests.python.harness import PythonTest, heddle

STEPS = "traces/h200/steps/"


def step_us(model, way):
    """From the call that gives the device its first work until the host has waited for all of it."""
    r = heddle.run_host(heddle.Workload.from_profile(f"{STEPS}{model}_{way}.json.xz"), gpu="h200")
    calls = r.spans[r.spans.track.str.startswith("thread ") & (r.spans.track != "thread set-up")].sort_values("start_us")
    begin = calls[calls.name.isin(["cudaGraphLaunch", "cudaLaunchKernel"])].start_us.min()
    waits = calls[(calls.name == "cudaDeviceSynchronize") & (calls.start_us > begin)]
    return r, waits.end_us.min() - begin


class Steps(PythonTest):
    def test_captured_steps_take_what_they_took(self):
        with open(STEPS + "steps.csv", encoding="utf-8") as f:
            rows = [row for row in csv.DictReader(f) if row["way"] == "graph"]
        self.assertEqual([row["model"] for row in rows], ["resnet", "bert", "gpt2"])
        for row in rows:
            with self.subTest(row["model"]):
                r, us = step_us(row["model"], "graph")
                self.assertEqual(len(r.spans[r.spans.track == "device 0 kernels"]), int(row["kernels"]))
                self.assertAlmostEqual(us / (float(row["median_ms"]) * 1e3), 1, delta=0.05)

    def test_eager_steps_are_as_slow_as_under_the_profiler(self):
        for model, profiled_ms in (("resnet", 45.03), ("bert", 64.27), ("gpt2", 45.01)):
            with self.subTest(model):
                r, _ = step_us(model, "eager")
                self.assertAlmostEqual(r.end_us / (profiled_ms * 1e3), 1, delta=0.1)


if __name__ == "__main__":
    unittest.main()
