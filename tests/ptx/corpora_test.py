"""tools/ptx-corpora: what it reads of tests in Rust."""
import importlib.machinery
import importlib.util
import os
import struct
import unittest

loader = importlib.machinery.SourceFileLoader("corpora", os.path.join(os.getcwd(), "tools", "ptx-corpora"))
corpora = importlib.util.module_from_spec(importlib.util.spec_from_loader("corpora", loader))
loader.exec_module(corpora)


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


if __name__ == "__main__":
    unittest.main()
