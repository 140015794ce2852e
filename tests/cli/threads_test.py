"""The program on many host threads: the same results as on one."""
import unittest

from tests.cli import harness


class Threads(harness.HeddleTest):
    def setUp(self):
        super().setUp()
        self.capture("app", kernels=3, blocks=40)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def test_launches_side_by_side_each_on_several_threads(self):
        self.ok("run", "app", "--gpu", "h200", "--jobs", 1, "--threads", 1, "--out", "one.db")
        self.ok("run", "app", "--gpu", "h200", "--jobs", 3, "--threads", 4, "--out", "many.db")
        one, many = (self.ok("report", "--hash", db).stdout.split()[-1] for db in ("one.db", "many.db"))
        self.assertEqual(one, many)

    def test_a_sweep_of_several_workers(self):
        self.write("s.textproto", 'trace: "app"\ngpu: "h200"\naxis { path: "l2.ways" value: "10" value: "20" }\n')
        self.ok("sweep", "s.textproto", "--out", "one", "-j", 1)
        self.ok("sweep", "s.textproto", "--out", "many", "-j", 4)
        self.assertEqual(self.bytes_of("one/results.db"), self.bytes_of("many/results.db"))

    def test_accesses_are_counted_by_all_processors(self):
        for command in ("coalesce", "banks"):
            first = self.ok(command, "app").stdout
            self.assertEqual(first, self.ok(command, "app").stdout)


if __name__ == "__main__":
    unittest.main()
