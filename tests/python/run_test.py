"""Whole launches: the command's results, progress, failures, other threads."""
import os
import threading
import time
import unittest
import warnings

from tests.cli import harness
from tests.python.harness import TRACES, WARP_INSTRUCTIONS, PythonTest, heddle


class Run(PythonTest):
    def test_the_database_is_the_commands(self):
        path = self.capture("a", kernels=3)
        self.ok("run", path, "--gpu", "h200", "--set", "l2.far_latency=0", "--out", self.path("c.db"),
                "--no-host-timing")
        cfg = heddle.Config("h200")
        cfg.l2.far_latency = 0
        heddle.run(path, gpu=cfg, out=self.path("p.db"), host_timing=False)
        with open(self.path("c.db"), "rb") as c, open(self.path("p.db"), "rb") as p:
            self.assertEqual(c.read(), p.read())

    def test_residency_control_is_the_commands(self):
        path = self.capture("a", kernels=2)
        self.ok("run", path, "--gpu", "h200", "--l2-set-aside", "20MiB", "--l2-window",
                "0x7f0000000000,8MiB,0.6,persisting,normal", "--out", self.path("c.db"), "--no-host-timing")
        heddle.run(path, l2_set_aside=20 << 20, l2_window=(0x7f0000000000, 8 << 20, 0.6, "persisting", "normal"),
                   out=self.path("p.db"), host_timing=False)
        with open(self.path("c.db"), "rb") as c, open(self.path("p.db"), "rb") as p:
            self.assertEqual(c.read(), p.read())
        self.raises(heddle.ConfigError, "max_persisting_bytes", heddle.run, path, l2_set_aside=1 << 40)
        self.raises(heddle.Error, 'a property is "x"', heddle.run, path, l2_window=(0, 128, 1.0, "x"))
        self.raises(heddle.Error, "l2_set_aside=-1: out of range", heddle.run, path, l2_set_aside=-1)

    def test_arguments_that_would_be_ignored(self):
        path = self.capture("a")
        for more in ({"exists": "append"}, {"exists": "replace"}, {"host_timing": False}):
            self.raises(heddle.Error, "of the file that `out` names, and there is none", heddle.run, path, **more)
        self.raises(heddle.Error, "threads=True: not a whole number", heddle.run, path, threads=True)
        text = heddle.run(path, set="l2.far_latency=0")  # one, not its characters
        self.assertEqual(text.info["overrides"], "l2.far_latency=0\n")

    def test_clusters(self):
        path = self.capture("a")
        r = heddle.run(path, cluster=(2, 1, 1))
        self.assertEqual(list(r.launches["cluster"]), [(2, 1, 1)])
        steps = heddle.Simulator("h200", path, cluster=2)
        self.assertEqual(list(steps.run().launches["cycles"]), list(r.launches["cycles"]))
        self.raises(heddle.TraceError, "cluster (3,1,1)", heddle.run, path, cluster=(3, 1, 1))
        self.raises(heddle.Error, "cluster='x': not a whole number; legal values: 1 to 32", heddle.run, path, cluster="x")
        self.raises(heddle.Error, "one to three numbers", heddle.run, path, cluster=(1, 1, 1, 1))

    def test_what_is_no_number_is_an_error_of_heddle(self):
        path = self.capture("a")
        for name, legal in (("threads", "1 to 1024"), ("jobs", "1 to 1024"), ("cpus", "0 to 1024")):
            self.raises(heddle.Error, f"{name}='2': not a whole number; legal values: {legal}", heddle.run, path, **{name: "2"})
        self.raises(heddle.Error, "threads=2.0: not a whole number", heddle.run, path, threads=2.0)
        self.raises(heddle.Error, "threads=None: not a whole number", heddle.run_host, heddle.Workload(), threads=None)
        self.raises(heddle.Error, "jobs='4': not a whole number", heddle.sweep, {"l2.ways": [8]}, path, jobs="4")
        self.raises(heddle.Error, "cycles='9': not a whole number", heddle.Simulator("h200", path).step, "9")
        self.raises(heddle.Error, "run='x': not a whole number", heddle.open, "r.db", run="x")

    def test_a_damaged_trace_is_a_trace_error(self):
        good = self.capture("good")
        self.capture("bad")
        with open(self.path("bad/kernel-1.traceg"), "a") as f:
            f.write("#BEGIN_TB\n\nnonsense\n")
        text = open(self.path("bad/kernel-1.traceg")).read().replace("STG.E 2 R2 R5 4 1", "STG.E 2 R2 R5 4 9", 5)
        self.write("bad/kernel-1.traceg", text)
        e = self.raises(heddle.TraceError, "bad/kernel-1.traceg:", heddle.run, [good, self.path("bad")])
        self.assertEqual(len(e.results), 1)
        r = heddle.run([good, self.path("bad")], keep_going=True)
        self.assertEqual([(name, type(x)) for name, x in r.failures], [("bad/1", heddle.TraceError)])
        self.raises(heddle.TraceError, "bad/kernel-1.traceg:", lambda: heddle.Simulator("h200", self.path("bad")).run())

    def test_counts_are_exact(self):
        r = heddle.run(self.capture("a", kernels=2, blocks=4, warps=2), gpu="h200")
        self.assertEqual(list(r.launches["warp_instructions"]), [8 * WARP_INSTRUCTIONS, 16 * WARP_INSTRUCTIONS])
        self.assertEqual(list(r.counters["smsp__inst_executed.sum"]), [48.0, 96.0])
        # A warp reads 128 consecutive bytes: four sectors.
        self.assertEqual(list(r.counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]), [32.0, 64.0])
        self.assertEqual(list(r.counters["gpc__cycles_elapsed.max"]), list(r.launches["cycles"]))

    def test_results_do_not_depend_on_threads_and_jobs(self):
        path = self.capture("a", kernels=4)
        heddle.run(path, out=self.path("1.db"), host_timing=False)
        heddle.run(path, out=self.path("2.db"), host_timing=False, threads=2, jobs=3)
        heddle.run(path, out=self.path("3.db"), host_timing=False, cpus=4)
        one, two, three = (open(self.path(f"{i}.db"), "rb").read() for i in (1, 2, 3))
        self.assertEqual(one, two)
        self.assertEqual(one, three)

    def test_progress(self):
        seen = []
        heddle.run(os.path.join(TRACES, "softmax"), progress=seen.append)
        last = seen[-1]
        self.assertEqual((last.launches, last.finished, last.share, last.running), (1, 1, 1.0, ""))
        self.assertEqual(last.warp_instructions, 2039808)
        for before, after in zip(seen, seen[1:]):
            self.assertLessEqual(before.share, after.share)
            self.assertLessEqual(before.warp_instructions, after.warp_instructions)
        self.assertIs(type(last), heddle.Progress)

    def test_an_error_of_the_progress_function_stops_the_run(self):
        class Enough(Exception):
            pass

        def stop(_):
            raise Enough
        begin = time.monotonic()
        with self.assertRaises(Enough):
            heddle.run(self.capture("a", blocks=200_000), progress=stop)
        self.assertLess(time.monotonic() - begin, 20)

    def test_other_threads_go_on(self):
        turns, stop = [0], threading.Event()

        def work():
            while not stop.is_set():
                turns[0] += 1
                time.sleep(0.001)
        thread = threading.Thread(target=work)
        thread.start()
        before = turns[0]
        heddle.run(os.path.join(TRACES, "softmax"))
        during = turns[0] - before
        stop.set()
        thread.join()
        self.assertGreater(during, 20)  # of the 300 in the 0.3 s and more that it takes; with the GIL held none

    def test_runs_side_by_side(self):
        path = self.capture("a", kernels=2)
        results = [None] * 4

        def work(i):
            results[i] = heddle.run(path)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual({tuple(r.launches["cycles"]) for r in results}, {tuple(results[0].launches["cycles"])})

    def test_fidelity_and_overrides(self):
        path = self.capture("a")
        fast = heddle.run(path, gpu="h200", fidelity="fast", set="l2.far_latency=0")
        self.assertEqual((fast.info["fidelity"], fast.info["overrides"]), ("fast", "l2.far_latency=0\n"))
        self.assertEqual(heddle.run(path, gpu=heddle.Config("h200", fidelity="fast")).info["fidelity"], "fast")
        self.raises(heddle.ConfigError, "the Config given has fidelity 'default'", heddle.run, path,
                    gpu=heddle.Config("h200"), fidelity="fast")

    def test_sampling_is_marked(self):
        path = self.capture("a", blocks=40_000, warps=2)
        r = heddle.run(path, sample=True).launches.iloc[0]
        whole = heddle.run(path).launches.iloc[0]
        self.assertFalse(whole.sampled)
        self.assertEqual((whole.cycles_low, whole.cycles_high), (whole.cycles, whole.cycles))
        self.assertTrue(r.sampled)
        self.assertLess(r.cycles_low, r.cycles)
        self.assertGreater(r.cycles_high, r.cycles)

    def test_a_failed_launch(self):
        good, bad = self.capture("a"), self.write("b/kernel-1.traceg", harness.trace_text()[:-200])
        e = self.raises(heddle.TraceError, "kernel-1.traceg", heddle.run, [good, bad])
        self.assertEqual(list(e.results.launches["warp_instructions"]), [8 * WARP_INSTRUCTIONS])
        last = self.capture("c")
        r = heddle.run([good, bad, last], keep_going=True)
        self.assertEqual([t for t, _ in r.launches.index], ["a", "c"])
        self.assertEqual([name for name, _ in r.failures], ["b/1"])
        self.assertIs(type(r.failures[0][1]), heddle.TraceError)

    def test_a_deadlock_says_who_waits(self):
        self.deadlock("stuck")
        e = self.raises(heddle.DeadlockError, ["stuck.traceg", "2 warps cannot go on"], heddle.run,
                        self.path("stuck.traceg"))
        self.assertEqual(len(e.report), 2)
        self.assertIn("block 0 warp 0: at 0x0030 EXIT", e.report[0])
        self.assertEqual(len(e.results), 0)

    def test_another_capability(self):
        path = self.capture("a", capability=80)
        self.raises(heddle.TraceError, ["compute capability 8.0", "'h200' has 9.0"], heddle.run, path)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            heddle.run(path, allow_capability_mismatch=True)
        self.assertEqual([w.category for w in caught], [heddle.HeddleWarning])

    def test_unknown_opcodes_warn(self):
        body = harness.BODY.replace("FADD", "FADDX")
        path = self.capture("a", body=body, blocks=1, warps=1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            r = heddle.run(path)
        self.assertIn("FADDX 1", str(caught[0].message))
        self.assertEqual(r.unknown_opcodes, [{"FADDX": 1}])
        self.raises(heddle.TraceError, "unknown opcodes: FADDX", heddle.run, path, strict=True)

    def test_wrong_arguments(self):
        path = self.capture("a")
        self.raises(heddle.Error, "threads=0: out of range; legal values: 1 to 1024", heddle.run, path, threads=0)
        self.raises(heddle.Error, "give either", heddle.run, path, cpus=2, jobs=2)
        self.raises(heddle.ResultsError, "legal values: error, append, replace", heddle.run, path, out="x", exists="no")


if __name__ == "__main__":
    unittest.main()
