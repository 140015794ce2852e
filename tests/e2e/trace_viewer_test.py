"""Timelines, opened with Catapult's trace viewer, the reader of Chrome's trace format behind chrome://tracing: it reads them
without a warning, and what it has read is what the database says.

Debian's Chromium is built without that page; the viewer itself is in golang-1.19-src, for `go tool trace`."""
import collections
import glob
import os
import sqlite3
import unittest

from tests.e2e import browser, shipped

KERNELS = [os.path.join(shipped.TRACES, n) for n in ("softmax", "vecadd")]
TWO_STREAMS = os.path.join(shipped.ROOT, "traces", "workloads", "two_streams.workload.textproto")
SIDE_BY_SIDE = """
stream { name: "a" } stream { name: "b" } stream { name: "c" }
kernel { name: "k" us: 20 }
thread {
  name: "main"
  call { launch { kernel: "k" stream: "a" } }
  call { launch { kernel: "k" stream: "b" } }
  call { launch { kernel: "k" stream: "c" } }
  call { device_synchronize: 0 }
}
"""
VIEWER = sorted(glob.glob("/usr/share/go-*/src/cmd/trace/static/trace_viewer_full.html"))
MHZ = 1980

# Times of the viewer are in milliseconds, bounds those of all it has read.
PROBE = """
<script>
const found = { errors: window.failures };
const model = new tr.Model();
const options = new tr.importer.ImportOptions();
options.shiftWorldToZero = false;
new tr.importer.Import(model, options).importTraces([document.getElementById("trace").textContent]);
found.warnings = model.importWarnings.map((w) => `${w.type}: ${w.message}`);
found.bounds = [model.bounds.min, model.bounds.max];
found.processes = Object.values(model.processes).map((p) => ({ name: p.name, order: p.sortIndex }));
found.rows = [];
found.slices = [];
found.counters = [];
for (const p of Object.values(model.processes)) {
  for (const t of Object.values(p.threads)) {
    found.rows.push([p.name, t.name, t.sortIndex]);
    for (const s of t.sliceGroup.slices) {
      found.slices.push([p.name, t.name, s.title, s.start, s.duration, s.didNotFinish === true, s.parentSlice === undefined, s.args]);
    }
  }
  for (const c of Object.values(p.counters)) {
    for (const s of c.series) {
      found.counters.push([p.name, c.name, s.name, s.samples.map((x) => [x.timestamp, x.value])]);
    }
  }
}
""" + browser.LEAVE + "</script>"


def ps(milliseconds):
    return round(milliseconds * 1e9)


