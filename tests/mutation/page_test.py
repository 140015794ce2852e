"""tests/MUTANTS.md and tests/mutants_equivalent.txt are of the sources that there are."""

import unittest
from pathlib import Path

from tools.mutation import page

ROOT = Path()


class Page(unittest.TestCase):
    def test_each_judgement_names_a_change_of_the_sources(self):
        self.assertEqual(page.of_nothing(ROOT, page.judgements(ROOT)), [])

    def test_nine_of_ten_mutants_that_are_drawn_today_are_in_the_page(self):
        new, count = page.unknown(ROOT)
        self.assertEqual(count, 440)
        self.assertLessEqual(new, page.MOST_UNKNOWN * count, "tools/mutate --page makes it anew")

    def test_the_page_has_the_judgements_that_there_are(self):
        text = (ROOT / page.PAGE).read_text()
        for name, why in page.judgements(ROOT).items():
            self.assertIn(why, text, name)


if __name__ == "__main__":
    unittest.main()
