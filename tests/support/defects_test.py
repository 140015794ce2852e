"""tests/DEFECTS.md: complete, and true."""
import os
import re
import unittest

PAGE = "tests/DEFECTS.md"
NAME = r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)|def (test_\w+)\('


def names_in(path):
    """The test cases of a file."""
    with open(path, encoding="utf-8") as f:
        found = re.findall(NAME, f.read())
    return {method or "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', title)) for title, method in found}


class Defects(unittest.TestCase):
    def test_every_defect_has_tests_that_exist_or_a_reason(self):
        with open(PAGE, encoding="utf-8") as f:
            rows = re.findall(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \|$", f.read(), re.M)
        self.assertEqual([int(number) for number, _, _ in rows], list(range(1, 93)))
        for number, _, text in rows:
            with self.subTest(number):
                tests, _, reason = text.partition("stays: ")
                cited = re.findall(r"`([\w/]+\.(?:cc|py))` ((?:(?!; `|; $).)+)", tests)
                # Nothing in between that is neither a test nor a reason.
                self.assertEqual("; ".join(f"`{path}` {name}" for path, name in cited), tests.removesuffix("; "))
                self.assertTrue(cited or len(reason) > 20)
                for path, name in cited:
                    self.assertTrue(os.path.exists(os.path.join("tests", path)), path)
                    self.assertIn(name, names_in(os.path.join("tests", path)))


if __name__ == "__main__":
    unittest.main()
