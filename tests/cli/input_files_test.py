"""Input files that are no files, that ask for too much, or whose names could act on a terminal."""
import gzip
import os
import resource
import sqlite3
import unittest

from tests.cli import harness

EVIL = "k\x1b[2J\x07\x9b1m"  # the last one is a C1 control character, two bytes of UTF-8
SHOWN = "k\\x1b[2J\\x07\\xc2\\x9b1m"

FAR = """\
0000 ffffffff 1 R0 S2R 0 0
{pc:08x} ffffffff 1 R5 FADD 2 R3 R3 0
0050 ffffffff 0 EXIT 0 0
"""


class InputFiles(harness.HeddleTest):
    def test_pipes_are_refused(self):
        self.capture("app")
        os.mkdir(self.path("pipes"))
        for name in ("kernel-1.traceg", "list.g", "kernel-1.heddle", "w.textproto", "r.db", "t.csv"):
            os.mkfifo(self.path("pipes", name))
        for name in ("kernel-1.traceg", "list.g", "kernel-1.heddle"):
            with self.subTest(name=name):
                self.fails("run", f"pipes/{name}", "--gpu", "h200", says=f"pipes/{name}: is a pipe")
        self.fails("host", "pipes/w.textproto", "--gpu", "h200", says="pipes/w.textproto: is a pipe")
        self.fails("sweep", "pipes/w.textproto", "--dry-run", says="pipes/w.textproto: cannot be read: no plain file")
        self.fails("validate", "--traces", "app", "--reference", "pipes/t.csv", "--gpu", "h200", says="pipes/t.csv: is a pipe")
        self.fails("report", "pipes/r.db", says="pipes/r.db: is a pipe")
        self.fails("config", "check", "pipes/w.textproto", says="pipes/w.textproto: cannot be read: no plain file")
        for companion in ("sass", "extra"):
            with self.subTest(companion=companion):
                os.mkfifo(self.path(f"app/kernel-1.{companion}"))
                self.fails("run", "app", "--gpu", "h200", says=f"app/kernel-1.{companion}: is a pipe")
                self.fails("import", "app", "-o", "native", says=f"app/kernel-1.{companion}: is a pipe")
                os.remove(self.path(f"app/kernel-1.{companion}"))

    def test_limits_come_from_the_environment(self):
        self.capture("app")
        def run(limits):
            return self.heddle("run", "app", "--gpu", "h200", env={**os.environ, "HEDDLE_LIMITS": limits})

        self.assertEqual(run("warp_instructions=6").returncode, 0)
        p = run("warp_instructions=5")
        self.assertEqual(p.returncode, 1)
        self.assertIn("app/kernel-1.traceg:19: insts = 6 in one warp (legal: up to 5; "
                      "HEDDLE_LIMITS=warp_instructions=N changes that)", p.stderr)
        p = run("instructions=many")
        self.assertEqual(p.returncode, 1)
        self.assertIn("heddle: error: HEDDLE_LIMITS: instructions=many (legal: NAME=N", p.stderr)

    def test_instructions_may_lie_anywhere(self):
        """Memory and time do not go with the largest program counter."""
        cycles = []

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

        for pc in (0x4000, 0xfffffff0):
            name = f"far{pc:x}"
            self.write(f"{name}/kernel-1.traceg", harness.trace_text(body=FAR.format(pc=pc)))
            p = self.heddle("run", f"{name}/kernel-1.traceg", "--gpu", "h200", "--out", f"{name}.db", preexec_fn=limit)
            self.assertEqual(p.returncode, 0, p.stderr)
            cycles.append(self.query(f"{name}.db", "SELECT cycles FROM launches"))
        self.write("base/kernel-1.traceg",
                   harness.trace_text(name="k", body="0000 ffffffff 0 NOP 0 0\n10000010 ffffffff 0 NOP 0 0\n"))
        nop = "0000000000007918 000fc00000000000 NOP ;\n"
        self.write("base/kernel-1.sass",
                   f"# function k base 0\n0000 {nop}# function helper base 268435456\n0000 {nop}0010 {nop}")
        p = self.heddle("run", "base/kernel-1.traceg", "--gpu", "h200", preexec_fn=limit)
        self.assertEqual(p.returncode, 0, p.stderr)

    def test_memory_that_runs_out_names_the_file(self):
        text = harness.trace_text(blocks=1)
        lines = 9_000_000  # a run of 12 bytes each
        os.mkdir(self.path("app"))
        with gzip.open(self.path("app/kernel-1.traceg.gz"), "wt", compresslevel=1) as f:
            f.write(f"{text[:text.index('insts = ')]}insts = {lines}\n")
            for _ in range(lines // 100_000):
                f.write("0000 ffffffff 1 R0 S2R 0 0\n" * 100_000)

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (256 << 20, 256 << 20))

        p = self.heddle("import", "app/kernel-1.traceg.gz", "-o", "native", preexec_fn=limit)
        self.assertEqual(p.returncode, 1)
        self.assertRegex(p.stderr, r"heddle: error: app/kernel-1\.traceg\.gz(:\d+)?: out of memory")

    def test_names_do_not_act_on_terminals(self):
        self.write("evil/kernel-1.traceg", harness.trace_text(name=EVIL))
        run = self.ok("run", "evil/kernel-1.traceg", "--gpu", "h200", "--out", "r.db", "--summary", "s.csv")
        outputs = [run, self.ok("report", "r.db"), self.ok("report", "r.db", "--kernel", "evil"),
                   self.ok("coalesce", "evil/kernel-1.traceg", "--csv", "a.csv"), self.ok("import", "evil/kernel-1.traceg", "-o", "native")]
        texts = [p.stdout + p.stderr for p in outputs]
        for name in ("s.csv", "a.csv"):
            with open(self.path(name)) as f:
                texts.append(f.read())
            self.assertIn(SHOWN, texts[-1])
        self.assertIn(SHOWN, run.stdout)
        for text in texts:
            self.assertEqual([c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0], [])
        # The results keep the name as it is.
        with sqlite3.connect(self.path("r.db")) as c:
            c.text_factory = bytes
            self.assertEqual(c.execute("SELECT kernel FROM launches").fetchall(), [(EVIL.encode(),)])


if __name__ == "__main__":
    unittest.main()
