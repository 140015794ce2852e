"""README.md and every page it leads to: links lead somewhere, and every command works.

Commands are the ```sh blocks, and the ```python blocks of a page, which are one program. One that cannot be run here has a
line `<!-- not run: REASON -->` in front of it. They run in a copy of the checkout's layout with a home of its own, one
page after the other, with `bazel` replaced by nothing: the program has been built. The test reads the checkout itself,
not Bazel's copy of it, so that new pages need no BUILD file.
"""
import glob
import os
import re
import shutil
import subprocess
import unittest

from tests.e2e import shipped

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(shipped.SUITE))))
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^]]*\]\(([^)\s]+)\)")
NOT_RUN = re.compile(r"<!-- not run: .+ -->\n\Z")


def read(page):
    with open(os.path.join(CHECKOUT, page), encoding="utf-8") as f:
        return f.read()


def links(page):
    """Local targets of a page's links, from the root of the checkout."""
    text = FENCE.sub("", read(page))
    for target in LINK.findall(text):
        if "://" not in target and not target.startswith("#"):
            yield os.path.normpath(os.path.join(os.path.dirname(page), target.split("#")[0]))


def pages():
    found = ["README.md"]
    for page in found:
        found += sorted({t for t in links(page) if t.endswith(".md") and os.path.exists(os.path.join(CHECKOUT, t))} -
                        set(found))
    return found


def blocks(page, language):
    text = read(page)
    return [m.group(3) for m in FENCE.finditer(text) if m.group(2) == language and not NOT_RUN.search(text[:m.start()])]


def missing(script):
    """What a block installs and this machine lacks: a test does not change the machine."""
    for group in re.findall(r"tools/setup (\w+)", script):
        p = subprocess.run([os.path.join(CHECKOUT, "tools/setup"), "--check", group], stdout=subprocess.PIPE, text=True)
        if p.returncode:
            return p.stdout.strip()
    return ""


def commands(page):
    program = "".join(blocks(page, "python"))
    return blocks(page, "sh") + ([f"/usr/bin/python3 - <<'END'\n{program}END\n"] if program else [])


class Docs(shipped.HeddleTest):
    def setUp(self):
        super().setUp()
        for name in ("traces", "configs"):
            os.symlink(os.path.join(CHECKOUT, name), self.path(name))
        # tools/quickstart goes to the root of its checkout, which is here.
        os.mkdir(self.path("tools"))
        for name in ("quickstart", "setup", "install-python", "packages.txt"):
            shutil.copy(os.path.join(CHECKOUT, "tools", name), self.path("tools", name))
        os.symlink(os.path.join(CHECKOUT, "tools", "microbench"), self.path("tools", "microbench"))
        os.makedirs(self.path("bazel-bin/tools"))
        os.symlink(shipped.HEDDLE, self.path("bazel-bin/tools/heddle"))
        shutil.copytree(os.path.join(CHECKOUT, "analysis/python/heddle"), self.path("analysis/python/heddle"),
                        ignore=shutil.ignore_patterns("__pycache__"))
        os.makedirs(self.path("bazel-bin/analysis/python"))
        for file in glob.glob(os.path.join(shipped.ROOT, "analysis/python/_heddle*.so")):
            os.symlink(file, self.path("bazel-bin/analysis/python", os.path.basename(file)))
        shutil.copytree(os.path.join(CHECKOUT, "analysis/notebooks"), self.path("analysis/notebooks"))
        self.write("bin/bazel", "#!/bin/sh\n")
        os.chmod(self.path("bin/bazel"), 0o755)

    def run_here(self, script):
        return subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", script], cwd=self.dir, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**self.environment(), "HOME": self.path("home"),
                                   "PATH": self.path("bin") + ":" + os.environ["PATH"]})

    def environment(self):
        """Without what Bazel adds for this test's own modules."""
        return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}

    def test_links(self):
        for page in pages():
            for target in links(page):
                with self.subTest(page=page, target=target):
                    self.assertTrue(os.path.exists(os.path.join(CHECKOUT, target)))

    def test_every_folder_is_documented_and_linked(self):
        linked = {t for page in pages() for t in links(page)}
        for folder in ("sim", "frontends", "configs", "analysis", "traces", "tools", *(
                f"sim/{d}" for d in sorted(os.listdir(os.path.join(CHECKOUT, "sim")))
                if os.path.isdir(os.path.join(CHECKOUT, "sim", d)))):
            with self.subTest(folder):
                self.assertIn(f"{folder}/README.md", linked)

    def test_commands(self):
        count = 0
        for page in pages():
            for script in commands(page):
                count += 1
                with self.subTest(page=page, script=script):
                    if needs := missing(script):
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
        front = read("README.md")
        for name in ("validation", "example"):
            begin, end = (front.index(f"<!-- {name}: {mark}") for mark in ("begin", "end"))
            self.assertGreater(len(front[begin:end].splitlines()), 5, name)
        self.assertLess(len(front.splitlines()), 285)


if __name__ == "__main__":
    unittest.main()
