"""Runs the heddle program on small traces that the tests write."""
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest

HEDDLE = os.path.join(os.getcwd(), "tools", "heddle")

# One warp of a vector addition. There is no .sass file, so no control fields.
BODY = """\
0000 ffffffff 1 R0 S2R 0 0
0010 ffffffff 1 R2 IMAD.WIDE 2 R0 R4 0
0020 ffffffff 1 R3 LDG.E 1 R2 4 1 0x{load:x} 4
0030 ffffffff 1 R5 FADD 2 R3 R3 0
0040 ffffffff 0 STG.E 2 R2 R5 4 1 0x{store:x} 4
0050 ffffffff 0 EXIT 0 0
"""
WARP_INSTRUCTIONS = 6


def trace_text(name="_Z6vecaddPfS_", blocks=4, warps=2, capability=90, body=BODY):
    """A text trace; `body` is one warp's instructions."""
    lines = [f"""\
-kernel name = {name}
-kernel id = 1
-grid dim = ({blocks},1,1)
-block dim = ({warps * 32},1,1)
-shmem = 0
-nregs = 32
-binary version = {capability}
-cuda stream id = 0
-shmem base_addr = 0x00007f0400000000
-local mem base_addr = 0x00007f0375000000
-nvbit version = 1.7
-accelsim tracer version = 3

"""]
    count = len(body.strip().splitlines())
    for b in range(blocks):
        lines.append(f"#BEGIN_TB\n\nthread block = {b},0,0\n\n")
        for w in range(warps):
            offset = 128 * (b * warps + w)
            text = body.format(load=0x7f0000000000 + offset, store=0x7f0010000000 + offset)
            lines.append(f"warp = {w}\ninsts = {count}\n{text}\n")
        lines.append("#END_TB\n\n")
    return "".join(lines)


class HeddleTest(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="heddle-cli-")
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def capture(self, name, kernels=1, **kwargs):
        """A directory with `kernels` traces; kernel i has i times as many blocks as the first."""
        blocks = kwargs.pop("blocks", 4)
        files = [f"kernel-{i}.traceg" for i in range(1, kernels + 1)]
        for i, f in enumerate(files, 1):
            self.write(f"{name}/{f}", trace_text(blocks=blocks * i, **kwargs))
        self.write(f"{name}/kernelslist.g", "".join(f + "\n" for f in files))
        return self.path(name)

    def deadlock(self, name, blocks=1):
        """A trace of blocks of two warps, each alone at a barrier that wants both."""
        self.write(name + ".sass", """\
# function _Z5stuckv base 0
0000 0000000000007919 000fea0000002100 S2R R0, SR_TID.X ;
0010 0000000000007b1d 000fea0000010000 BAR.SYNC 0x1, 0x40 ;
0020 0000000000007b1d 000fea0000010000 BAR.SYNC 0x2, 0x40 ;
0030 000000000000794d 000fea0003800000 EXIT ;
""")
        text = trace_text(name="_Z5stuckv", blocks=blocks, warps=2,
                          body="0000 ffffffff 1 R0 S2R 0 0\n0010 ffffffff 0 BAR.SYNC 0 0\n0030 ffffffff 0 EXIT 0 0\n")
        # Of every second warp the other barrier.
        parts = text.split("warp = 1\n")
        self.write(name + ".traceg", parts[0] + "".join(
            "warp = 1\n" + p.replace("0010 ", "0020 ", 1) for p in parts[1:]))

    def heddle(self, *args, **kwargs):
        return subprocess.run([HEDDLE, *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, cwd=self.dir, **kwargs)

    def ok(self, *args):
        p = self.heddle(*args)
        self.assertEqual(p.returncode, 0, p.stderr)
        return p

    def fails(self, *args, says=()):
        """The command ends with status 1 and one line of error that contains each of `says`."""
        p = self.heddle(*args)
        self.assertEqual(p.returncode, 1, p.stderr)
        errors = [line for line in p.stderr.splitlines() if line.startswith("heddle: error: ")]
        self.assertEqual(len(errors), 1, p.stderr)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, errors[0])
        return p

    def busy_worker(self, parent):
        """A process that simulates for `parent` and has used 0.3 s."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for child in self.children(parent):
                for worker in self.children(child):
                    with open(f"/proc/{worker}/stat") as f:
                        if int(f.read().split()[13]) >= 30:
                            return worker
            time.sleep(0.05)
        raise AssertionError("no process simulates")

    @staticmethod
    def children(pid):
        try:
            with open(f"/proc/{pid}/task/{pid}/children") as f:
                return [int(x) for x in f.read().split()]
        except OSError:
            return []

    def query(self, db, sql):
        with sqlite3.connect(self.path(db)) as c:
            return c.execute(sql).fetchall()
