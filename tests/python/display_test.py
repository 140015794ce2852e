"""How objects look at a prompt and in a notebook, Tab, the bar of progress=True."""
import io
import os
import subprocess
import sys
import types
import unittest
from html.parser import HTMLParser
from unittest import mock

from tests.python.harness import PythonTest, TRACES, environment, heddle

PROGRESS = "import sys, heddle; heddle.run(sys.argv[1], progress=True)"


class Balanced(HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text = [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data.strip())


class Display(PythonTest):
    def texts(self, value):
        return [t for t in Balanced(value._repr_html_()).text if t]

    def test_results(self):
        r = heddle.run([os.path.join(TRACES, "vecadd"), self.capture("a<b>")])
        texts = self.texts(r)
        self.assertEqual(texts[0], "2 launches on h200, fidelity default")
        for shown in ("cycles", "us", "vecadd", "a<b>", f"{r.launches.cycles['vecadd'].iloc[0]:,}",
                      f"{r.launches.seconds['vecadd'].iloc[0] * 1e6:.2f}"):
            self.assertIn(shown, texts)

    def test_traces(self):
        t = heddle.load(self.capture("a", kernels=40))
        texts = self.texts(t)
        self.assertIn("a/30", texts)
        self.assertNotIn("a/31", texts)
        self.assertIn("and 10 more", texts)

    def test_configurations(self):
        c = heddle.Config("h200")
        self.assertEqual(self.texts(c)[:4], [repr(c)[1:-1], "topology.sms", "132", "MEASURED"])
        self.assertIn("62,914,560 bytes", self.texts(c))
        self.assertNotIn("l2.ways", self.texts(c))
        c.l2.ways = 10
        texts = self.texts(c)
        self.assertEqual(texts[texts.index("l2.ways") + 1], "10")

    def test_occupancy(self):
        o = heddle.occupancy("h200", registers=96, smem=48 << 10)
        self.assertIn("resident on an SM       2 blocks, 16 warps, 25.0 %", str(o))
        self.assertIn("50,176 bytes a block, of a carve-out of 102,400", str(o))
        self.assertEqual(self.texts(o)[:4], ["resident on an SM", "2 blocks, 16 warps, 25.0 %", "limited by", "registers+shared"])

    def test_tab(self):
        c = heddle.Config("h200")
        self.assertIn("far_latency", dir(c.l2))
        self.assertIn("fp32", c.sm.op._ipython_key_completions_())
        self.assertIn("mem_address_reserve", dir(heddle.Workload()))
        self.assertLessEqual({"run", "sweep", "collect", "plot", "Workload"}, set(dir(heddle)))

    def test_the_bar_is_for_terminals(self):
        p = subprocess.run([sys.executable, "-c", PROGRESS, self.capture("a")], env=environment(), capture_output=True, text=True)
        self.assertEqual((p.returncode, p.stdout, p.stderr), (0, "", ""))

    def test_the_bar(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        with mock.patch.object(sys, "stderr", Terminal()) as err:
            heddle.run([self.capture("a"), self.capture("b")], progress=True)
        last = err.getvalue().split("\r")[-1]
        self.assertRegex(last, r"^#{30} 100 %, 2 of 2, \d+ s *\n$")

    def test_the_bar_of_a_notebook(self):
        shown = []

        class ZMQInteractiveShell:
            pass

        class Handle:
            def update(self, data, raw):
                shown.append(data["text/plain"])

        display = types.ModuleType("IPython.display")
        display.display = lambda data, raw, display_id: Handle()
        ipython = types.ModuleType("IPython")
        ipython.get_ipython = ZMQInteractiveShell
        ipython.display = display
        with mock.patch.dict(sys.modules, {"IPython": ipython, "IPython.display": display}):
            heddle.run(self.capture("a"), progress=True)
        self.assertRegex(shown[-1], r"100 %, 1 of 1")

    def test_several_kernels_beside_silicon(self):
        r = heddle.run([os.path.join(TRACES, n) for n in ("vecadd", "softmax")])
        frame = heddle.compare(r, os.path.join(TRACES, "suite.csv"), metrics=["cycles", "dram__bytes_read.sum"])
        self.assertEqual(frame[["trace", "metric"]].values.tolist(),
                         [[t, m] for t in ("vecadd", "softmax") for m in ("cycles", "dram__bytes_read.sum")])


if __name__ == "__main__":
    unittest.main()
