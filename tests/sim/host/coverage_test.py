"""sim/host/COVERAGE.md: complete, and true."""
import glob
import re
import unittest

PAGE = "sim/host/COVERAGE.md"
TESTS = ["tests/sim/host/*/*_test.cc", "tests/workload/*_test.cc", "tests/exec/*_test.cc", "tests/runtime/*_test.cc"]
PROGRAMS = ["tests/python/guide_test.py", "tests/cli/program_command_test.py"]

# Rows of each table of the specification: ids run from 01 to this number.
LAST = {
    "HM": 18, "MD": 7, "AX": 16, "ST": 15, "EV": 6, "PD": 9, "GR": 30, "GC": 10, "GN": 14, "GD": 13,
    "CG": 13, "DP": 17, "VM": 7, "SO": 13, "UM": 19, "MU": 12, "EG": 3, "XI": 3, "ER": 8, "FP": 8, "C": 78,
}


class Coverage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(PAGE, encoding="utf-8") as f:
            cls.text = f.read()
        cls.rows = dict(re.findall(r"^\| ([A-Z]{1,2}\d\d) \| [^|]+ \| ([^|]+) \|$", cls.text, re.M))
        titles = []
        for pattern in TESTS:
            for path in glob.glob(pattern):
                with open(path, encoding="utf-8") as f:
                    titles += re.findall(r'(?:TEST_CASE|SECTION)\("([^"]*)"', f.read())
        for path in PROGRAMS:
            with open(path, encoding="utf-8") as f:
                titles += re.findall(r'def test_\w+\(self\):\n +"""([^"]*)"""', f.read())
        cls.cited = set(re.findall(r"\b[A-Z]{1,2}\d\d\b", " ".join(titles)))

    def test_every_row_of_the_specification_is_there(self):
        expected = {f"{p}{i:02}" for p, last in LAST.items() for i in range(1, last + 1)}
        self.assertEqual(expected, set(self.rows))

    def test_what_is_called_tested_is_named_by_a_test(self):
        tested = {i for i, state in self.rows.items() if state == "tested"}
        self.assertEqual(set(), tested - self.cited)
        self.assertEqual(set(), (self.cited & set(self.rows)) - tested, "tests name these: call them tested")

    def test_the_rest_has_a_reason(self):
        for i, state in self.rows.items():
            if state != "tested":
                self.assertRegex(state, r"^not modelled: \S.+", i)

    def test_the_count(self):
        tested = sum(state == "tested" for state in self.rows.values())
        print(f"{tested} of {len(self.rows)} rows covered")
        self.assertIn(f"{tested} of {len(self.rows)} covered.", self.text)


if __name__ == "__main__":
    unittest.main()
