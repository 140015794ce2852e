"""The commands of the documentation, for tests/e2e/docs_test.py, which demands that they work, and tools/walk, which times them.

Commands are the ```sh blocks of README.md and of every page it leads to, and the ```python blocks of a page, which are one
program. One that cannot be run has a line `<!-- not run: REASON -->` in front of it. They run in a copy of the checkout's
layout with a home of its own, one page after the other, with `bazel` replaced by nothing: the program has been built.
"""
import os
import re
import shutil
import subprocess

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^]]*\]\(([^)\s]+)\)")
NOT_RUN = re.compile(r"<!-- not run: (.+) -->\n\Z")


class Pages:
    """The pages of the checkout at `root`, by their paths in it."""

    def __init__(self, root):
        self.root = root

    def read(self, page):
        with open(os.path.join(self.root, page), encoding="utf-8") as f:
            return f.read()

    def links(self, page):
        """Local targets of a page's links, from the root of the checkout."""
        text = FENCE.sub("", self.read(page))
        for target in LINK.findall(text):
            if "://" not in target and not target.startswith("#"):
                yield os.path.normpath(os.path.join(os.path.dirname(page), target.split("#")[0]))

    def all(self):
        found = ["README.md"]
        for page in found:
            found += sorted({t for t in self.links(page) if t.endswith(".md") and os.path.exists(os.path.join(self.root, t))} -
                            set(found))
        return found

    def blocks(self, page, language):
        """Pairs of a block and the reason why it is not run (or None)."""
        text = self.read(page)
        for m in FENCE.finditer(text):
            if m.group(2) == language:
                reason = NOT_RUN.search(text[:m.start()])
                yield m.group(3), reason.group(1) if reason else None

    def commands(self, page):
        """What a reader of the page runs, one bash script each."""
        program = "".join(text for text, reason in self.blocks(page, "python") if not reason)
        return [text for text, reason in self.blocks(page, "sh") if not reason] + (
            [f"/usr/bin/python3 - <<'END'\n{program}END\n"] if program else [])

    def missing(self, script):
        """What a block installs and this machine lacks: nobody's machine is changed."""
        for group in re.findall(r"tools/setup (\w+)", script):
            p = subprocess.run([os.path.join(self.root, "tools/setup"), "--check", group], stdout=subprocess.PIPE, text=True)
            if p.returncode:
                return p.stdout.strip()
        return ""


class Scratch:
    """A folder that looks like the checkout to the commands: its data, its scripts, the programs in bazel-bin."""

    def __init__(self, root, folder, heddle, modules):
        """`heddle`: the program; `modules`: the files of the Python package's C++ half."""
        self.folder = folder
        for name in ("traces", "configs"):
            os.symlink(os.path.join(root, name), self.path(name))
        for name in ("tests/cubin", "tests/exec"):
            os.makedirs(self.path(name))
            os.symlink(os.path.join(root, name, "data"), self.path(name, "data"))
        # tools/quickstart goes to the root of its checkout, which is here.
        os.mkdir(self.path("tools"))
        for name in ("quickstart", "setup", "install-python", "packages.txt"):
            shutil.copy(os.path.join(root, "tools", name), self.path("tools", name))
        os.symlink(os.path.join(root, "tools", "microbench"), self.path("tools", "microbench"))
        os.makedirs(self.path("bazel-bin/tools"))
        os.symlink(heddle, self.path("bazel-bin/tools/heddle"))
        shutil.copytree(os.path.join(root, "analysis/python/heddle"), self.path("analysis/python/heddle"),
                        ignore=shutil.ignore_patterns("__pycache__"))
        os.makedirs(self.path("bazel-bin/analysis/python"))
        for file in modules:
            os.symlink(file, self.path("bazel-bin/analysis/python", os.path.basename(file)))
        shutil.copytree(os.path.join(root, "analysis/notebooks"), self.path("analysis/notebooks"))
        os.mkdir(self.path("bin"))
        with open(self.path("bin/bazel"), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n")
        os.chmod(self.path("bin/bazel"), 0o755)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def run(self, script):
        """Without what Bazel adds to the environment for a test's own modules."""
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        return subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", script], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**environment, "HOME": self.path("home"),
                                   "PATH": self.path("bin") + ":" + os.environ["PATH"]})
