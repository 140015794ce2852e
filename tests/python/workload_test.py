"""Host programs from Python: the same as workload files through `heddle host`."""
import json
import unittest

from tests.python.harness import PythonTest, heddle

# Host and device latencies that the figures below are made of.
COSTS = {"host.calls.launch_ns": 3000, "host.latency.submit_ns": 1000, "host.latency.kernel_start_ns": 700,
         "host.latency.kernel_end_ns": 300, "host.latency.spin_ns": 2500, "host.calls.synchronize_ns": 400,
         "host.latency.same_stream_ns": 440, "host.calls.launch_programmatic_ns": 2000,
         **{f"host.first.{one}_ns": 0 for one in ("launch", "module", "module_kernel", "kernel")}}


def gpu():
    return heddle.Config("h200", set=[f"{k}={v}" for k, v in COSTS.items()])


def one_kernel():
    w = heddle.Workload()
    s = w.stream("s")
    w.launch("k", stream=s, us=20)
    w.stream_synchronize(s)
    return w


class Workloads(PythonTest):
    def span(self, r, track, name):
        rows = r.spans[(r.spans.track == track) & (r.spans.name == name)]
        self.assertEqual(len(rows), 1)
        return tuple(round(t, 6) for t in rows.iloc[0][["start_us", "end_us"]])

    def test_one_kernel(self):
        r = heddle.run_host(one_kernel(), gpu=gpu())
        self.assertEqual(self.span(r, "thread main", "cudaLaunchKernel"), (0, 3))
        # The call's 3, 1 to the device, 0.7 to its start; 20; 0.3 to the stream's knowing, 2.5 to the host's.
        self.assertEqual(self.span(r, "device 0 kernels", "k"), (4.7, 24.7))
        self.assertEqual(self.span(r, "device 0 stream s", "k"), (4.7, 25.0))
        self.assertAlmostEqual(r.end_us, 27.5)
        self.assertEqual((r.calls, r.commands, r.blocks, r.deadlock), (2, 1, 0, []))
        busy = r.tracks.set_index("track").busy_us
        self.assertAlmostEqual(busy["device 0 kernels"], 20)
        self.assertAlmostEqual(r.tracks.set_index("track").busy_percent["device 0 kernels"], 100 * 20 / 27.5)
        self.assertEqual(list(r.errors.columns), ["thread", "call", "api", "error", "why"])
        self.assertEqual(len(r.errors), 0)

    def test_it_is_what_the_command_does(self):
        path = self.dir + "/w.workload.textproto"
        w = one_kernel()
        w.save(path)
        timeline = self.dir + "/t.json"
        sets = [x for k, v in COSTS.items() for x in ("--set", f"{k}={v}")]
        self.ok("host", path, "--gpu", "h200", *sets, "--timeline", timeline)
        with open(timeline, encoding="utf-8") as f:
            events = [e for e in json.load(f)["traceEvents"] if e["ph"] == "X"]
        spans = heddle.run_host(path, gpu=gpu()).spans
        self.assertEqual(sorted((e["name"], round(e["ts"], 6), round(e["dur"], 6)) for e in events),
                         sorted((s.name, round(s.start_us, 6), round(s.end_us - s.start_us, 6))
                                for s in spans.itertuples(index=False, name="S")))

    def test_events_and_loops(self):
        w = heddle.Workload()
        s, a, b = w.stream(), w.event(), w.event()
        k = w.kernel("k", us=10)
        w.event_record(a, s)
        with w.repeat(3):
            w.launch(k, stream=s)
        w.event_record(b, s)
        w.event_synchronize(b)
        w.event_elapsed_time(a, b)
        w.event_elapsed_time(b, a)
        r = heddle.run_host(w, gpu=gpu())
        self.assertEqual(len(r.spans[r.spans.track == "device 0 kernels"]), 3)
        row = r.elapsed.iloc[0]
        # calls: record, launch three times, record, synchronize, elapsed
        self.assertEqual((row["thread"], row["call"], row["from"], row["to"]), ("main", 7, "event1", "event2"))
        self.assertGreater(row["us"], 30)
        self.assertEqual(r.elapsed.iloc[1]["us"], -row["us"])

    def test_programmatic_launch(self):
        w = heddle.Workload(environment={"CUDA_MODULE_LOADING": "EAGER"})  # else loading separates the two
        s = w.stream("s")
        first = w.kernel("first", 132, 128, block_us=20, trigger_us=5)
        second = w.kernel("second", 132, 128, block_us=10, wait_us=2)
        w.launch(first, stream=s)
        w.launch(second, stream=s, programmatic=True)
        w.stream_synchronize(s)
        r = heddle.run_host(w, gpu=gpu())
        self.assertLess(self.span(r, "device 0 kernels", "second")[0], self.span(r, "device 0 kernels", "first")[1])
        self.assertEqual(r.blocks, 264)

    def test_errors_are_values(self):
        w = heddle.Workload()
        w.launch("k", grid=1, block=1025, block_us=1)
        w.call("get_last_error: true")
        r = heddle.run_host(w)
        self.assertEqual(list(r.errors.error), ["cudaErrorInvalidConfiguration"])
        self.assertEqual(list(r.answers.answer), ["cudaErrorInvalidConfiguration"])

    def test_threads_flags_and_a_deadlock(self):
        w = heddle.Workload()
        f = w.flag()
        w.wait_flag(f)
        self.assertEqual(heddle.run_host(w).deadlock,
                         ["thread main ((wait for flag), line 4) waits for flag flag1, which nothing sets"])
        with w.thread("other"):
            w.compute(7)
            w.set_flag(f)
        r = heddle.run_host(w)
        self.assertEqual((r.deadlock, round(r.end_us, 6)), ([], 7))

    def test_races_are_found(self):
        w = heddle.Workload()
        a, b, e = w.stream("a"), w.stream("b"), w.event()
        host, dev = w.pinned(4096), w.device(4096, "d")
        k = w.kernel("k", us=5, reads=[dev])
        w.memcpy_async(dev, host, stream=a)
        w.launch(k, stream=b)
        w.call("device_synchronize: 0")
        f = heddle.run_host(w, check=True).findings
        self.assertEqual(f.values.tolist(),
                         [["race", "d", "main", 2, "cudaLaunchKernel k", "main", 1, "cudaMemcpyAsync", 1]])
        self.assertEqual(len(heddle.run_host(w).findings), 0)
        w = heddle.Workload()
        a, b, e = w.stream("a"), w.stream("b"), w.event()
        host, dev = w.pinned(4096), w.device(4096, "d")
        k = w.kernel("k", us=5, reads=[dev])
        w.memcpy_async(dev, host, stream=a)
        w.event_record(e, a)
        w.stream_wait_event(b, e)
        w.launch(k, stream=b)
        self.assertEqual(len(heddle.run_host(w, check=True).findings), 0)

    def test_counters(self):
        def peak(size):
            w = heddle.Workload()
            w.device(size)
            return heddle.run_host(w, gpu()).counters["device 0 memory peak bytes"]

        self.assertEqual(peak(8 << 20) - peak(2 << 20), 6 << 20)

    def test_wrong_programs(self):
        w, other = heddle.Workload(), heddle.Workload()
        s = w.stream("s")
        self.raises(heddle.Error, 'stream "s" is given twice', w.stream, "s")
        self.raises(heddle.Error, "is no stream of this workload", other.stream_synchronize, s)
        self.raises(heddle.Error, "is no buffer of this workload", w.memset_async, s)
        self.raises(heddle.Error, "legal values: device, pinned", w.buffer, 4, "texture")
        self.raises(heddle.Error, "one to three whole numbers", w.kernel, "k", (1, 2, 3, 4))
        w.call("no_such_call: 1")
        self.raises(heddle.Error, ["workload:", "no_such_call"], heddle.run_host, w)
        self.raises(heddle.Error, "needs its time: one of us, block_us, trace and module", w.kernel, "k", 4, 32)
        self.raises(heddle.Error, "a grid needs a block", w.kernel, "k", 4, us=1)
        self.raises(heddle.Error, "no argument 'register'; legal: max_threads", w.kernel, "k", us=1, register=4)

    def test_numbers_of_other_libraries(self):
        class Whole:  # as numpy's integers
            def __init__(self, value):
                self.value = value

            def __index__(self):
                return self.value

        class Real:  # and its floats
            def __init__(self, value):
                self.value = value

            def __float__(self):
                return self.value

        w = heddle.Workload()
        buffer = w.device(Whole(4096), "d")
        k = w.kernel("k", grid=Whole(4), block=(Whole(32), 2), block_us=Real(2.0))
        with w.repeat(Whole(3)):
            w.launch(k)
        w.memset(buffer, Whole(16))
        w.compute(Real(7.5))
        w.device_synchronize()
        self.assertEqual(heddle.run_host(w).blocks, 12)
        g = w.graph_create()
        first = w.graph_add_kernel_node(g, k)
        for after in (first, (first, "programmatic"), [first], [(first, "launch_completion")], (first, first)):
            w.graph_add_kernel_node(g, k, after=after)
        self.assertIn("after: \"k\"", w.text())
        for call, value, what in ((w.compute, float("nan"), "compute_us=nan: microseconds, legal: 0 to 1e9"),
                                  (w.compute, -1, "compute_us=-1"), (w.launch_host_func, float("inf"), "us=inf"),
                                  (w.device, 1.5, "bytes=1.5: a whole number"), (w.device, -4, "bytes=-4: out of range")):
            with self.subTest(what=what):
                self.raises(heddle.Error, what, call, value)

    def test_errors_name_the_line_of_python(self):
        def here():
            import sys
            return f"{__file__}:{sys._getframe(1).f_lineno - 1}: "

        w = heddle.Workload()
        s = w.stream("s")
        d = w.device(64, "d")
        k = w.kernel("k", us=1)
        with w.repeat(2):
            w.launch(k, stream=s)
            w.launch(k, stream=s, accesses=[w.access(d, "write", offset=65)])
            line = here()
        self.raises(heddle.Error, [line + "workload:", "an access to 0 bytes from 65 on"], heddle.run_host, w)
        w = heddle.Workload()
        w.device(1 << 40, "large")
        line = here()
        self.raises(heddle.Error, [line + "workload:", "buffer large: "], heddle.run_host, w)
        w = heddle.Workload()
        g, k = w.graph_create(), w.kernel("k", us=1)
        w.graph_add_kernel_node(g, k)
        w.graph_add_kernel_node(g, k, priority=1 << 40)
        line = here()
        self.raises(heddle.Error, [line + "workload:"], w.save, self.dir + "/x.workload.textproto")

    def test_limits(self):
        w = one_kernel()
        with w.repeat(100):
            w.get_last_error()
        r = heddle.run_host(w, limits={"spans": 10, "records": 5})
        self.assertEqual((len(r.spans), len(r.answers)), (10, 5))
        self.assertEqual((r.left_out["answers"], r.left_out["errors"]), (95, 0))
        self.assertGreater(r.left_out["spans"], 90)
        self.raises(heddle.Error, "no limit \"span\"; legal: steps, commands, nodes, spans, records, findings",
                    heddle.run_host, w, limits={"span": 1})
        self.raises(heddle.Error, "(limit steps, which can be raised)", heddle.run_host, w, limits={"steps": 5})

    def test_waiting_is_not_busy(self):
        tracks = heddle.run_host(one_kernel(), gpu=gpu()).tracks.set_index("track")
        self.assertAlmostEqual(tracks.waiting_us["thread main"], 24.1)  # of 27.5: the launch's 3 and the call's own 0.4
        self.assertAlmostEqual(tracks.busy_us["thread main"], 3.4)
        self.raises(heddle.Error, "nowhere: cannot be read: No such file or directory", heddle.run_host, "nowhere")
        self.raises(heddle.ConfigError, "h300", heddle.run_host, one_kernel(), "h300")


if __name__ == "__main__":
    unittest.main()
