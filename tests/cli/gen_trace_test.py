"""gen_trace: long traces of a synthetic kernel; and that memory does not grow with a trace's length."""
import os
import subprocess
import unittest

from tests.cli import harness

GEN_TRACE = os.path.join(os.getcwd(), "tools", "gen_trace")


class GenTrace(harness.HeddleTest):
    def gen(self, *args):
        return subprocess.run([GEN_TRACE, *map(str, args)], cwd=self.dir, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def simulate(self, file, *options):
        """Warp instructions, sectors loaded, largest resident set."""
        self.ok("run", file, "--gpu", "h200", "--out", "r.db", "--force", *options)
        return self.query("r.db", """SELECT l.warp_instructions, c.value, h.max_rss_bytes FROM launches l
                                     JOIN counters c ON c.launch_id = l.id JOIN host_timing h ON h.launch_id = l.id
                                     WHERE c.name = 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum'""")[0]

    def test_patterns(self):
        # Per warp: 2 instructions, 5 iterations of LDG, 3 FFMA, IADD3, ISETP, BRA, then 2 instructions.
        warps, loads = 6 * 4, 6 * 4 * 5
        for pattern, sectors in (("stream", 4), ("random", 4), ("gather", 32)):
            with self.subTest(pattern):
                p = self.gen("t.heddle", "--blocks", 6, "--warps", 4, "--iterations", 5, "--ffma", 3,
                             "--pattern", pattern)
                self.assertEqual(p.returncode, 0, p.stderr)
                self.assertIn(f"t.heddle: 6 blocks, {warps * 39} warp instructions, 1 chunks", p.stdout)
                instructions, loaded, _ = self.simulate("t.heddle")
                self.assertEqual(instructions, warps * 39)
                self.assertEqual(loaded, loads * sectors)

    def test_paths(self):
        # Warps of one, two and three iterations.
        self.assertEqual(self.gen("t.heddle", "--blocks", 1, "--warps", 3, "--iterations", 1, "--paths", 3,
                                  "--ffma", 0).returncode, 0)
        self.assertEqual(self.simulate("t.heddle")[0], 3 * 4 + (1 + 2 + 3) * 4)

    def test_errors(self):
        self.assertIn("no/t.heddle: cannot be written", self.gen("no/t.heddle").stderr)
        self.assertNotEqual(self.gen("t.heddle", "--warps", 33).returncode, 0)

    def test_memory_does_not_grow_with_the_trace(self):
        resident = {}
        for blocks in (2000, 12000):
            options = ("--iterations", 10, "--ffma", 2, "--pattern", "random", "--footprint", 16)
            self.assertEqual(self.gen("t.heddle", "--blocks", blocks, *options).returncode, 0)
            instructions, _, resident[blocks] = self.simulate("t.heddle")
            self.assertEqual(instructions, blocks * 8 * (4 + 10 * 6))
        self.assertLess(resident[12000], 1.1 * resident[2000])


if __name__ == "__main__":
    unittest.main()