class TraceViewer(shipped.HeddleTest):
    def view(self, trace):
        """What the viewer makes of a file."""
        if not VIEWER:
            self.skipTest("no trace viewer here: `tools/setup browser` installs it")
        with open(VIEWER[-1], encoding="utf-8") as f:
            viewer = f.read()
        with open(os.path.join(os.path.dirname(VIEWER[-1]), "webcomponents.min.js"), encoding="utf-8") as f:
            components = f.read()
        with open(self.path(trace), encoding="utf-8") as f:
            text = f.read()
        self.assertNotIn("</script", text)
        # In the order in which `go tool trace` loads them.
        self.write("viewer.html", viewer.replace("<template", f"{browser.CATCH}<script>{components}</script><template", 1) +
                   f'<script type="application/json" id="trace">{text}</script>' + PROBE)
        found, _ = browser.found(self, "viewer.html")
        self.assertEqual(found["errors"], [])
        self.assertEqual(found["warnings"], [])
        return found

    def query(self, sql):
        with sqlite3.connect(self.path("r.db")) as c:
            return c.execute(sql).fetchall()

    def test_a_run_of_kernels(self):
        self.ok("run", *KERNELS, "--gpu", "h200", "--out", "r.db", "--profile", "--timeline", "--timeline-warps", "3")
        self.ok("timeline", "r.db", "-o", "t.json")
        found = self.view("t.json")

        tracks = [t for (t,) in self.query("SELECT DISTINCT track FROM spans")]
        self.assertEqual(len(tracks), 132 + 1)
        self.assertEqual(sorted(p["name"] for p in found["processes"]), sorted(["GPU h200"] + tracks))
        in_order = [p["name"] for p in sorted(found["processes"], key=lambda p: p["order"])]
        self.assertEqual(in_order[:5], ["GPU h200", "SM 0", "SM 1", "SM 2", "SM 3"])
        self.assertEqual(in_order[5:7], ["SM 3 warps", "SM 4"])
        lanes = self.query("SELECT DISTINCT track, lane FROM spans")
        kind = lambda track: "warp slot" if track.endswith("warps") else "block slot"
        self.assertEqual(sorted(map(tuple, found["rows"])),
                         sorted([("GPU h200", "kernels", 0)] + [(t, f"{kind(t)} {n}", n) for t, n in lanes]))

        # The second kernel begins where the first ends.
        launches = self.query("SELECT id, cycles FROM launches ORDER BY id")
        offset = {launches[0][0]: 0, launches[1][0]: round(launches[0][1] * 1e6 / MHZ)}
        expected = collections.Counter(
            (track, f"{kind(track)} {lane}", name, offset[launch] + start, end - start)
            for launch, track, lane, name, start, end in self.query("SELECT launch_id, track, lane, name, start_ps, end_ps FROM spans"))
        self.assertGreater(len(expected), 1000)
        read = [s for s in found["slices"] if s[0] != "GPU h200"]
        self.assertEqual(collections.Counter((s[0], s[1], s[2], ps(s[3]), ps(s[4])) for s in read), expected)
        kernels = sorted((s for s in found["slices"] if s[0] == "GPU h200"), key=lambda s: s[3])
        self.assertEqual([(ps(s[3]), ps(s[4]), s[7]["launch"], s[7]["cycles"]) for s in kernels],
                         [(offset[i], round(cycles * 1e6 / MHZ), i, cycles) for i, cycles in launches])
        self.assertEqual({tuple(s[5:7]) for s in found["slices"]}, {(False, True)}, "finished, and none inside another")
        self.assertEqual([ps(b) for b in found["bounds"]], [0, sum(round(c * 1e6 / MHZ) for _, c in launches)])

        # A value holds until the next: value times duration is the database's counter.
        counters = {(name, series): samples for _, name, series, samples in found["counters"]}
        self.assertEqual(len(counters), 1 + 1 + 2 + 2 + 2)
        points = self.query("SELECT count(DISTINCT launch_id || ' ' || cycle) FROM series")[0][0]
        self.assertEqual({len(s) for s in counters.values()}, {points + len(launches)})
        for name, series, counter, factor in (
                ("DRAM, B/ns", "read", "dram__bytes_read.sum", 1000),
                ("DRAM, B/ns", "write", "dram__bytes_write.sum", 1000),
                ("L2, B/ns", "hit", "lts__t_sectors_lookup_hit.sum", 32 * 1000),
                ("warp instructions per cycle and SM", "issued", "smsp__inst_executed.sum", 1e6 / MHZ / 132)):
            with self.subTest(counter):
                samples = sorted(counters[name, series])
                area = sum(v * (ps(end) - ps(start)) for (start, v), (end, _) in zip(samples, samples[1:]))
                total = self.query(f"SELECT sum(value) FROM counters WHERE name = '{counter}'")[0][0]
                self.assertAlmostEqual(area / factor, total, delta=max(1, total) * 1e-3)

    def test_a_run_of_a_host_program(self):
        """As `heddle host` writes it, and by way of the database."""
        self.ok("host", TWO_STREAMS, "--gpu", "h200", "--out", "r.db", "--timeline", "t.json")
        spans = self.query("SELECT track, lane, name, start_ps, end_ps FROM spans")
        self.assertLessEqual({"thread main", "device 0 stream s1", "device 0 copy to device"}, {s[0] for s in spans})
        self.check_host_program(self.view("t.json"), spans)
        self.ok("timeline", "r.db", "-o", "u.json")
        found = self.view("u.json")
        self.assertEqual({p["name"] for p in found["processes"]}, {"GPU h200"} | {s[0] for s in spans})
        self.assertEqual(collections.Counter((s[0], s[1], s[2], ps(s[3]), ps(s[4])) for s in found["slices"]),
                         collections.Counter((t, f"lane {n}", name, a, b - a) for t, n, name, a, b in spans))

    def test_kernels_side_by_side(self):
        """What overlaps on a track is on several rows."""
        self.write("w.workload.textproto", SIDE_BY_SIDE)
        self.ok("host", "w.workload.textproto", "--gpu", "h200", "--out", "r.db", "--timeline", "t.json")
        spans = self.query("SELECT track, lane, name, start_ps, end_ps FROM spans")
        found = self.view("t.json")
        self.check_host_program(found, spans)
        self.assertEqual([r[1] for r in sorted(found["rows"], key=lambda r: r[2]) if "kernels" in r[1]],
                         ["device 0 kernels", "device 0 kernels (2)", "device 0 kernels (3)"])

    def check_host_program(self, found, spans):
        self.assertEqual([p["name"] for p in found["processes"]], ["host program"])
        row = lambda track, lane: f"{track} ({lane + 1})" if lane else track
        self.assertEqual(collections.Counter((s[1], s[2], ps(s[3]), ps(s[4])) for s in found["slices"]),
                         collections.Counter((row(t, n), name, a, b - a) for t, n, name, a, b in spans))
        self.assertEqual([ps(b) for b in found["bounds"]], [0, max(s[4] for s in spans)])
        self.assertEqual({tuple(s[5:7]) for s in found["slices"]}, {(False, True)})

    def test_what_the_viewer_refuses(self):
        """That it would say so."""
        self.write("t.json", '{"traceEvents":[{"ph":"E","name":"a","pid":1,"tid":1,"ts":1},{"ph":"?","name":"b","pid":1,"tid":1,"ts":2}]}')
        with self.assertRaises(AssertionError) as failure:
            self.view("t.json")
        self.assertIn("E phase", str(failure.exception))


if __name__ == "__main__":
    unittest.main()
