"""README.md and every page it leads to: links lead somewhere, and every command works.

What the commands are and where they run: tools/docs.py. The test reads the checkout itself, not Bazel's copy of it, so that new
pages need no BUILD file.
"""
import glob
import os
import unittest

from tests.e2e import shipped
from tools import docs

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(shipped.SUITE))))
PAGES = docs.Pages(CHECKOUT)


class Docs(shipped.HeddleTest):
    def setUp(self):
        super().setUp()
        self.scratch = docs.Scratch(CHECKOUT, self.dir, shipped.HEDDLE,
                                    glob.glob(os.path.join(shipped.ROOT, "analysis/python/_heddle*.so")))

    def run_here(self, script):
        return self.scratch.run(script)

    def test_links(self):
        for page in PAGES.all():
            for target in PAGES.links(page):
                with self.subTest(page=page, target=target):
                    self.assertTrue(os.path.exists(os.path.join(CHECKOUT, target)))

    def test_every_folder_is_documented_and_linked(self):
        linked = {t for page in PAGES.all() for t in PAGES.links(page)}
        for folder in ("sim", "frontends", "configs", "analysis", "traces", "tools", *(
                f"sim/{d}" for d in sorted(os.listdir(os.path.join(CHECKOUT, "sim")))
                if os.path.isdir(os.path.join(CHECKOUT, "sim", d)))):
            with self.subTest(folder):
                self.assertIn(f"{folder}/README.md", linked)

    def test_commands(self):
        count = 0
        for page in PAGES.all():
            for script in PAGES.commands(page):
                count += 1
                with self.subTest(page=page, script=script):
                    if needs := PAGES.missing(script):
                        self.skipTest(f"{page}: {needs}")
                    p = self.run_here(script)
                    self.assertEqual(p.returncode, 0, p.stdout)
        self.assertGreater(count, 5)

    def test_quickstart_prints_the_report_and_says_where_the_database_is(self):
        p = self.run_here("tools/quickstart")
        self.assertEqual(p.returncode, 0, p.stdout)
        self.assertIn("NVIDIA H200", p.stdout)
        self.assertIn("655,360 warp instructions", p.stdout)
        self.assertIn(self.path("heddle-quickstart.db"), p.stdout)
        self.assertEqual(self.query("heddle-quickstart.db", "SELECT trace FROM launches"), [("vecadd",)])
        self.assertEqual(self.run_here("tools/quickstart").returncode, 0, "a second time")

    def test_after_quickstart_the_package_is_there_until_it_is_removed(self):
        use = "cd /; /usr/bin/python3 -c 'import heddle; print(heddle.__file__, heddle.Config().topology.sms)'"
        self.assertNotEqual(self.run_here(use).returncode, 0)
        self.assertEqual(self.run_here("tools/quickstart").returncode, 0)
        self.assertEqual(self.run_here(use).stdout, self.path("analysis/python/heddle/__init__.py") + " 132\n")
        self.assertEqual(self.run_here("tools/install-python --remove").returncode, 0)
        self.assertNotEqual(self.run_here(use).returncode, 0)

    def test_the_front_page_has_its_numbers(self):
        front = PAGES.read("README.md")
        for name in ("validation", "example"):
            begin, end = (front.index(f"<!-- {name}: {mark}") for mark in ("begin", "end"))
            self.assertGreater(len(front[begin:end].splitlines()), 5, name)
        self.assertLess(len(front.splitlines()), 285)


if __name__ == "__main__":
    unittest.main()
