"""The example of an inference server: what it ships for, in a short run."""
import importlib.util
import os
import resource
import time
import unittest

from tests.python.harness import PACKAGE, PythonTest, heddle

PATH = os.path.join(PACKAGE, "examples", "inference_server.py")


def example():
    spec = importlib.util.spec_from_file_location("inference_server", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def p99(ms):
    return sorted(ms)[int(len(ms) * 0.99)]


class Server(PythonTest):
    def test_two_seconds(self):
        serve = example().serve
        before = time.process_time()
        of_kind, r = serve(seconds=2)
        self.assertEqual((r.deadlock, len(r.errors)), ([], 0))
        self.assertEqual(sum(t.startswith("thread ") for t in r.tracks.track), 9)  # and main, which does nothing
        for kind, ms in of_kind.items():
            self.assertAlmostEqual(len(ms), 600, delta=100, msg=kind)
            self.assertGreater(min(ms), 0.4)
        self.assertEqual(serve(seconds=2)[0], of_kind)
        alike, _ = serve(seconds=2, priorities=False)
        self.assertLess(p99(of_kind["interactive"]), p99(alike["interactive"]))
        two, _ = serve(seconds=2, gpus=2)
        self.assertLess(p99(two["bulk"]), p99(of_kind["bulk"]))
        self.assertLess(time.process_time() - before, 60)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 500 << 10)  # KiB

    def test_it_is_short(self):
        with open(PATH, encoding="utf-8") as f:
            self.assertLess(len(f.readlines()), 60)
        self.assertTrue(heddle.Queue)


if __name__ == "__main__":
    unittest.main()
