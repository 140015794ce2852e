"""What other processes get: results, traces, parts of configurations and errors survive pickling."""
import concurrent.futures
import multiprocessing
import os
import pickle
import unittest

from tests.python.harness import TRACES, PythonTest, heddle


def again(value):
    return pickle.loads(pickle.dumps(value))


def cycles_of(launch):
    return list(heddle.run(launch).launches["cycles"])


def run(trace):
    return heddle.run(trace)


class Pickle(PythonTest):
    def test_results(self):
        r = heddle.run(self.capture("a", kernels=2), profile=True, set=["l2.far_latency=0"])
        same = again(r)
        self.assertEqual(same.info, r.info)
        for frame in ("launches", "counters", "stalls", "instructions", "instruction_stalls", "series", "peak_shares"):
            with self.subTest(frame):
                self.assertTrue(getattr(same, frame).equals(getattr(r, frame)))
        self.assertEqual(same.report(), r.report())

    def test_results_without_launches(self):
        self.deadlock("stuck")
        with self.assertRaises(heddle.DeadlockError) as caught:
            heddle.run(self.path("stuck.traceg"))
        none = caught.exception.results
        self.assertEqual((len(none), again(none).info), (0, none.info))

    def test_traces_and_launches(self):
        trace = heddle.load(os.path.join(TRACES, "cluster_dsm"))
        self.assertEqual(again(trace)[0].path, trace[0].path)
        clusters = again(trace[0].with_cluster(8))
        self.assertEqual((clusters.cluster, clusters.kernel), ((8, 1, 1), trace[0].kernel))
        self.assertEqual(again(trace)[0].cluster, (1, 1, 1))

    def test_parts_of_configurations(self):
        cfg = heddle.Config("h200", set=["l2.far_latency=7"])
        l2, op = again(cfg.l2), again(cfg.sm.op)
        self.assertEqual((l2.far_latency, l2), (7, cfg.l2))
        self.assertEqual(op["fp32"], cfg.sm.op["fp32"])
        l2.far_latency = 8
        self.assertEqual(cfg.l2.far_latency, 7)  # a copy

    def test_a_deadlock_through_a_process_pool(self):
        self.capture("good")
        self.deadlock("stuck")
        with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            self.assertEqual(pool.submit(cycles_of, heddle.load(self.path("good"))[0]).result(),
                             cycles_of(self.path("good")))
            e = pool.submit(run, [self.path("good"), self.path("stuck.traceg")]).exception()
        self.assertIs(type(e), heddle.DeadlockError)
        self.assertIn("deadlock", str(e))
        self.assertTrue(e.report)
        self.assertEqual(list(e.results.launches["kernel"]), ["vecadd(float*, float*)"])

    def test_errors_and_host_results(self):
        self.assertEqual(str(again(heddle.Interrupted("stopped"))), "stopped")
        w = heddle.Workload()
        w.malloc(4096)
        done = heddle.run_host(w)
        self.assertEqual(repr(again(done)), repr(done))


if __name__ == "__main__":
    unittest.main()
