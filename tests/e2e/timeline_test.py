"""heddle timeline: the trace is what Chrome's format asks for, and says what the database says."""
import collections
import json
import os
import sqlite3
import unittest

from tests.e2e import shipped

KERNELS = [os.path.join(shipped.TRACES, n) for n in ("softmax", "vecadd")]
MHZ = 1980


def ps(microseconds):
    return round(microseconds * 1e6)


class Timeline(shipped.HeddleTest):
    def export(self, *options):
        self.ok("run", *KERNELS, "--gpu", "h200", "--out", "r.db", *options)
        out = self.ok("timeline", "r.db", "-o", "t.json")
        with open(self.path("t.json"), encoding="utf-8") as f:
            return json.load(f)["traceEvents"], out

    def query(self, sql):
        with sqlite3.connect(self.path("r.db")) as c:
            return c.execute(sql).fetchall()

    def check_lanes(self, spans):
        """Spans of a lane do not overlap, or one holds the other."""
        lanes = collections.defaultdict(list)
        for e in spans:
            lanes[e["pid"], e["tid"]].append((ps(e["ts"]), ps(e["ts"]) + ps(e["dur"])))
        for lane in lanes.values():
            open_until = []
            for start, end in sorted(lane, key=lambda s: (s[0], -s[1])):
                while open_until and open_until[-1] <= start:
                    open_until.pop()
                if open_until:
                    self.assertLessEqual(end, open_until[-1])
                open_until.append(end)

    def test_blocks_warps_and_counters(self):
        events, _ = self.export("--profile", "--timeline", "--timeline-warps", "3")
        names = {(e["pid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
        spans = [e for e in events if e["ph"] == "X"]
        self.check_lanes(spans)
        self.assertEqual(len(names), 1 + 132 + 1)
        # Each lane that is used has a name.
        lanes = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.assertEqual({(e["pid"], e["tid"]) for e in spans}, lanes)
        kernels = [e for e in spans if names[e["pid"]] == "GPU h200"]
        launches = self.query("SELECT trace, cycles, grid_x FROM launches ORDER BY id")
        self.assertEqual([(e["name"].split("/")[0], e["args"]["cycles"]) for e in kernels], [l[:2] for l in launches])
        self.assertEqual(kernels[0]["ts"], 0)
        self.assertAlmostEqual(kernels[1]["ts"], kernels[0]["dur"], places=6)
        for e, (_, cycles, _) in zip(kernels, launches):
            self.assertAlmostEqual(e["dur"], cycles / MHZ, places=5)
        blocks = [e for e in spans if names[e["pid"]].startswith("SM ") and "warp" not in e["name"]]
        self.assertEqual(len(blocks), sum(l[2] for l in launches))
        first = [e for e in blocks if e["ts"] < kernels[1]["ts"]]
        self.assertEqual(sorted(e["args"]["block"] for e in first), list(range(512)))
        for e in first:
            self.assertLessEqual(e["ts"] + e["dur"], kernels[0]["dur"])
            self.assertAlmostEqual(e["ts"], e["args"]["start_cycle"] / MHZ, places=5)
        warps = [e for e in spans if names[e["pid"]] == "SM 3 warps"]
        self.assertEqual(len(warps), 8 * sum(names[e["pid"]] == "SM 3" for e in blocks))

        # Counter tracks: value times duration is the database's counter.
        for track, series, counter, factor in (
                ("DRAM, B/ns", "read", "dram__bytes_read.sum", 1000),
                ("L2, B/ns", "hit", "lts__t_sectors_lookup_hit.sum", 32 * 1000),
                ("active warps per SM", "warps", "sm__warps_active.sum", 1e6 / MHZ / 132)):
            with self.subTest(track):
                points = [(ps(e["ts"]), e["args"][series]) for e in events if e["ph"] == "C" and e["name"] == track]
                self.assertEqual(points, sorted(points, key=lambda p: p[0]))
                area = sum(v * (end - start) for (start, v), (end, _) in zip(points, points[1:]))
                total = self.query(f"SELECT sum(value) FROM counters WHERE name = '{counter}'")[0][0]
                self.assertAlmostEqual(area / (total * factor), 1, places=3)

    def test_without_a_profile_there_are_kernels_only(self):
        events, out = self.export()
        self.assertEqual({e["ph"] for e in events}, {"M", "X"})
        self.assertEqual(sum(e["ph"] == "X" for e in events), 2)
        self.assertIn("--profile", out.stderr)

    def test_spans_of_the_host_make_times_absolute(self):
        self.ok("run", KERNELS[0], "--gpu", "h200", "--out", "r.db", "--timeline")
        with sqlite3.connect(self.path("r.db")) as c:
            c.execute("""INSERT INTO spans VALUES (9999, 1, NULL, 'stream 0', 0, 'k "softmax" <1>', 5, 7000005, '')""")
        self.ok("timeline", "r.db", "-o", "t.json")
        with open(self.path("t.json"), encoding="utf-8") as f:
            events = json.load(f)["traceEvents"]
        stream = [e for e in events if e["name"] == 'k "softmax" <1>']
        self.assertEqual([(e["ts"], e["dur"]) for e in stream], [(0.000005, 7.0)])
        self.assertEqual(sum(e["ph"] == "X" for e in events), 513)

    def test_wrong_input(self):
        self.fails("timeline", "none.db", "-o", "t.json", says="none.db")
        self.ok("run", KERNELS[0], "--gpu", "h200", "--out", "r.db")
        self.fails("timeline", "r.db", "-o", "no/such/folder/t.json", says="no/such/folder")
        self.fails("timeline", "r.db", "-o", "t.json", "--run", "2", says="no run 2")
        self.ok("run", KERNELS[0], "--gpu", "h200", "--out", "r.db", "--append")
        self.fails("timeline", "r.db", "-o", "t.json", says="--run")
        self.assertEqual([f for f in os.listdir(self.dir) if "t.json" in f], [])
        self.ok("timeline", "r.db", "-o", "t.json", "--run", "2")


if __name__ == "__main__":
    unittest.main()
