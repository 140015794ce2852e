"""Workloads from torch.profiler's JSON."""
import gzip
import json
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
        path = self.dir + "/trace.json.gz"
        with gzip.open(path, "wt") as f:
            json.dump({"traceEvents": EVENTS}, f)
        self.assertEqual(heddle.Workload.from_profile(path).text().replace(".gz", ""), heddle.Workload.from_profile(self.file(json.dumps({"traceEvents": EVENTS}))).text())
        with open(path, "rb") as f:
            cut = f.read()[:100]
        with open(path, "wb") as f:
            f.write(cut)
        self.raises(heddle.Error, "Compressed file ended", heddle.Workload.from_profile, path)

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
