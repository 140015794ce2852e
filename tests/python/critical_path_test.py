"""What spans say of where they come from, what the end waited for, and the gaps between kernels."""
import pickle
import unittest

from tests.python.harness import PythonTest, heddle


def gpu():
    """Of calls, launches take 5 us; nothing else of the host's takes any time."""
    c = heddle.Config("h200")
    for part in ("calls", "latency", "first"):
        for name in dir(getattr(c.host, part)):
            if name.endswith("_ns"):
                setattr(getattr(c.host, part), name, 0)
    c.host.calls.launch_ns = 5000
    return c


def program():
    w = heddle.Workload("late")
    s = w.stream("s")
    w.launch(w.kernel("a", us=1), stream=s)
    w.compute(2)
    w.launch(w.kernel("b", us=3), stream=s)
    return w


class CriticalPath(PythonTest):
    def test_a_kernel_that_comes_late(self):
        r = heddle.run_host(program(), gpu=gpu())
        self.assertEqual(r.end_us, 15)
        path = r.critical_path()
        self.assertEqual(list(path.itertuples(index=False, name=None)), [
            ("host call", "cudaLaunchKernel", "thread main", 0, 5, 5), ("host work", "(host work)", "thread main", 5, 7, 2),
            ("host call", "cudaLaunchKernel", "thread main", 7, 12, 5), ("kernel", "b", "device 0 kernels", 12, 15, 3)])
        self.assertEqual(path.us.sum(), r.end_us)
        self.assertEqual(list(r.kernel_gaps().itertuples(index=False, name=None)),
                         [("device 0 kernels", "a", "b", 6, 12, 6, "host call", 5)])
        again = pickle.loads(pickle.dumps(r))
        self.assertTrue(again.critical_path().equals(path))
        self.assertTrue(again.spans.equals(r.spans))

    def test_spans(self):
        spans = heddle.run_host(program(), gpu=gpu()).spans
        self.assertEqual(list(spans[spans.track != "device 0 kernels"][["track", "name", "kind", "stream", "call", "correlation"]]
                              .itertuples(index=False, name=None)), [
            ("thread main", "cudaLaunchKernel", "call", "s", 1, 1), ("device 0 stream s", "a", "kernel", "s", 0, 1),
            ("thread main", "(host work)", "call", "", 2, 2), ("thread main", "cudaLaunchKernel", "call", "s", 3, 3),
            ("device 0 stream s", "b", "kernel", "s", 0, 3)])

    def test_without_a_timeline(self):
        r = heddle.run_host(program(), gpu=gpu(), timeline=False)
        self.raises(heddle.Error, "what led to what is not kept", r.critical_path)
        self.raises(heddle.Error, "what led to what is not kept", r.kernel_gaps)


if __name__ == "__main__":
    unittest.main()
