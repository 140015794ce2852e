"""All forms of async_forms.py, executed and timed, as PTX and as what ptxas 13.0 made of it: values by hand."""
import lzma
import os
import struct
import unittest

from tests.cli import harness
from tests.cubin import async_forms

CODE = os.path.join("tests", "cubin", "data", "async_forms.cubin.xz")


def npy(data):
    head = f"{{'descr': '<u4', 'fortran_order': False, 'shape': ({len(data) // 4},), }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


def words_of(path):
    with open(path, "rb") as f:
        data = f.read()
    data = data[10 + struct.unpack_from("<H", data, 8)[0]:]
    return list(struct.unpack(f"<{len(data) // 4}I", data))


class AsyncForms(harness.HeddleTest):
    def setUp(self):
        super().setUp()
        with open(self.path("in.npy"), "wb") as f:
            f.write(npy(async_forms.INPUT))
        with lzma.open(CODE) as code, open(self.path("forms.cubin"), "wb") as f:
            f.write(code.read())
        self.write("forms.ptx", async_forms.ptx())

    def check(self, file, *command):
        seen = 0
        for k in async_forms.kernels():
            want = k.words() * k.cluster
            if k.cluster > 1:
                want[-len(async_forms.MULTICAST_SECOND):] = async_forms.MULTICAST_SECOND
            self.ok(*command, self.path(file), "--kernel", k.name, "--grid", k.cluster, "--block", k.threads, "--arg",
                    f"zeros:u32:{len(want)}", "--arg", self.path("in.npy"), "--arg", async_forms.N, "--out-arg", "0=out.npy", "--force")
            with self.subTest(file=file, kernel=k.name):
                got = words_of(self.path("out.npy"))
                self.assertEqual(len(got), len(want))
                differ = [(i // k.threads, i % k.threads, got[i], want[i]) for i in range(len(want)) if got[i] != want[i]]
                self.assertEqual(differ, [], "word, thread, is, should be")
            seen += len(want)
        return seen

    def test_machine_code(self):
        self.assertGreater(self.check("forms.cubin", "exec"), 10000)

    def test_ptx(self):
        self.assertGreater(self.check("forms.ptx", "exec"), 10000)

    def test_timed(self):
        for file in ("forms.cubin", "forms.ptx"):
            self.assertGreater(self.check(file, "run", "--gpu", "h200"), 10000)

    def test_saved(self):
        """Saved in their middle, and resumed: the same time, counters and memory."""
        for file in ("forms.cubin", "forms.ptx"):
            for k in async_forms.kernels():
                def run(*args, file=file, k=k):
                    self.ok("run", file, "--gpu", "h200", "-q", "--kernel", k.name, "--grid", k.cluster, "--block", k.threads, "--arg",
                            f"zeros:u32:{len(k.words()) * k.cluster}", "--arg", "in.npy", "--arg", async_forms.N, "--out-arg",
                            "0=out.npy", "--out", "r.db", "--force", *args)
                    return self.ok("report", "r.db", "--hash").stdout, words_of(self.path("out.npy"))

                with self.subTest(file=file, kernel=k.name):
                    whole = run()
                    (cycles,), = self.query("r.db", "SELECT cycles FROM launches")
                    self.assertEqual(run("--checkpoint", "c", "--checkpoint-at", int(cycles * 0.6)), whole)
                    self.assertEqual(run("--resume", "c", "--threads", 2), whole)


if __name__ == "__main__":
    unittest.main()
