"""Wrong input of every kind: one line that names the file and the place, status 1, no rows in the database.

The wrong traces are the shipped ones with one thing changed.
"""
import gzip
import lzma
import os
import unittest

from tests.e2e import shipped

FOLDER = os.path.join(shipped.TRACES, "chase_l1")
TEXT = b"".join(shipped.unzstd(os.path.join(FOLDER, "kernel-1.traceg.zst"))).decode()
with open(os.path.join(FOLDER, "kernel-1.sass"), encoding="ascii") as sass:
    SASS = sass.read()
with open(os.path.join(FOLDER, "kernel-1.traceg.zst"), "rb") as packed:
    PACKED = packed.read()

TRACE = "app/kernel-1.traceg"
SIDE = "app/kernel-1.sass"


def replaced(text, old, new):
    """The text with its first `old` changed, and the number of that line."""
    assert old in text, old
    return text.replace(old, new, 1), text[:text.index(old)].count("\n") + 1


class Malformed(shipped.HeddleTest):
    def setUp(self):
        super().setUp()
        self.write(TRACE, TEXT)
        self.write(SIDE, SASS)
        self.write("app/kernelslist.g", "kernel-1.traceg\n")

    def rejected(self, *args, says):
        if os.path.exists(self.path("r.db")):
            os.remove(self.path("r.db"))
        p = self.fails(*args, "--out", "r.db", "--quiet", says=says)
        self.assertEqual(p.stderr.count("\n"), 1, p.stderr)
        if os.path.exists(self.path("r.db")):
            for table in ("runs", "launches", "counters", "stalls", "host_timing"):
                self.assertEqual(self.query("r.db", f"SELECT count(*) FROM {table}"), [(0,)])

    def rejects_trace(self, cases, text=TEXT, file=TRACE):
        """Each case: what to replace, by what, how many lines below the error is, what the error says."""
        for old, new, below, says in cases:
            with self.subTest(old=old[:30], new=new):
                changed, line = replaced(text, old, new)
                self.write(file, changed)
                place = f"{file}:{line + below}: " if below is not None else f"{file}:"
                self.rejected("run", "app", "--gpu", "h200", says=[place, *says])
        self.write(file, text)

    def test_the_start_of_all_this_is_good(self):
        self.ok("run", "app", "--gpu", "h200", "--strict")

    def test_headers(self):
        self.rejects_trace([
            ("-accelsim tracer version = 3", "-accelsim tracer version = 9", 0, ["version"]),
            ("-grid dim = (1,1,1)", "-grid dim = (0,1,1)", 0, ["grid dim"]),
            ("-grid dim = (1,1,1)", "-grid dim = many", 0, ["grid dim"]),
            ("-block dim = (1,1,1)", "-block dim = (2048,1,1)", None, []),
            ("-nregs = 22", "-nregs = -1", 0, ["nregs"]),
            ("-kernel name = _Z7k_chasePKjPji\n", "", None, ["kernel name"]),
            ("-binary version = 90", "-binary version = 75", None, ["7.5", "9.0"]),
            ("-cluster dim = (1,1,1)", "-cluster dim = (3,1,1)", None, []),
        ])

    def test_blocks_and_warps(self):
        self.rejects_trace([
            ("-grid dim = (1,1,1)", "-grid dim = (2,1,1)", None, ["block"]),
            ("thread block = 0,0,0", "thread block = 5,0,0", 0, ["5"]),
            ("warp = 0", "warp = 7", 0, ["7"]),
            ("insts = 9247", "insts = 9000", None, ["insts"]),
            ("insts = 9247", "insts = 9300", None, []),
            ("insts = 9247", "insts = lots", 0, ["insts"]),
            ("#END_TB", "", None, []),
            ("#BEGIN_TB", "#BEGIN", 0, []),
        ])

    def test_instructions(self):
        self.rejects_trace([
            ("0010 00000001 1 R2 LDC", "0010 0000000g 1 R2 LDC", 0, ["mask"]),
            ("0010 00000001 1 R2 LDC", "0010 00000001 1 X2 LDC", 0, ["X2"]),
            ("0010 00000001 1 R2 LDC", "0010 00000001 99 R2 LDC", 0, []),
            ("0010 00000001 1 R2 LDC", "7770 00000001 1 R2 LDC", 0, ["kernel-1.sass"]),
            ("0010 00000001 1 R2 LDC", "zzzz 00000001 1 R2 LDC", 0, []),
            ("0010 00000001 1 R2 LDC", "0010 00000001 1 R2 FADD", 0, ["FADD", "LDC"]),
            ("2 0x7f026c000000 0", "7 0x7f026c000000 0", 0, []),
            ("2 0x7f026c000000 0", "1 nowhere 0", 0, ["nowhere"]),
            ("2 0x7f026c000000 0", "2", 0, []),
            ("0160 00000001 1 R7 LDG.E 1 R6 4", "0160 0000000f 1 R7 LDG.E 1 R6 4", 0, []),
            ("0030 00000001 0 ULDC.64 0 0\n", "half a l\n", 0, []),
        ])

    def test_side_files(self):
        self.rejects_trace([
            ("00000a00ff017b82", "digits", 0, ["hexadecimal"]),
            ("0010 00008800ff027b82", "0018 00008800ff027b82", 0, []),
            (SASS, "not a side file\n", 0, []),
        ], text=SASS, file=SIDE)

    def test_extra_files(self):
        for text, says in (("what is this\n", ":1: "), ("9 0 0 0 S 0x0\n", "kernel-1.extra"),
                           ("0 0 99999 100 B 1 0x4400 0 V 1 0x0 0\n", "kernel-1.extra")):
            with self.subTest(text):
                self.write("app/kernel-1.extra", text)
                self.rejected("run", "app", "--gpu", "h200", says=["app/kernel-1.extra", says])

    def test_compressed_files(self):
        os.remove(self.path(TRACE))
        middle = len(PACKED) // 2
        for name, data in {
                "kernel-1.traceg.zst": PACKED[:middle],  # ends early
                "kernel-2.traceg.zst": PACKED[:middle] + bytes(64) + PACKED[middle + 64:],  # damaged
                "kernel-3.traceg.zst": TEXT[:1000].encode(),  # not compressed
                "kernel-4.traceg.zst": b"",
                "kernel-5.traceg.gz": gzip.compress(TEXT.encode())[:-100],
                "kernel-6.traceg.xz": lzma.compress(TEXT.encode())[:-100]}.items():
            with self.subTest(name):
                self.write(f"app/{name}", data)
                self.write(f"app/{name.split('.')[0]}.sass", SASS)
                self.rejected("run", f"app/{name}", "--gpu", "h200", says=f"app/{name}: ")

    def test_paths(self):
        self.rejected("run", "nowhere", "--gpu", "h200", says="nowhere")
        os.mkdir(self.path("empty"))
        self.rejected("run", "empty", "--gpu", "h200", says="empty")
        self.write("list/kernelslist.g", "kernel-1.traceg\n")
        self.rejected("run", "list", "--gpu", "h200", says=["list/kernelslist.g:1: ", "kernel-1.traceg"])
        self.write("list/kernelslist.g", "")
        self.rejected("run", "list", "--gpu", "h200", says="list/kernelslist.g")
        self.write("list/notes.txt", "hello\n")
        self.rejected("run", "list/notes.txt", "--gpu", "h200", says="list/notes.txt")
        self.write("list/kernel-9.traceg", "hello\n")
        self.rejected("run", "list/kernel-9.traceg", "--gpu", "h200", says="list/kernel-9.traceg:")

    def test_kernels_that_cannot_run_on_this_gpu(self):
        shared = TEXT.replace("-shmem = 0", "-shmem = 300000").replace("-shmem dynamic = 0", "-shmem dynamic = 300000")
        for text, says in ((shared, "shared memory"), (TEXT.replace("-nregs = 22", "-nregs = 256"), "registers")):
            with self.subTest(says):
                self.write(TRACE, text)
                self.rejected("run", "app", "--gpu", "h200", says=[TRACE, says])

    def test_configurations(self):
        for says, options in (
                (["h2000", "h200"], ["--gpu", "h2000"]),
                (["l2.wayz"], ["--gpu", "h200", "--set", "l2.wayz=4"]),
                (["l2.ways"], ["--gpu", "h200", "--set", "l2.ways=1000000"]),
                (["l2.ways"], ["--gpu", "h200", "--set", "l2.ways=-1"]),
                (["l2.ways"], ["--gpu", "h200", "--set", "l2.ways=many"]),
                (["l2.ways"], ["--gpu", "h200", "--set", "l2.ways"]),
                (["l2.slices"], ["--gpu", "h200", "--set", "l2.slices=0"]),
                (["carveout_bytes"], ["--gpu", "h200", "--set", "sm.l1.carveout_bytes=[0, 1048576]"]),
                (["sm.l1.carveout_bytes"], ["--gpu", "h200", "--set", "sm.l1.total_bytes=65536"]),
                (["wild"], ["--gpu", "h200", "--fidelity", "wild"]),
                (["bad.textproto:2"], ["--gpu", "bad.textproto"]),
                (["none.textproto"], ["--gpu", "none.textproto"])):
            with self.subTest(options):
                self.write("bad.textproto", "name: \"bad\"\nl2 { ways: }\n")
                self.rejected("run", "app", *options, says=says)

    def test_outputs(self):
        self.rejected("run", "app", "--gpu", "h200", "--summary", "no/such/s.csv", says="no/such/s.csv")
        for out in ("no/such/r.db", "app"):
            self.fails("run", "app", "--gpu", "h200", "--out", out, says=out)
        self.ok("run", "app", "--gpu", "h200", "--out", "old.db")
        before = shipped.dump(self.path("old.db"))
        self.fails("run", "app", "--gpu", "h200", "--out", "old.db", says=["old.db", "--append", "--force"])
        self.assertEqual(before, shipped.dump(self.path("old.db")))
        self.write("notes.db", "not a database " * 100)
        for option in ("--append", "--force"):
            self.fails("run", "app", "--gpu", "h200", "--out", "notes.db", option, says="notes.db")

    def test_command_lines(self):
        self.rejected("run", "app", says="--gpu")
        self.rejected("run", "app", "--gpu", "h200", "--threads", "0", says="--threads")
        self.rejected("run", "app", "--gpu", "h200", "--no-such-option", says="--no-such-option")
        self.fails("frobnicate", says="frobnicate")
        self.fails("report", "none.db", says="none.db")
        self.fails("report", TRACE, says=TRACE)

    def test_references_of_validate(self):
        self.write("traces/chase_l1/kernelslist.g", "kernel-1.traceg\n")
        self.write("traces/chase_l1/kernel-1.traceg", TEXT)
        args = ["validate", "--traces", "traces", "--gpu", "h200", "--reference"]
        self.rejected(*args, "none.csv", says="none.csv")
        for text, says in (("", "t.csv"), ("kernel,cycles\na,1\n", "t.csv:1: "), ("name,cycles\nchase_l1\n", "t.csv:2: "),
                           ("name,cycles\nchase_l1,fast\n", "t.csv:2: "), ("name,cycles\nother,5\n", "traces/other"),
                           ("name,cycles\nchase_l1,\"5\n", "t.csv:2: ")):
            with self.subTest(text):
                self.write("t.csv", text)
                self.rejected(*args, "t.csv", says=says)

    def test_unknown_opcodes_are_classified_and_reported_and_refused_on_demand(self):
        self.write(TRACE, TEXT.replace(" MOV ", " MOVNEW "))
        self.write(SIDE, SASS.replace(" MOV ", " MOVNEW "))
        p = self.ok("run", "app", "--gpu", "h200", "--out", "r.db")
        self.assertIn("heddle: warning: ", p.stderr)
        self.assertIn("MOVNEW", p.stderr)
        self.assertEqual(self.query("r.db", "SELECT opcode FROM unknown_opcodes"), [("MOVNEW",)])
        os.remove(self.path("r.db"))
        self.rejected("run", "app", "--gpu", "h200", "--strict", says=[TRACE, "MOVNEW"])


if __name__ == "__main__":
    unittest.main()
