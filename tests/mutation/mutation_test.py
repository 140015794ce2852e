"""tools/mutate on files of a few lines: what it finds, what it leaves alone, and that each mutant of a function does
what it says."""

import argparse
import lzma
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from tools.mutation import build, page
from tools.mutation.draw import Draw
from tools.mutation.judge import settled
from tools.mutation.operators import candidates
from tools.mutation.rewrite import rewrite
from tools.mutation.source import Source

SCHEMATA = Path(build.__file__).parent / "schemata.h"


def changes(text):
    return [(m.line, m.kind, m.change()) for m in candidates(Source("sim/x.cc", text))]


def body(statement):
    return "void f() {\n" + statement + "\n}\n"


class Candidates(unittest.TestCase):
    def test_each_operator_has_its_changes(self):
        self.assertEqual(changes(body("return a < b;")), [(2, "comparison", "a < b -> a <= b")])
        self.assertEqual(changes(body("return a == b;")), [(2, "comparison", "a == b -> a != b")])
        self.assertEqual(changes(body("return a - b;")), [(2, "arithmetic", "a - b -> a + b")])
        self.assertEqual(
            changes(body("return g(7);")), [(2, "constant", "7 -> 8"), (2, "constant", "7 -> 6")]
        )
        self.assertEqual(changes(body("return g(0u);")), [(2, "constant", "0u -> 1u")])
        self.assertEqual(changes(body("return g(true);")), [(2, "constant", "true -> false")])
        self.assertEqual(changes(body("return std::min(a, b);")), [(2, "min/max", "min(a, b) -> max")])
        self.assertEqual(changes(body("g(a);")), [(2, "statement", "g(a) -> dropped")])
        self.assertEqual(
            changes(body("x += a;")),
            [(2, "statement", "x += a -> dropped"), (2, "arithmetic", "x += a -> -=")],
        )
        self.assertEqual(
            changes(body("if (a && b) {\n}")),
            [(2, "condition", "if (a && b) -> negated"), (2, "clause", "a -> true"), (2, "clause", "b -> true")],
        )
        self.assertEqual(changes(body("return a || b;")), [(2, "clause", "a -> false"), (2, "clause", "b -> false")])

    def test_what_is_no_code_that_runs_is_left_alone(self):
        for text in (
            "constexpr int k = 3;\n",
            "struct S {\n  int a = 3;\n  std::array<int, 4> b;\n};\n",
            "enum E { kA = 1 };\n",
            body("assert(a < 3);"),
            body("static_assert(sizeof(a) == 4);"),
            body("static const int table[] = {1, 2};"),
            body("constexpr int k = 1 + 2;"),
            body("std::array<int, 4> x;"),
            body("return map<Foo<true, T<int>, 3>, false>;"),
            body("uint64_t addr[32];"),
            body("if constexpr (n < 2) {\n}"),
            body("x.reserve(n);"),
            body("// a < 3"),
            body("const Foo& x = y;"),
            "template <class T, int n = 3>\nvoid f();\n",
        ):
            self.assertEqual(changes(text), [], text)

    def test_the_end_of_a_call_with_a_lambda_is_no_statement(self):
        text = body("each([&](int i) {\n  g(i);\n});")
        self.assertEqual([c for c in changes(text) if c[1] == "statement"],
                         [(2, "statement", "each([&](int i) { g(i); }) -> dropped"), (3, "statement", "g(i) -> dropped")])  # fmt: skip


CODE = """int f(int a, int b) {
  int x = 0;
  if (a < b) {
    x += 10;
  }
  return std::max(x, a - b);
}
"""


class Schemata(unittest.TestCase):
    def test_each_mutant_does_what_it_says_and_none_does_what_the_code_does(self):
        mutants = candidates(Source("sim/x.cc", CODE))
        # Of constants one change each.
        sites, drawn = set(), {}
        for m in mutants:
            if m.site not in sites:
                sites.add(m.site)
                drawn[len(drawn) + 1] = m
        main = """
        #include <cstdio>
        #include <cstdlib>
        #include "schemata.h"
        namespace heddle_mutants {
        uint32_t active = std::atoi(std::getenv("HEDDLE_MUTANT"));
        uint8_t reached[kMax], differs[kMax], nothing[kMax];
        }
        """ + rewrite(CODE, list(drawn.items())) + """
        int main() { std::printf("%d %d %d %d", f(1, 2), f(2, 2), f(9, 2), heddle_mutants::nothing[1]); }
        """
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "x.cc"
            source.write_text(main)
            subprocess.run(
                ["g++", "-std=c++20", "-w", f"-I{SCHEMATA.parent}", str(source), "-o", f"{folder}/x"], check=True
            )
            seen = {}
            for n in [0, *drawn]:
                out = subprocess.run(
                    [f"{folder}/x"], env={**os.environ, "HEDDLE_MUTANT": str(n)}, stdout=subprocess.PIPE, check=True
                )
                seen[drawn[n].change() if n else ""] = out.stdout.decode()
        self.assertEqual(
            seen,
            {
                "": "10 0 7 0",
                "int x = 0 -> 1": "11 1 7 0",
                "if (a < b) -> negated": "0 10 10 0",
                "a < b -> a <= b": "10 10 7 0",
                "x += 10 -> dropped": "0 0 7 0",
                "x += 10 -> -=": "-1 0 7 0",
                "x += 10 -> 11": "11 0 7 0",
                "max(x, a - b) -> min": "-1 0 0 0",
                "a - b -> a + b": "10 4 11 0",
            },
        )


