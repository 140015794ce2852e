"""heddle run --profile and --timeline: what is stored by instruction, over time and as spans, on shipped kernels."""
import os
import sqlite3
import unittest

from tests.e2e import shipped

SOFTMAX = os.path.join(shipped.TRACES, "softmax")
PROFILE = ("--profile", "--timeline", "--timeline-warps", "0,5")


class Profile(shipped.HeddleTest):
    def query(self, db, sql):
        with sqlite3.connect(self.path(db)) as c:
            return c.execute(sql).fetchall()

    def test_sums_are_the_counters(self):
        self.ok("run", SOFTMAX, "--gpu", "h200", "--out", "p.db", *PROFILE)
        self.assertEqual(
            self.query("p.db", "SELECT reason, warp_cycles FROM stalls WHERE warp_cycles > 0 ORDER BY reason"),
            self.query("p.db", "SELECT reason, sum(warp_cycles) FROM instruction_stalls GROUP BY reason ORDER BY reason"))
        for column, counter in (("executed", "smsp__inst_executed.sum"),
                                ("threads", "smsp__thread_inst_executed_pred_on.sum"),
                                ("sectors", "l1tex__t_sectors.sum"),
                                ("sector_hits", "l1tex__t_sectors_lookup_hit.sum")):
            with self.subTest(column):
                self.assertEqual(self.query("p.db", f"SELECT sum({column}) FROM instructions"),
                                 self.query("p.db", f"SELECT value FROM counters WHERE name = '{counter}'"))
        series = self.query("p.db", "SELECT s.name, sum(s.value), c.value FROM series s"
                                    " JOIN counters c USING (launch_id, name) GROUP BY s.name")
        self.assertEqual(len(series), 8)
        for name, total, counter in series:
            self.assertEqual(total, counter, name)
        # 512 blocks, and those on SMs 0 and 5, 8 warps each.
        on_two = self.query("p.db", "SELECT count(*) FROM spans WHERE track IN ('SM 0', 'SM 5')")[0][0]
        self.assertEqual(self.query("p.db", "SELECT track LIKE '% warps', count(*) FROM spans GROUP BY 1"),
                         [(0, 512), (1, 8 * on_two)])

    def test_source_lines_reach_every_output(self):
        header = ("-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 4096\n-nregs = 16\n"
                  "-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x7f0400000000\n-local mem base_addr = "
                  "0x7f0375000000\n-accelsim tracer version = 4\n-enable lineinfo = 1\n#traces format = x\n")
        body = ("#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 3\n"
                "41 0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f0000000000 128 0\n"
                "42 0010 ffffffff 1 R3 LDS 1 R4 4 1 0x0 128 0\n43 0020 ffffffff 0 EXIT 0 0 0\n#END_TB\n")
        self.write("k.traceg", header + body)
        self.ok("import", "k.traceg", "-o", "k.heddle")
        for trace in ("k.traceg", "k.heddle"):
            with self.subTest(trace):
                self.assertRegex(self.ok("banks", trace).stdout, r"32  line 42  LDS R3, R4\n")
                self.assertRegex(self.ok("coalesce", trace).stdout, r"32  line 41  LDG.E R2, R4\n")
                for fidelity in ("default", "fast"):
                    self.ok("run", trace, "--gpu", "h200", "--fidelity", fidelity, "--profile", "--out", "s.db", "--force")
                    self.assertEqual(self.query("s.db", "SELECT source_file, source_line, sass FROM instructions"),
                                     [("", 41, "LDG.E R2, R4"), ("", 42, "LDS R3, R4"), ("", 43, "EXIT")])
                self.assertRegex(self.ok("report", "s.db").stdout, r"hot spots(.|\n)*  line 41 ")
        self.write("k.sass", '# function k base 0\n//## File "/home/me/k.cu", line 7\n'
                   "0000 0000000402027981 000ea2000c1e1900 LDG.E R2, [R4] ;\n"
                   "0010 0000000004037984 000e240000000800 LDS R3, [R4] ;\n0020 000000000000794d 000fea0003800000 EXIT ;\n")
        self.assertRegex(self.ok("banks", "k.traceg").stdout, r"32  k.cu:7  LDS R3, \[R4\]\n")

    def test_nothing_else_changes_and_threads_do_not_matter(self):
        self.ok("run", SOFTMAX, "--gpu", "h200", "--out", "plain.db")
        self.ok("run", SOFTMAX, "--gpu", "h200", "--out", "p1.db", "--no-host-timing", *PROFILE)
        self.ok("run", SOFTMAX, "--gpu", "h200", "--out", "p3.db", "--no-host-timing", "--threads", "3", *PROFILE)
        with open(self.path("p1.db"), "rb") as a, open(self.path("p3.db"), "rb") as b:
            self.assertEqual(a.read(), b.read())
        for table in ("launches", "counters", "stalls"):
            self.assertEqual(self.query("plain.db", f"SELECT * FROM {table}"), self.query("p1.db", f"SELECT * FROM {table}"))
        for table in ("series", "instructions", "instruction_stalls", "spans", "dropped_spans"):
            self.assertEqual(self.query("plain.db", f"SELECT count(*) FROM {table}"), [(0,)])

    def test_more_spans_than_the_limit_are_counted(self):
        self.ok("run", SOFTMAX, "--gpu", "h200", "--out", "p.db", "--timeline", "--timeline-limit", "500")
        self.assertEqual(self.query("p.db", "SELECT count(*) FROM spans"), [(500,)])
        self.assertEqual(self.query("p.db", "SELECT spans FROM dropped_spans"), [(12,)])

    def test_options_that_do_not_go_together(self):
        self.fails("run", SOFTMAX, "--gpu", "h200", "--profile", says="--out")
        self.fails("run", SOFTMAX, "--gpu", "h200", "--out", "p.db", "--timeline", "--sample", says="--sample")
        self.fails("run", SOFTMAX, "--gpu", "h200", "--out", "p.db", "--timeline-warps", "0", says="--timeline")
        self.fails("run", SOFTMAX, "--gpu", "h200", "--out", "p.db", "--timeline", "--timeline-warps", "0,132",
                   says="SM 132")


if __name__ == "__main__":
    unittest.main()
