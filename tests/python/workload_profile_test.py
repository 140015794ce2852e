"""Workloads from torch.profiler's JSON."""
import gzip
import json
import lzma
import unittest
import warnings

from tests.python.harness import PythonTest, heddle


def x(cat, name, ts, dur, tid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args}


def kernel(name, ts, dur, correlation, stream=7):
    return x("kernel", name, ts, dur, stream, correlation=correlation, device=0, stream=stream, grid=[132, 1, 1], block=[256, 1, 1],
             **{"registers per thread": 32, "shared memory": 1024})


EVENTS = [
    {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},
    x("cpu_op", "aten::mm", 1000, 50),
    x("cuda_runtime", "cudaMemcpyAsync", 1000.0, 8, correlation=1),
    x("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 1010, 20, 7, correlation=1, device=0, stream=7, bytes=1 << 20),
    x("cuda_runtime", "cudaLaunchKernel", 1020.0, 5, correlation=2),
    kernel("mm", 1040, 100, 2),
    x("cuda_runtime", "cudaLaunchKernel", 1035, 5, correlation=3),
    kernel("mm", 1141, 90, 3),
    x("cuda_runtime", "cudaLaunchKernel", 1020.0, 5, 2, correlation=4),
    kernel("side", 1050, 30, 4, 13),
    x("cuda_runtime", "cudaDeviceSynchronize", 1045, 190, correlation=5),
]


class Step:
    """A program on a few streams as the profiler sees it: host calls of 5 us, 1 us apart, work as the GPU would run it."""

    def __init__(self, sync):
        self.events, self.now, self.free, self.records, self.sync = [], 1000.0, {}, {}, sync

    def call(self, name, tid=1, dur=5.0):
        self.events.append(x("cuda_runtime", name, self.now, dur, tid, correlation=len(self.events) + 1))
        self.now += dur + 1
        return len(self.events)

    def said(self, kind, correlation, **args):
        if self.sync:
            self.events.append(x("cuda_sync", kind, self.now, 0, 0, correlation=correlation, device=0, cuda_sync_kind=kind, **args))

    def launch(self, name, stream, us, tid=1):
        correlation, start = self.call("cudaLaunchKernel", tid), max(self.now, self.free.get(stream, 0))
        self.events.append(kernel(name, start, us, correlation, stream))
        self.free[stream] = start + us

    def record(self, event, stream, tid=1):
        self.records[event] = self.call("cudaEventRecord", tid), stream, self.free[stream]

    def wait(self, stream, event, tid=1):
        correlation, (by, of, until) = self.call("cudaStreamWaitEvent", tid), self.records[event]
        self.free[stream] = max(self.free.get(stream, 0), until)
        self.said("Stream Wait Event", correlation, stream=stream, wait_on_stream=of, wait_on_cuda_event_record_corr_id=by)

    def synchronize(self, event, tid=1):
        by, of, until = self.records[event]
        correlation = self.call("cudaEventSynchronize", tid, max(5.0, until - self.now))
        self.said("Event Sync", correlation, stream=0, wait_on_stream=of, wait_on_cuda_event_record_corr_id=by)


def train(s):
    """Four backward kernels of 400 us, each followed by an all-reduce of 300 us; the optimizer waits for the last."""
    for i in range(4):
        s.launch(f"backward {i}", 7, 400)
        s.record(i, 7)
        s.wait(20, i)
        s.launch(f"all_reduce {i}", 20, 300)
    s.record(4, 20)
    s.wait(7, 4)
    s.launch("optimizer", 7, 200)
    s.call("cudaDeviceSynchronize")


class Waits(PythonTest):
    def run_of(self, s, says=()):
        with open(self.dir + "/trace.json", "w", encoding="utf-8") as f:
            json.dump({"traceEvents": s.events, "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "numSms": 132}]}, f)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            w = heddle.Workload.from_profile(self.dir + "/trace.json")
        self.assertEqual(len(said), len(says), [str(e.message) for e in said])
        for text, e in zip(says, said):
            self.assertIn(text, str(e.message))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            r = heddle.run_host(w, gpu="h200")
        self.assertEqual((len(r.errors), r.deadlock), (0, []))
        ran = r.spans[r.spans.track == "device 0 kernels"].set_index("name")
        return w, ran, lambda a, b: self.assertGreaterEqual(ran.start_us[b], ran.end_us[a], f"{b} behind {a}")

    def test_the_order_of_streams(self):
        for sync in (True, False):
            s = Step(sync)
            train(s)
            w, ran, order = self.run_of(s, () if sync else ("cudaStreamWaitEvent, 5 times: for which event and by which stream is a guess",))
            for i in range(4):
                order(f"backward {i}", f"all_reduce {i}")
            order("all_reduce 3", "optimizer")
            self.assertAlmostEqual(ran.end_us["optimizer"] - ran.start_us["backward 0"], 4 * 400 + 300 + 200, delta=25)
            self.assertEqual((w.text().count("call { stream_wait_event {"), w.text().count("call { event_record {")), (5, 5))

    def test_a_wait_of_another_event_than_the_last(self):
        s = Step(True)
        s.launch("a", 7, 500)
        s.record("a", 7)
        s.launch("b", 20, 50)
        s.record("b", 20)
        s.wait(30, "a")
        s.launch("c", 30, 10)
        self.run_of(s)[2]("a", "c")
        # Without what the profiler says of it, the last record (b's) is one that c may have waited for.
        w, ran, order = self.run_of_silent(s)
        order("b", "c")

    def run_of_silent(self, s):
        s.events = [e for e in s.events if e["cat"] != "cuda_sync"]
        return self.run_of(s, ("cudaStreamWaitEvent, 1 times: for which event and by which stream is a guess",))

    def test_threads_wait_for_each_other(self):
        s = Step(True)
        s.launch("a", 7, 500, tid=1)
        s.record("a", 7, tid=1)
        s.wait(20, "a", tid=2)
        s.launch("b", 20, 10, tid=2)
        s.record("b", 20, tid=2)
        s.synchronize("b", tid=1)
        s.launch("c", 7, 10, tid=1)
        w, ran, order = self.run_of(s)
        order("a", "b")
        order("b", "c")
        self.assertEqual(w.text().count("wait_flag"), 2)

    def test_the_stream_that_a_thread_waits_for(self):
        s = Step(True)
        s.launch("long", 20, 500)
        s.launch("short", 7, 10)
        correlation = s.call("cudaStreamSynchronize", dur=500)
        s.said("Stream Sync", correlation, stream=20)
        s.launch("behind", 7, 10)
        self.run_of(s)[2]("long", "behind")

    def test_waits_that_cannot_be_known(self):
        s = Step(False)
        s.launch("a", 7, 500)
        s.call("cudaStreamWaitEvent")  # nothing was recorded
        s.launch("b", 20, 10)
        self.run_of(s, ("cudaStreamWaitEvent, 1 times: for which event is not in the file",))
        s = Step(False)
        s.launch("a", 7, 500)
        s.record("a", 7)
        s.call("cudaStreamWaitEvent")  # of another event: b began before a had ended
        s.launch("b", 20, 10)
        self.run_of(s, ("cudaStreamWaitEvent, 1 times: for which event is not in the file",))
        s = Step(True)
        s.launch("a", 7, 500)
        s.said("Stream Wait Event", s.call("cudaStreamWaitEvent"), stream=20, wait_on_stream=7, wait_on_cuda_event_record_corr_id=-1)
        s.launch("b", 20, 10)
        self.run_of(s, ("1 times: the event's record is not in the file before it",))
        s.events[-3]["args"]["wait_on_stream"] = "x"
        self.run_of(s, ("1 times: the event's record is not in the file before it",))

    def test_the_gpu_of_the_times(self):
        s = Step(True)
        train(s)
        w = self.run_of(s)[0]
        with self.assertWarnsRegex(heddle.HeddleWarning, "kernels last as measured on NVIDIA H200, whatever the GPU: only calls and copies take the times of b200"):
            heddle.run_host(w, gpu="b200")
        path = self.dir + "/trace.json"
        for gpu, says in (("h200", ""), ("h100", "kernels last as measured on NVIDIA H200"), ("b200", "kernels last as measured on NVIDIA H200")):
            self.assertIn(says, self.ok("host", "--from-profile", path, "--gpu", gpu).stderr)
            w.save(self.dir + "/p.workload.textproto", force=True)
            self.assertIn(says, self.ok("host", self.dir + "/p.workload.textproto", "--gpu", gpu).stderr)
        self.assertEqual(self.ok("host", "--from-profile", path, "--gpu", "h200").stderr, "")
        for properties in (None, 3, [], [{"name": 5}], ["x"]):
            with open(path, "w", encoding="utf-8") as f:
                json.dump({"traceEvents": s.events, "deviceProperties": properties}, f)
            self.assertIn("(the profile does not say on which GPU)", self.ok("host", "--from-profile", path, "--gpu", "h200").stderr)


class Profile(PythonTest):
    def file(self, data):
        path = self.dir + "/trace.json"
        with open(path, "w", encoding="utf-8") as f:
            f.write(data if isinstance(data, str) else json.dumps(data))
        return path

    def error(self, events, says):
        return self.raises(heddle.Error, says, heddle.Workload.from_profile, self.file({"traceEvents": events}))

    def test_a_small_program(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            w = heddle.Workload.from_profile(self.file({"schemaVersion": 1, "traceEvents": EVENTS}))
        r = heddle.run_host(w, gpu="h200")
        self.assertEqual((len(r.errors), r.deadlock), (0, []))
        kernels = r.spans[r.spans.track == "device 0 kernels"]
        self.assertEqual(sorted(kernels.name), ["mm", "mm", "side"])
        first, second = kernels[kernels.name == "mm"].itertuples()
        self.assertAlmostEqual(first.end_us - first.start_us, 100, delta=1)
        self.assertAlmostEqual(second.end_us - second.start_us, 90, delta=1)
        self.assertIn("thread 1 2", set(r.tracks.track))
        self.assertTrue(any("H2D" in n for n in r.spans.name))
        host = r.spans[r.spans.track == "thread 1 1"]
        self.assertIn("(host work)", set(host.name))  # between calls
        w.save(self.dir + "/p.workload.textproto")
        self.ok("host", self.dir + "/p.workload.textproto", "--gpu", "h200")

    def test_the_list_alone(self):
        self.assertIn("thread { name: \"1 1\"", heddle.Workload.from_profile(self.file(EVENTS)).text())

    def test_a_graph(self):
        events = [x("cuda_runtime", "cudaGraphLaunch", t, 5, correlation=c) for c, t in ((1, 0), (2, 100))]
        events += [kernel(n, t + i, 1, c) for c, t in ((1, 10), (2, 110)) for i, n in enumerate("abc")]
        r = heddle.run_host(heddle.Workload.from_profile(self.file(events)), gpu="h200")
        self.assertEqual(sorted(r.spans[r.spans.track == "device 0 kernels"].name), list("aabbcc"))
        self.assertEqual(list(r.spans.name).count("cudaGraphLaunch"), 2)
        # Instantiated once, by a thread that the file's own waits for.
        made = r.spans[r.spans.name == "cudaGraphInstantiate"]
        self.assertEqual(list(made.track), ["thread set-up"])
        self.assertGreaterEqual(r.spans[r.spans.name == "cudaGraphLaunch"].start_us.min(), r.spans[r.spans.track == "thread set-up"].end_us.max())

    def test_copies_of_a_graph(self):
        events = [x("cuda_runtime", "cudaGraphLaunch", 0, 5, correlation=1), kernel("a", 10, 1, 1),
                  x("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 12, 3, 7, correlation=1, device=0, stream=7, bytes=1 << 20),
                  x("gpu_memset", "Memset", 16, 1, 7, correlation=1, device=0, stream=7, bytes=4), kernel("b", 18, 1, 1)]
        r = heddle.run_host(heddle.Workload.from_profile(self.file(events)), gpu="h200")
        rows = r.spans[r.spans.track == "device 0 stream default graph graph1"].sort_values("start_us")
        self.assertEqual([n if len(n) == 1 else n.split()[0] for n in rows.name], ["a", "memcpy", "memset", "b"])

    def test_compressed(self):
        plain = heddle.Workload.from_profile(self.file(json.dumps({"traceEvents": EVENTS}))).text()
        for suffix, module, other in ((".gz", gzip, "Not a gzipped file"), (".xz", lzma, "not supported")):
            path = self.dir + "/trace.json" + suffix
            with module.open(path, "wt") as f:
                json.dump({"traceEvents": EVENTS}, f)
            self.assertEqual(heddle.Workload.from_profile(path).text().replace(suffix, ""), plain)
            with open(path, "rb") as f:
                cut = f.read()[:100]
            for text, message in ((cut, "Compressed file ended"), (b"[]" * 20, other)):
                with open(path, "wb") as f:
                    f.write(text)
                self.raises(heddle.Error, message, heddle.Workload.from_profile, path)

    def test_the_command(self):
        path = self.file({"traceEvents": EVENTS})
        out = self.ok("host", "--from-profile", path, "--gpu", "h200").stdout
        heddle.Workload.from_profile(path).save(self.dir + "/p.workload.textproto")
        self.assertEqual(out, self.ok("host", self.dir + "/p.workload.textproto", "--gpu", "h200").stdout)
        lost = self.ok("host", "--from-profile", self.file(EVENTS + [kernel("lost", 5, 1, 99)]), "--gpu", "h200")
        self.assertIn("1 kernels and copies are of no call", lost.stderr)

    def test_the_command_with_what_is_no_profile(self):
        def fails(path, says):
            self.fails("host", "--from-profile", path, "--gpu", "h200", says=says)
        fails(self.dir + "/none.json", "none.json: ")
        fails(self.dir, "is a directory")
        fails(self.file("{\n"), "trace.json:2:1: not JSON")
        fails(self.file("{}"), 'trace.json: no "traceEvents"')
        fails(self.file([{**EVENTS[2], "dur": -1}]), "trace.json: traceEvents[0] ('cudaMemcpyAsync'): dur=-1.0: microseconds, legal: 0 to 1e9")

    def test_what_is_left_out_is_said(self):
        with self.assertWarnsRegex(heddle.HeddleWarning, "1 kernels and copies are of no call"):
            heddle.Workload.from_profile(self.file(EVENTS + [kernel("lost", 5, 1, 99)]))
        with self.assertWarnsRegex(heddle.HeddleWarning, "cudaStreamWaitEvent"):
            heddle.Workload.from_profile(self.file(EVENTS + [x("cuda_runtime", "cudaStreamWaitEvent", 5000, 1, correlation=50)]))

    def test_malformed(self):
        read = heddle.Workload.from_profile
        self.raises(heddle.Error, "No such file", read, self.dir + "/none.json")
        self.raises(heddle.Error, "trace.json:2:1: not JSON", read, self.file("{\n"))
        self.raises(heddle.Error, 'no "traceEvents"', read, self.file("{}"))
        self.raises(heddle.Error, "too deep", read, self.file("[" * 100000))
        self.raises(heddle.Error, "traceEvents[0]: an object", read, self.file("[3]"))
        self.error([], "no calls of CUDA")
        launch = x("cuda_runtime", "cudaLaunchKernel", 0, 5, correlation=1)
        self.error([{**launch, "ts": "soon"}], "traceEvents[0] ('cudaLaunchKernel'): ts='soon': a number")
        self.error([{**launch, "dur": -1}], "dur=-1.0: microseconds")
        self.error([{**launch, "args": 3}], "args: an object")
        self.error([launch, x("kernel", "k", 1, 1, device=0)], "args.correlation=None: a whole number")
        self.error([launch, {**kernel("k", 1, 1, 1), "args": {"correlation": 1, "grid": [1, 2], "block": [1, 1, 1]}}], "three whole numbers")
        self.error([launch, x("gpu_memcpy", "Memcpy", 1, 1, correlation=1, bytes=4)], "a copy's name")
        self.error([launch, x("gpu_memset", "Memset", 1, 1, correlation=1, bytes="x")], "args.bytes='x'")
        self.raises(heddle.Error, "device 2: there are 1", read,
                    self.file([launch, {**kernel("k", 1, 1, 1), "args": {"correlation": 1, "device": 2}}]), 1)


if __name__ == "__main__":
    unittest.main()
