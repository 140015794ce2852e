"""tools/ptx-corpora: what it reads of tests in Rust and of LLVM, and the oracles beside it."""
import fractions
import importlib.machinery
import importlib.util
import os
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.getcwd(), "tools"))
loader = importlib.machinery.SourceFileLoader("corpora", os.path.join(os.getcwd(), "tools", "ptx-corpora"))
corpora = importlib.util.module_from_spec(importlib.util.spec_from_loader("corpora", loader))
loader.exec_module(corpora)
try:
    import numpy as np
    import ptx_families
    import ptx_oracles
except ImportError:  # no numpy
    np = None


def packed(text):
    return corpora.packed(corpora.evaluated(text))


class Values(unittest.TestCase):
    def test_types(self):
        self.assertEqual(packed("[1u64, 2]"), (struct.pack("<2Q", 1, 2), "u64"))
        self.assertEqual(packed("[0xffu8; 3]"), (b"\xff\xff\xff", "u8"))
        self.assertEqual(packed("[-1]"), (b"\xff\xff\xff\xff", "i32"))
        self.assertEqual(packed("[1.5]"), (struct.pack("<d", 1.5), "f64"))
        self.assertEqual(packed("[1_000i16, -2]"), (struct.pack("<2h", 1000, -2), "i16"))

    def test_expressions(self):
        self.assertEqual(packed("[2.0f32 / 4.0,\n  // a comment\n -1f32]"), (struct.pack("<2f", 0.5, -1), "f32"))
        self.assertEqual(packed("[f32::from_bits(0x3f80_0000)]"), (struct.pack("<f", 1), "f32"))
        self.assertEqual(packed("[half::f16::from_f32(-0.0), half::f16::from_bits(0x38d3)]"), (b"\x00\x80\xd3\x38", "f16"))
        self.assertEqual(packed("[u32::MAX, i64::MIN]")[0][:4], b"\xff\xff\xff\xff")
        self.assertEqual(packed("[f32::INFINITY.to_bits()]"), (struct.pack("<I", 0x7F800000), "u32"))

    def test_what_it_does_not_know(self):
        for text in ("[open()]", "[x; 3]", "[1 + 2]"):
            with self.assertRaises(ValueError):
                corpora.evaluated(text)

    def test_equal(self):
        nan, other = struct.pack("<I", 0x7FC00000), struct.pack("<I", 0x7FFFFFFF)
        self.assertTrue(corpora.same("f32", nan, other))
        self.assertFalse(corpora.same("u32", nan, other))
        self.assertFalse(corpora.same("f32", struct.pack("<f", 1), struct.pack("<f", 2)))


class Tests(unittest.TestCase):
    def test_found(self):
        text = ("macro_rules! test_ptx_warp { }\ntest_ptx!(a, [1u32, 2], [3u32]);\ntest_ptx!(b);\n"
                "test_ptx_warp!(c, [0u32; 64]);\n")
        self.assertEqual(list(corpora.tests_of(text)), [("a", False, "[1u32, 2]", "[3u32]"), ("c", True, None, "[0u32; 64]")])


class Page(unittest.TestCase):
    def test_other_sections_stay(self):
        old = "# Public\n\n## ZLUDA's tests (1)\n\na\n\n## Modules\n\nb\n\n"
        page = corpora.composed(old, {"cccl": "## CCCL's tests\n\nc\n", "llvm": None})
        self.assertEqual(page, corpora.PAGE_HEAD + "\n## ZLUDA's tests (1)\n\na\n\n## Modules\n\nb\n\n## CCCL's tests\n\nc\n")
        self.assertEqual(corpora.composed(page, {}), page)


class Llvm(unittest.TestCase):
    def commands(self, text):
        return list(corpora.llc_commands(text, (("%s", "a.ll"), ("%t", "tmp"))))

    def test_run_lines(self):
        self.assertEqual(self.commands("; RUN: llc < %s -march=nvptx64 \\\n; RUN:   -O0 2>&1 | FileCheck %s\n"),
                         [["llc", "<", "a.ll", "-march=nvptx64", "-O0"]])
        self.assertEqual(self.commands("; RUN: %if ptxas && !ptxas-12.0 %{ llc %s | %ptxas-verify %}"), [["llc", "a.ll"]])
        self.assertEqual(self.commands("# RUN: %python %s --ptx=60 > %t-60.ll"), [["%python", "a.ll", "--ptx=60", ">", "tmp-60.ll"]])
        for line in ("not llc < %s", "opt < %s", "llc -stop-before=x %s", "llc -filetype=null %s", "llc < %S/b.ll"):
            self.assertEqual(self.commands("; RUN: " + line), [], line)

    def test_redirected(self):
        self.assertEqual(corpora.redirected(["llc", "<", "a", "-O0", "-o", "-"]), (["llc", "-O0"], "a", "-"))
        self.assertEqual(corpora.redirected(["x", "y", ">", "z"]), (["x", "y"], None, "z"))

    def test_refused_for_the_same(self):
        said = "heddle: error: d/%s.ptx:3:2: '%s' is for sm_100 and later (legal: others)"
        results = [(n, ("refused", said % (n, i))) for n, i in (("p", "st.a"), ("q", "st.b"), ("r", "ld.c"))] + [("s", ("timed", ""))]
        self.assertEqual(corpora.refused_groups(results), [
            (2, "p", "line 3:2: 'st.a' is for sm_100 and later (legal: others)"),
            (1, "r", "line 3:2: 'ld.c' is for sm_100 and later (legal: others)")])


