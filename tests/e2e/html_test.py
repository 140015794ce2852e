"""heddle report --html, opened in headless Chromium: what the page shows is what the database says, sorting works, and
nothing goes wrong on the console. Without a browser (tools/setup browser) only the file itself is looked at."""
import json
import os
import re
import sqlite3
import unittest

from tests.e2e import browser, shipped

SOFTMAX = os.path.join(shipped.TRACES, "softmax")
VECADD = os.path.join(shipped.TRACES, "vecadd")
# Runs in the page behind its own scripts and leaves what it found in an element.
PROBE = """
<script>
const cells = (id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((r) => [...r.cells].map((c) => c.textContent));
const heads = (id) => [...document.querySelectorAll(`#${id} thead th`)].map((h) => h.textContent);
const click = (id, title) => [...document.querySelectorAll(`#${id} thead button`)].filter((b) => b.textContent === title).forEach((b) => b.click());
const found = { errors: window.failures };
found.heads = heads("all");
found.all = cells("all");
click("all", "cycles");
found.byCycles = cells("all");
click("all", "cycles");
found.byCyclesUp = cells("all");
click("all", "trace");
found.byTrace = cells("all");
found.first = document.getElementById("picked").textContent;
found.code = cells("code");
click("code", "% of time");
found.hottest = cells("code");
found.counters = cells("counters");
const search = document.querySelector("input[type=search]");
search.value = "dram__bytes";
search.dispatchEvent(new Event("input"));
found.filtered = cells("counters");
found.points = document.querySelectorAll("circle.point").length;
found.charts = [...document.querySelectorAll("svg")].map((s) => s.getAttribute("aria-label"));
found.facts = [...document.querySelectorAll(".facts b")].map((b) => b.textContent);
document.querySelectorAll("#all tbody tr")[document.querySelectorAll("#all tbody tr").length - 1].click();
found.second = document.getElementById("picked").textContent;
found.runsHeads = heads("runs");
found.runs = cells("runs");
const base = document.getElementById("base");
if (base) {
  base.value = "1";
  base.dispatchEvent(new Event("change"));
  found.rebased = cells("runs");
}
found.units = [...document.querySelectorAll("#roofs .bars > span")].map((s) => s.textContent);
found.axes = [...document.querySelectorAll(".grid .card svg")].map((s) => [...s.querySelectorAll("text[text-anchor=end]")].map((t) => t.textContent));
found.lines = [...document.querySelectorAll(".grid .card")].filter((c) => c.querySelector("svg")).map((c) => ({
  title: c.querySelector("h3").textContent,
  lines: [...c.querySelectorAll("path[fill=none]")].map((p) => p.getAttribute("d").split(/[ML]/).slice(1).map((s) => Number(s.split(",")[1]))) }));
found.titles = [...document.querySelectorAll(".grid .card h3")].map((h) => h.textContent);
const table = document.getElementById("all"), frame = table.parentElement;
found.tableFits = table.scrollWidth <= frame.clientWidth + 1;
found.objects = document.body.innerText.includes("[object");
found.wide = document.documentElement.scrollWidth > innerWidth;
""" + browser.LEAVE + "</script>"


def number(text):
    return int(text.replace(",", ""))


