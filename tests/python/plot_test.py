"""Pictures: what they show is what the frames say. Skipped where matplotlib is missing."""
import os
import subprocess
import sys
import unittest

from tests.python.harness import TRACES, PythonTest, environment, heddle

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    matplotlib = None

from heddle import plot  # noqa: E402


def trace(name):
    return os.path.join(TRACES, name)


class Without(PythonTest):
    def test_the_error_names_the_package(self):
        program = "import sys; sys.modules['matplotlib'] = sys.modules['matplotlib.pyplot'] = None; import heddle; heddle.plot.style()"
        p = subprocess.run([sys.executable, "-c", program], env=environment(), stderr=subprocess.PIPE, text=True)
        self.assertIn("apt-get install python3-matplotlib", p.stderr)


@unittest.skipUnless(matplotlib, "no matplotlib: tools/setup notebooks installs it")
class Plot(PythonTest):
    @classmethod
    def setUpClass(cls):
        cls.results = heddle.run([trace("softmax"), trace("ffma8")], profile=True)
        plot.style()

    def tearDown(self):
        plt.close("all")

    def saved(self, ax):
        """The picture's size in bytes; drawing it finds what is wrong with labels."""
        ax.figure.savefig(self.path("p.png"))
        return os.path.getsize(self.path("p.png"))

    def test_stalls_add_up(self):
        ax = plot.stalls(self.results)
        self.assertEqual([t.get_text() for t in ax.get_yticklabels()], ["ffma8", "softmax"])
        widths = [sum(bars[i].get_width() for bars in ax.containers) for i in range(2)]
        for w in widths:
            self.assertAlmostEqual(w, 100)
        first = ax.containers[0]
        shares = self.results.stall_shares
        self.assertAlmostEqual(first[1].get_width(), shares.loc[("softmax", 1), first.get_label()])
        self.assertGreater(self.saved(ax), 5000)

    def test_peak_shares(self):
        ax = plot.peak_shares(self.results, units=3)
        names = [t.get_text() for t in ax.get_xticklabels()]
        self.assertEqual(len(names), 3)
        self.assertEqual([b.get_height() for b in ax.containers[1]],
                         list(self.results.peak_shares.loc[("ffma8", 1), names]))
        # Nothing but multiply-adds, in eight independent chains.
        self.assertGreater(self.results.peak_shares.loc[("ffma8", 1), "FMA"], 60)

    def test_roofline(self):
        ax = plot.roofline(self.results)
        flop = self.results.instructions["flop"].groupby(level="trace").sum()
        points = {line.get_label(): (line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if line.get_marker() == "o"}
        for name in ("softmax", "ffma8"):
            seconds = self.results.launches["seconds"].loc[(name, 1)]
            moved = self.results.counters.loc[(name, 1), ["dram__bytes_read.sum", "dram__bytes_write.sum"]].sum()
            self.assertAlmostEqual(points[name][1] / (flop[name] / seconds), 1)
            self.assertAlmostEqual(points[name][0] / (flop[name] / moved), 1)
        self.assertLess(points["ffma8"][1], heddle.peaks()["fp32"])
        self.raises(heddle.Error, "legal values: dram, l2, l1", plot.roofline, self.results, level="l3")
        self.raises(heddle.ResultsError, "profile=True", plot.roofline, heddle.run(trace("wgmma")))
        self.assertGreater(self.saved(ax), 5000)

    def test_peaks(self):
        peaks = heddle.peaks("h200", set="clocks.core_mhz=1000")
        # 132 SMs, 4 sub-cores, a warp's multiply-add per cycle in the two halves together.
        self.assertEqual(peaks["fp32"], 132 * 4 * 32 * 2 * 1e9)
        self.assertEqual(peaks["fp64"], peaks["fp32"] / 2)
        self.assertAlmostEqual(heddle.peaks()["dram"] / 4.8e12, 1, places=1)

    def test_over_time_has_the_sums(self):
        one = self.results.select("softmax")
        axes = plot.over_time(one)
        x, y = axes[1].lines[0].get_data()
        issued = sum(v * (b - a) for v, a, b in zip(y, [0, *x], x))
        self.assertAlmostEqual(issued / 2039808, 1)
        self.raises(heddle.Error, "one launch is needed, and there are 2", plot.over_time, self.results)
        self.assertGreater(self.saved(axes[0]), 5000)

    def test_hot_spots(self):
        ax = plot.hot_spots(self.results.select("softmax"), count=4)
        labels = [t.get_text() for t in ax.get_yticklabels()]
        self.assertEqual(len(labels), 4)
        stalls = self.results.select("softmax").instruction_stalls.sum(axis=1)
        hottest = stalls.idxmax()[2]
        self.assertTrue(labels[-1].startswith(f"{hottest:04x}  FMNMX"), labels)
        self.raises(heddle.Error, "select()", plot.hot_spots, self.results)
        self.assertGreater(self.saved(ax), 5000)

    def test_occupancy_steps(self):
        curve = heddle.occupancy_curve("h200", "regs", registers=32, block=256)
        ax = plot.occupancy(curve)
        self.assertEqual(list(ax.lines[0].get_ydata()), list(curve["warps"]))
        self.assertIn("limited by registers", [t.get_text() for t in ax.get_legend().get_texts()])

    def test_comparisons(self):
        table = heddle.compare(self.results, os.path.join(TRACES, "suite.csv"))
        cycles = table[table["metric"] == "cycles"]
        ax = plot.agreement(table)
        self.assertEqual(list(ax.lines[0].get_ydata()), list(cycles["simulated"]))
        self.assertEqual(list(ax.lines[0].get_xdata()), list(cycles["measured"]))
        self.raises(heddle.Error, "no values of 'nothing'", plot.agreement, table, "nothing")
        ax = plot.errors(table, spread={"softmax": (10000.0, 20000.0)})
        by_name = dict(zip([t.get_text() for t in ax.get_yticklabels()], [b.get_width() for b in ax.containers[-1]]))
        for name, error in zip(cycles["trace"], cycles["error"]):
            self.assertAlmostEqual(by_name[name], 100 * error)
        self.raises(heddle.Error, "no values of 'nothing'", plot.errors, table, "nothing")
        self.assertGreater(self.saved(ax), 5000)

    def test_heat_map(self):
        frame = self.results.peak_shares.iloc[:, :3].droplevel("launch")
        ax = plot.heat_map(frame, "per cent", text="{:.1f}")
        self.assertEqual([t.get_text() for t in ax.texts], [f"{v:.1f}" for v in frame.to_numpy().flat])
        self.assertGreater(self.saved(ax), 5000)

    def test_own_axes_are_used(self):
        fig, axes = plt.subplots(1, 2)
        self.assertIs(plot.stalls(self.results, ax=axes[1]), axes[1])
        self.assertEqual(plt.get_fignums(), [fig.number])

    def test_every_function_is_documented(self):
        for name in plot.__all__:
            if callable(getattr(plot, name)):
                self.assertIn("Raises:", getattr(plot, name).__doc__)

    def test_the_timeline_of_a_host_program(self):
        w = heddle.Workload()
        s = w.stream("s")
        a, b = w.kernel("a", us=20), w.kernel("b", us=10)
        w.launch(a, stream=s)
        w.launch(b, stream=s)
        w.stream_synchronize(s)
        r = heddle.run_host(w)
        ax = plot.timeline(r, "device 0 kernels|thread")
        self.assertEqual([t.get_text() for t in ax.get_yticklabels()], ["thread main", "device 0 kernels"])
        bars = {c.get_label(): [(round(x.get_x(), 6), round(x.get_width(), 6)) for x in c] for c in ax.containers}
        spans = r.spans[r.spans.track == "device 0 kernels"].set_index("name")
        for name, length in (("a", 20), ("b", 10)):
            self.assertEqual(bars[name], [(round(spans.start_us[name], 6), length)])
        self.assertGreater(self.saved(plot.timeline(r)), 5000)
        with self.assertRaisesRegex(heddle.Error, "no spans; there are: .*device 0 kernels"):
            plot.timeline(r, "nothing")


if __name__ == "__main__":
    unittest.main()
