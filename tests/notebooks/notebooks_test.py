"""The notebooks of analysis/notebooks: every one runs without a browser, has its pictures, and is committed with outputs.

How long each took is printed, not asserted: it depends on what else the machine does.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import unittest

from tests.e2e import shipped

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(shipped.SUITE))))
FOLDER = os.path.join(CHECKOUT, "analysis", "notebooks")
# Pictures that each has to have.
PICTURES = {"first_run": 7, "sweep": 3, "transpose": 5, "occupancy": 4, "silicon": 5, "ptx": 3, "machine_code": 1,
            "inference_server": 1}


def missing():
    p = subprocess.run(["/usr/bin/python3", "-c", "import ipykernel, matplotlib, nbclient, nbformat, pandas"],
                       env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, stderr=subprocess.PIPE, text=True)
    return p.stderr.strip().splitlines()[-1] if p.returncode else ""


def notebook(name):
    with open(os.path.join(FOLDER, name + ".ipynb"), encoding="utf-8") as f:
        return json.load(f)


def outputs(name):
    for cell in notebook(name)["cells"]:
        yield from cell.get("outputs", ())


class Notebooks(shipped.HeddleTest):
    def test_these_are_all(self):
        self.assertEqual(sorted(os.path.basename(f)[:-len(".ipynb")] for f in glob.glob(os.path.join(FOLDER, "*.ipynb"))),
                         sorted(PICTURES))

    def test_committed_outputs(self):
        for name, count in PICTURES.items():
            with self.subTest(name):
                images = [o["data"]["image/png"] for o in outputs(name) if "image/png" in o.get("data", {})]
                self.assertEqual(len(images), count)
                self.assertLess(max(map(len, images)), 150_000)
                self.assertEqual([o for o in outputs(name) if o["output_type"] == "error"], [])
                text = json.dumps(notebook(name))
                self.assertNotRegex(text, r"/tmp/|/home/|/root/|/work/|\b\d{4}-\d\d-\d\dT|execution_state|iopub")

    def test_every_cell_that_computes_has_words_before_it(self):
        for name in PICTURES:
            words = 0
            for cell in notebook(name)["cells"]:
                if cell["cell_type"] == "markdown":
                    words = len("".join(cell["source"]).split())
                    self.assertGreater(words, 5, name)
            self.assertGreater(words, 5, f"{name} ends with words")

    def test_links(self):
        for name in PICTURES:
            for cell in notebook(name)["cells"]:
                if cell["cell_type"] == "markdown":
                    for target in re.findall(r"\]\(([^)#:]+)\)", "".join(cell["source"])):
                        self.assertTrue(os.path.exists(os.path.join(FOLDER, target)), f"{name}: {target}")

    @unittest.skipIf(missing(), f"the notebooks are not run ({missing()}): tools/setup notebooks installs what they need")
    def test_they_run(self):
        # In a copy: as a user's checkout lies, with the package that this test was built with.
        for part in ("traces", "configs", "tests"):
            os.symlink(os.path.join(CHECKOUT, part), self.path(part))
        shutil.copytree(FOLDER, self.path("analysis/notebooks"))
        for part in ("heddle", "examples"):
            shutil.copytree(os.path.join(CHECKOUT, "analysis/python", part), self.path("analysis/python", part),
                            ignore=shutil.ignore_patterns("__pycache__"))
        os.makedirs(self.path("bazel-bin/analysis/python"))
        for file in glob.glob(os.path.join(shipped.ROOT, "analysis/python/_heddle*.so")):
            os.symlink(file, self.path("bazel-bin/analysis/python", os.path.basename(file)))
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        p = subprocess.run([self.path("analysis/notebooks/execute.py")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           env={**environment, "HOME": self.path("home"), "IPYTHONDIR": self.path("ipython")})
        print(p.stdout)
        self.assertEqual(p.returncode, 0, p.stderr)
        for name, count in PICTURES.items():
            self.assertRegex(p.stdout, rf"(?m)^{name}\.ipynb: [0-9.]+ s, [0-9.]+ s of processor time, {count} pictures, ")

    @unittest.skipIf(missing(), f"no Jupyter ({missing()})")
    def test_an_error_in_a_cell_is_found(self):
        text = notebook("transpose")
        text["cells"] = [{"cell_type": "code", "id": "x", "execution_count": None, "metadata": {}, "outputs": [],
                          "source": "1 / 0"}]
        path = self.write("wrong.ipynb", json.dumps(text))
        p = subprocess.run([os.path.join(FOLDER, "execute.py"), path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           env={**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, "HOME": self.path("home"),
                                "IPYTHONDIR": self.path("ipython")})
        self.assertEqual(p.returncode, 1)
        self.assertIn("ZeroDivisionError", p.stderr)


if __name__ == "__main__":
    unittest.main()