class Html(shipped.HeddleTest):
    def page(self, *options):
        self.ok("report", "r.db", "--html", "r.html", *options)
        with open(self.path("r.html"), encoding="utf-8") as f:
            return f.read()

    def browse(self, page, width=1280):
        self.write("probed.html", page.replace("<head>", "<head>" + browser.CATCH).replace("</body>", PROBE + "</body>"))
        found, console = browser.found(self, "probed.html", width)
        self.assertEqual(console, [])
        self.assertEqual(found["errors"], [])
        self.assertFalse(found["objects"])
        return found

    def query(self, sql):
        with sqlite3.connect(self.path("r.db")) as c:
            return c.execute(sql).fetchall()

    def test_one_file_that_needs_nothing_else(self):
        self.ok("run", VECADD, "--gpu", "h200", "--out", "r.db", "--profile")
        page = self.page()
        # No address but the name of the SVG elements' language.
        self.assertEqual(set(re.findall(r"https?://[^\"' )]*", page)), {"http://www.w3.org/2000/svg"})
        self.assertNotRegex(page, r"<(link|img|iframe|script)[^>]*(src|href)=")
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1))
        launch = data["runs"][0]["launches"][0]
        self.assertEqual([(launch["cycles"],)], self.query("SELECT cycles FROM launches"))
        self.assertEqual([(len(launch["code"]),)], self.query("SELECT count(*) FROM instructions"))
        self.assertEqual(launch["stalls"], dict(self.query("SELECT reason, warp_cycles FROM stalls WHERE warp_cycles > 0")))
        self.assertEqual(sum(launch["series"]["dram__bytes_read.sum"]), launch["counters"]["dram__bytes_read.sum"])

    def test_the_page_in_a_browser(self):
        self.ok("run", VECADD, SOFTMAX, "--gpu", "h200", "--out", "r.db", "--profile")
        found = self.browse(self.page())
        cycles = dict(self.query("SELECT trace, cycles FROM launches"))
        trace, at = found["heads"].index("trace"), found["heads"].index("cycles")
        self.assertEqual({r[trace]: number(r[at]) for r in found["all"]}, cycles)
        self.assertEqual([r[trace] for r in found["byCycles"]], sorted(cycles, key=cycles.get, reverse=True))
        self.assertEqual([r[trace] for r in found["byCyclesUp"]], sorted(cycles, key=cycles.get))
        self.assertEqual([r[trace] for r in found["byTrace"]], sorted(cycles))
        # The longest kernel is shown first; a click shows another.
        self.assertTrue(found["first"].startswith("softmax 1"))
        self.assertTrue(found["second"].startswith("vecadd 1"))
        self.assertIn(f"{cycles['softmax']:,}", found["facts"])

        code = self.query("SELECT pc, sass, executed, sum(warp_cycles) FROM instructions JOIN launches ON launches.id = launch_id"
                          " LEFT JOIN instruction_stalls USING (launch_id, pc) WHERE trace = 'softmax' GROUP BY pc ORDER BY pc")
        self.assertEqual([(int(r[0], 16), r[1], number(r[5] or "0")) for r in found["code"]], [c[:3] for c in code])
        total = sum(c[3] or 0 for c in code)
        hottest = max(code, key=lambda c: c[3] or 0)
        self.assertEqual(found["hottest"][0][:3], [f"{hottest[0]:04x}", hottest[1], f"{100 * hottest[3] / total:.1f}"])
        counters = dict(self.query("SELECT name, value FROM counters JOIN launches ON launches.id = launch_id WHERE trace = 'softmax'"))
        self.assertEqual({r[0] for r in found["counters"]}, set(counters))
        self.assertEqual({r[0]: number(r[1]) for r in found["filtered"]},
                         {n: v for n, v in counters.items() if n.startswith("dram__bytes")})
        self.assertEqual(found["points"], 2 * 3)  # two kernels, per byte of DRAM, L2 and L1
        self.assertEqual(len(found["charts"]), 7)  # the roofline and six over time: two full rows of three
        self.assertEqual(found["runs"], [])

    def test_a_small_kernel_with_a_long_name(self):
        chase = os.path.join(shipped.TRACES, "chase_l1")
        self.ok("run", chase, "--gpu", "h200", "--out", "r.db", "--profile")
        name = "void " + "".join(f"some_namespace_{i}::" for i in range(8)) + "kernel<float, 4>(float*)"
        with sqlite3.connect(self.path("r.db")) as c:
            c.execute("UPDATE launches SET kernel = ?", (name,))
        found = self.browse(self.page(), width=1400)
        # Nothing is above half a per cent, and the busiest units are named all the same.
        self.assertEqual(len(found["units"]), 10)
        self.assertTrue(all(float(u.split("\u2009")[0]) > 0 for u in found["units"][1::2]), found["units"])
        self.assertEqual(len(found["axes"]), len(found["titles"]) - 2)
        for title, labels in zip(found["titles"][2:], found["axes"]):
            self.assertEqual(len(labels), len(set(labels)), (title, labels))
        self.assertTrue(found["tableFits"])

    def test_memory_barriers_are_no_traffic_over_time(self):
        self.ok("run", os.path.join(shipped.TRACES, "chase_l1"), "--gpu", "h200", "--out", "r.db", "--profile")
        ends = self.query("SELECT name, value FROM series WHERE cycle = (SELECT max(cycle) FROM series) AND name LIKE 'lts%'")
        ends = dict(ends)
        # As on silicon: more hits than look-ups.
        self.assertGreater(ends["lts__t_sectors_lookup_hit.sum"], ends["lts__t_sectors.sum"])
        found = self.browse(self.page(), width=1400)
        (chart,) = [c for c in found["lines"] if c["title"] == "Hits, % of the sectors"]
        self.assertTrue(chart["lines"])
        for line in chart["lines"]:
            self.assertGreaterEqual(min(line), 8 - 0.01)  # the chart's top: 100 %
        (chart,) = [c for c in found["lines"] if c["title"] == "L2"]
        # The last interval is no peak: at the axis, near the bottom.
        for line in chart["lines"]:
            self.assertGreater(line[-1], 140)

    def test_runs_are_compared(self):
        self.ok("run", VECADD, "--gpu", "h200", "--out", "r.db")
        self.ok("run", VECADD, "--gpu", "h200", "--set", "l2.far_latency=0", "--out", "r.db", "--append")
        page = self.page()
        one, two = (r[0] for r in self.query("SELECT cycles FROM launches ORDER BY run_id"))
        self.assertNotEqual(one, two)
        found = self.browse(page)
        self.assertEqual(found["runsHeads"], ["kernel", "run 1", "run 2", "ratio"])
        self.assertEqual(found["runs"], [["vecadd/1", f"{one:,}", f"{two:,}", f"{two / one:.3f}"]])
        self.assertEqual(found["rebased"], [["vecadd/1", f"{one:,}", f"{one / two:.3f}", f"{two:,}"]])

    def test_many_runs_are_rows(self):
        self.ok("run", VECADD, "--gpu", "h200", "--out", "r.db")
        for i in range(1, 8):
            self.ok("run", VECADD, "--gpu", "h200", "--set", f"l2.far_latency={20 * i}", "--out", "r.db", "--append")
        page = self.page()
        cycles = [c for (c,) in self.query("SELECT cycles FROM launches ORDER BY run_id")]
        found = self.browse(page)
        self.assertEqual(found["runsHeads"], ["run", "GPU", "changed", "ratio", "kernels", "time in all"])
        self.assertEqual({int(r[0]): r[3] for r in found["runs"]}, {i + 1: f"{c / cycles[0]:.3f}" for i, c in enumerate(cycles)})
        ratios = [float(r[3]) for r in found["runs"]]
        self.assertEqual(ratios, sorted(ratios))
        self.assertIn("l2.far_latency=20", [r[2] for r in found["runs"]])
        self.assertEqual({int(r[0]): r[3] for r in found["rebased"]}, {i + 1: f"{c / cycles[1]:.3f}" for i, c in enumerate(cycles)})

    def test_text_cannot_break_out_and_a_narrow_page_fits(self):
        self.ok("run", VECADD, "--gpu", "h200", "--out", "r.db", "--profile")
        evil = "</script><script>window.failures.push('x')</script><b>&amp;\"'"
        with sqlite3.connect(self.path("r.db")) as c:
            c.execute("UPDATE launches SET kernel = ?, trace = ?", (evil, evil))
            c.execute("UPDATE instructions SET sass = ?", (evil,))
        found = self.browse(self.page(), width=500)
        self.assertIn(evil, found["first"])
        self.assertEqual(found["code"][0][1], evil)
        self.assertFalse(found["wide"])

    def test_a_choice_of_kernels(self):
        self.ok("run", VECADD, SOFTMAX, "--gpu", "h200", "--out", "r.db")
        self.assertNotIn("k_vecadd", self.page("--kernel", "softmax"))
        self.fails("report", "r.db", "--html", "x.html", "--kernel", "none", says="no such results")
        self.assertFalse(os.path.exists(self.path("x.html")))


if __name__ == "__main__":
    unittest.main()