class Drawing(unittest.TestCase):
    def test_a_seed_draws_the_same_and_one_change_a_place(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "sim").mkdir()
            (root / "sim/x.cc").write_text(CODE)
            draw = Draw(root, ["sim/x.cc"], 1)
            first = draw.take(5, set())
            self.assertEqual([m.key() for m in first.values()], [m.key() for m in Draw(root, ["sim/x.cc"], 1).take(5, set()).values()])
            self.assertEqual(len({m.site for m in draw.take(100, set()).values()}), 8)
            # One that does not compile leaves its number to nobody.
            without = draw.take(5, {first[2].key()})
            self.assertEqual(list(without), [1, 3, 4, 5, 6])
            text = draw.rewritten(first)["sim/x.cc"]
            self.assertEqual(text.count("heddle_mutants"), 5)


class RunFolder(unittest.TestCase):
    def test_tests_find_the_root_and_what_is_unpacked_for_them(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ("configs/gpu", "tests/exec/data", "tests/exec/matrix", "tests/cli", ".cache"):
                (root / name).mkdir(parents=True)
            (root / "tests/exec/data/plain").write_text("as it is")
            (root / "tests/exec/data/suite.ptx.xz").write_bytes(lzma.compress(b"unpacked"))
            for _ in range(2):  # what is there is made anew
                run = build.run_folder(root, root / ".cache", ["tests/exec"], ["/oracle/"])
                self.assertEqual((run / "tests/exec/data/suite.ptx").read_text(), "unpacked")
                self.assertEqual((run / "tests/exec/data/plain").read_text(), "as it is")
                for name in ("configs", "tests/cli", "tests/exec/matrix"):
                    self.assertEqual((run / name).resolve(), (root / name).resolve())
            self.assertFalse((root / "tests/exec/data/suite.ptx").exists())


class Page(unittest.TestCase):
    def test_the_share_is_of_those_that_are_not_equivalent(self):
        drawn = {n: m for n, m in enumerate(candidates(Source("sim/x.cc", CODE)), 1)}
        results = {m.key(): {"verdict": "killed", "by": "", "seconds": 1} for m in drawn.values()}
        ms = list(drawn.values())
        for m in ms[:3]:
            results[m.key()]["verdict"] = "survived"
        equivalent = {page.name(ms[0]): "why", page.name(ms[5]): "killed"}
        n = len(ms)
        share = 100 * (n - 3) / (n - 1)
        self.assertEqual(
            page.summary(drawn, results, equivalent),
            f"{n - 3} killed, 2 survived: {share:.1f} % of {n - 1}; 1 equivalent, 0 would not compile",
        )

    def test_a_judgement_that_a_test_contradicts_is_named_with_the_test(self):
        m = candidates(Source("sim/x.cc", CODE))[0]
        killed = {m.key(): {"verdict": "killed", "by": "a case"}}
        self.assertEqual(
            page.misjudged({1: m}, killed, {page.name(m): "why"}),
            [f"tests/mutants_equivalent.txt: {page.name(m)}: it makes a difference, seen by a case"],
        )
        self.assertEqual(page.misjudged({1: m}, killed, {}), [])
        self.assertEqual(page.misjudged({1: m}, {}, {page.name(m): "why"}), [])

    def test_a_verdict_stands_as_long_as_what_has_killed_the_mutant_is_there(self):
        def stands(verdict, by):
            return settled({"verdict": verdict, "by": by}, {"a case", "another"})

        self.assertTrue(stands("killed", "a case"))
        self.assertFalse(stands("killed", "a case of old"))
        self.assertTrue(stands("killed", "(no end)"))
        self.assertTrue(stands("none", ""))
        self.assertFalse(stands("survived", ""))
        self.assertFalse(settled({}, {"a case"}))


class Stale(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "sim").mkdir()
        (self.root / "tests").mkdir()
        (self.root / "sim/x.cc").write_text(CODE)

    def page_of(self, count):
        """Written as tools/mutate has it."""
        draw = Draw(self.root, ["sim/x.cc"], 3)
        drawn = draw.take(count, set())
        results = {m.key(): {"verdict": "killed", "by": "", "seconds": 1, "sources": "s"} for m in drawn.values()}
        options = argparse.Namespace(seed=3)
        (self.root / page.PAGE).write_text(page.text(options, draw, drawn, set(), results, {}, 7, "s"))

    def test_a_judgement_of_what_the_sources_do_not_have_is_named_with_the_file_that_may_have_it(self):
        here = {"sim/x.cc: a < b -> a <= b": "why", "sim/x.cc: a - b -> a + b": "why"}
        self.assertEqual(page.of_nothing(self.root, here), [])
        moved = page.of_nothing(self.root, {"sim/y.cc: x += 10 -> dropped": "why"})
        self.assertEqual(len(moved), 1)
        self.assertIn("sim/y.cc: x += 10 -> dropped: the sources have no such change", moved[0])
        self.assertIn("is in sim/x.cc", moved[0])
        # There is one such comparison.
        self.assertEqual(len(page.of_nothing(self.root, {"sim/x.cc: a < b -> a <= b (2)": "why"})), 1)

    def test_what_is_drawn_and_not_in_the_page_is_counted(self):
        self.page_of(5)
        self.assertEqual(page.unknown(self.root), (0, 5))
        (self.root / "sim/x.cc").write_text("\n\n" + CODE)  # lines that move change nothing
        self.assertEqual(page.unknown(self.root), (0, 5))
        (self.root / "sim/x.cc").rename(self.root / "sim/y.cc")
        self.assertEqual(page.unknown(self.root), (5, 5))


if __name__ == "__main__":
    unittest.main()
