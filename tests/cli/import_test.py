"""heddle import, and .heddle files where traces are expected."""
import gzip
import lzma
import os
import unittest

from tests.cli import harness

VERSION_1 = os.path.join(os.getcwd(), "tests", "trace", "data", "version_1.heddle")


class Import(harness.HeddleTest):
    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def hash_of(self, *paths):
        self.ok("run", *paths, "--gpu", "h200", "--out", "h.db", "--force")
        return self.ok("report", "h.db", "--hash").stdout

    def test_a_capture_becomes_a_folder_with_the_same_results(self):
        self.capture("app", kernels=2)
        self.write("app/kernelslist.g", "MemcpyHtoD,0x7f0000000000,4096\nkernel-1.traceg\nkernel-2.traceg\n")
        out = self.ok("import", "app", "-o", "native", "--verify").stdout
        self.assertRegex(out, r"app +2 +8 +96 ")
        self.assertEqual(sorted(os.listdir(self.path("native/app"))),
                         ["kernel-1.heddle", "kernel-2.heddle", "kernelslist.g"])
        self.assertEqual(self.read("native/app/kernelslist.g").decode(),
                         "MemcpyHtoD,0x00007f0000000000,4096\nkernel-1.heddle\nkernel-2.heddle\n")
        want = self.hash_of("app")
        for paths in (["native"], ["native/app"], ["native/app/kernelslist.g"],
                      ["native/app/kernel-1.heddle", "native/app/kernel-2.heddle"]):
            with self.subTest(paths):
                self.assertEqual(self.hash_of(*paths), want)
        os.remove(self.path("native/app/kernelslist.g"))
        self.assertEqual(self.hash_of("native/app"), want)

    def test_compressed_text(self):
        text = harness.trace_text(blocks=7).encode()
        for suffix, data in (("", text), (".gz", gzip.compress(text)), (".xz", lzma.compress(text))):
            with self.subTest(suffix):
                name = f"app/kernel-1.traceg{suffix}"
                os.makedirs(self.path("app"), exist_ok=True)
                with open(self.path(name), "wb") as f:
                    f.write(data)
                self.ok("import", name, "-o", "k.heddle", "--force", "--verify", "--level", "3")
                self.assertEqual(self.hash_of("k.heddle"), self.hash_of(name))
                os.remove(self.path(name))

    def test_equal_input_gives_equal_bytes_for_any_number_of_jobs(self):
        self.capture("app", kernels=3)
        self.ok("import", "app", "-o", "one")
        self.ok("import", "app", "-o", "two", "--jobs", "3")
        for i in (1, 2, 3):
            self.assertEqual(self.read(f"one/app/kernel-{i}.heddle"), self.read(f"two/app/kernel-{i}.heddle"))

    def test_validate_takes_them(self):
        self.capture("app")
        self.ok("import", "app", "-o", "native")
        self.write("t.csv", "name,cycles_median\napp,5000\n")
        outputs = {self.ok("validate", "--reference", "t.csv", "--traces", d, "--gpu", "h200").stdout
                   for d in (".", "native")}
        self.assertEqual(len(outputs), 1)

    def test_where_it_must_not_write(self):
        self.capture("app", kernels=2)
        self.fails("import", "app", "-o", "a.heddle", says=["a.heddle: one file for 2 launches", "directory"])
        self.ok("import", "app/kernel-1.traceg", "-o", "a.heddle")
        before = self.read("a.heddle")
        self.fails("import", "app/kernel-1.traceg", "-o", "a.heddle", says=["a.heddle: exists", "--force"])
        self.assertEqual(self.read("a.heddle"), before)
        self.fails("import", "app", "-o", "a.heddle/x", says="a.heddle/x/app")
        self.fails("import", "app", says="--out")
        self.fails("import", "app", "-o", "", says=["--out", "empty"])
        self.assertEqual(sorted(os.listdir(self.dir)), ["a.heddle", "app"])

    def test_a_heddle_is_written_anew(self):
        self.capture("app")
        self.ok("import", "app/kernel-1.traceg", "-o", "a.heddle", "--level", "3")
        want, quick = self.hash_of("app/kernel-1.traceg"), self.read("a.heddle")
        self.assertEqual(self.hash_of("a.heddle"), want)
        self.ok("import", "a.heddle", "-o", "b.heddle", "--verify")
        self.fails("import", "a.heddle", "-o", "a.heddle", says="a.heddle: exists")
        self.assertEqual(self.read("a.heddle"), quick)
        self.ok("import", "a.heddle", "-o", "a.heddle", "--verify", "--force")
        self.assertNotEqual(self.read("a.heddle"), quick)
        self.assertEqual(self.read("a.heddle"), self.read("b.heddle"))
        self.assertEqual(self.hash_of("a.heddle"), want)
        # Of version 1, without a fingerprint: it is given the one that results have known it by.
        self.ok("import", VERSION_1, "-o", "c.heddle", "--verify")
        self.ok("import", "c.heddle", "-o", "d.heddle")
        self.assertEqual(self.read("c.heddle")[8:12], b"\2\0\0\0")
        self.assertEqual(self.read("d.heddle"), self.read("c.heddle"))

    def test_bad_text_leaves_no_file(self):
        text = harness.trace_text()
        self.write("app/kernel-1.traceg", text[:len(text) * 2 // 3])
        self.fails("import", "app/kernel-1.traceg", "-o", "a.heddle", says="app/kernel-1.traceg")
        self.assertEqual(sorted(os.listdir(self.dir)), ["app"])

    def test_damaged_files(self):
        self.capture("app")
        self.ok("import", "app", "-o", "native")
        good = self.read("native/app/kernel-1.heddle")
        for data, says in ((good[:-40], "truncated"), (good[:len(good) // 2], "truncated"), (b"", "empty"),
                           (good[:30] + bytes([good[30] ^ 1]) + good[31:], "byte 16: the header has"),
                           (b"hello" + good, "byte 0: not a .heddle trace")):
            with self.subTest(says):
                with open(self.path("native/app/kernel-1.heddle"), "wb") as f:
                    f.write(data)
                for path in ("native", "native/app/kernel-1.heddle"):
                    self.fails("run", path, "--gpu", "h200", "--out", "r.db", "--force",
                               says=["native/app/kernel-1.heddle: byte ", says])


if __name__ == "__main__":
    unittest.main()