@unittest.skipIf(np is None, "needs numpy")
class Families(unittest.TestCase):
    def test_module(self):
        case = next(c for c in ptx_families.cases() if c.name == "abs_ftz")
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "src", "testcase"))
            with open(os.path.join(folder, "src", "testcase", "abs.ptx"), "w", encoding="utf-8") as f:
                f.write("abs<FTZ>.f32 a, a;")
            text = ptx_families.module(case, folder)
        self.assertIn(".target sm_90", text)
        self.assertIn(".entry run(.param .u64 input, .param .u64 output)", text)
        self.assertIn("ld.param.u64 output_addr, [output];", text)
        self.assertIn("\nabs.ftz.f32 a, a;\nret;", text)

    def test_cases(self):
        cases = list(ptx_families.cases())
        named = [c for c in cases if c.oracle]
        self.assertEqual(len(named), len({c.name for c in named}))
        self.assertEqual(len(cases), 9 * 2 * 2 * 6 * 9 + sum(c.family != "cvt" for c in cases))
        for case in named[::40]:
            self.assertTrue(all(v.shape == (ptx_families.THREADS,) for v in ptx_families.inputs(case)), case.name)

    def test_cvt_that_must_be_refused(self):
        self.assertTrue(ptx_oracles.no_cvt("s32", "f32", "", False, False))
        self.assertTrue(ptx_oracles.no_cvt("s32", "s32", "", False, True))
        self.assertTrue(ptx_oracles.no_cvt("f32", "f16", "rn", False, False))
        self.assertFalse(ptx_oracles.no_cvt("f16", "f32", "rm", True, True))
        self.assertFalse(ptx_oracles.no_cvt("s16", "s32", "", False, True))

    def direction(self, exact, value, mode):
        """Whether `value`, an f32, is `exact` rounded."""
        up, down = (fractions.Fraction(float(np.nextafter(value, np.float32(to)))) for to in (np.inf, -np.inf))
        value = fractions.Fraction(float(value))
        return {"rm": value <= exact < up, "rp": down < exact <= value, "rz": value <= exact < up if exact >= 0 else down < exact <= value,
                "rn": abs(value - exact) <= min(up - value, value - down) / 2}[mode]

    def test_sums_are_exact(self):
        rng = np.random.default_rng(1)
        m, e = rng.uniform(-2, 2, (3, 400)).astype(np.float32), rng.integers(-60, 60, (3, 400))
        a, b, c = np.ldexp(m, e).astype(np.float32)
        # A half between two numbers, and a little beside it.
        a[0], b[0], c[0] = 1 + 2.0**-12, 1 + 2.0**-12, 2.0**-80
        a[1], b[1], c[1] = 1 + 2.0**-12, 1 + 2.0**-12, -2.0**-80
        for mode in ptx_families.ROUNDINGS:
            p = a.astype(float) * b.astype(float)
            r = ptx_oracles.rounded(ptx_oracles.summed(p, c.astype(float), mode), "f32", mode)
            for i in range(400):
                exact = fractions.Fraction(float(a[i])) * fractions.Fraction(float(b[i])) + fractions.Fraction(float(c[i]))
                self.assertTrue(self.direction(exact, r[i], mode), (mode, a[i], b[i], c[i], r[i]))
        self.assertEqual([float(x) for x in ptx_oracles.rounded(ptx_oracles.summed(np.array([1 + 2.0**-24] * 2), np.array(
            [2.0**-90, -2.0**-90]), "rn"), "f32")], [1 + 2.0**-23, 1])

    def test_edges(self):
        huge = np.array([3.5e38, -3.5e38])
        self.assertEqual(list(ptx_oracles.rounded(huge, "f32", "rz")), [np.finfo(np.float32).max, -np.finfo(np.float32).max])
        self.assertEqual(list(ptx_oracles.rounded(huge, "f32", "rp")), [np.inf, -np.finfo(np.float32).max])
        zero = ptx_oracles.summed(np.array([1.0]), np.array([-1.0]), "rm")
        self.assertTrue(np.signbit(zero[0]))
        self.assertEqual(list(ptx_oracles.clamped(np.array([3e9, -3e9, 1e30]), "s32")), [2**31 - 1, -2**31, 2**31 - 1])
        self.assertEqual(list(ptx_oracles.clamped(np.array([2.0**63, 1e30, -1.0]), "u64")), [2**63, 2**64 - 1, 0])

    def test_eight_bits(self):
        x = np.array([448, 464, 500, -1e9, 2.0**-10, 3 * 2.0**-10, np.nan], np.float32)
        self.assertEqual(list(ptx_oracles.to_fp8(x, "e4m3")), [0x7e, 0x7e, 0x7e, 0xfe, 0, 2, 0x7f])
        self.assertEqual(float(ptx_oracles.fp8("e5m2")[0x7b]), 57344)

    def test_fields(self):
        value, at = np.array([-2**31], np.int32), np.array([31], np.uint32)
        self.assertEqual(int(ptx_oracles.field(value, at, np.array([4], np.uint32), True)[0]), 0xffffffff)
        self.assertEqual(int(ptx_oracles.inserted(np.array([7], np.uint32), np.array([0], np.uint32), at, at)[0]), 0x80000000)
        a, b, c = (np.array([v], np.uint32) for v in (0x04030201, 0x88070605, 0xf740))
        self.assertEqual(int(ptx_oracles.permuted("", a, b, c)[0]), 0xff880501)


if __name__ == "__main__":
    unittest.main()
