"""configs/GPUS.md has a section for every shipped GPU, and says what its configuration says."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from tests.e2e import shipped

PAGE = os.path.join(shipped.ROOT, "configs", "GPUS.md")


def run(*args):
    return subprocess.run([os.path.join("tools", "gpu-pages"), "--heddle", shipped.HEDDLE, *args], capture_output=True, text=True)


class GpuPages(unittest.TestCase):
    def test_every_gpu_has_a_section_of_its_present_configuration(self):
        with open(PAGE, encoding="utf-8") as f:
            text = f.read()
        names = sorted(f.split(".")[0] for f in os.listdir(os.path.join("configs", "gpus")))
        self.assertEqual(re.findall(r"(?m)^## (\w+)$", text), names)
        with tempfile.TemporaryDirectory() as folder:
            again = shutil.copy(PAGE, folder)
            done = run("--quick", "--page", again)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(again, encoding="utf-8") as f:
                self.assertEqual(f.read(), text, "tools/gpu-pages --quick")

    def test_which_values_matter_is_what_config_check_says(self):
        traces = [a for k in ("chase_l1", "stride32", "scan_block") for a in ("--matter", os.path.join("traces", "h200", k))]
        said = subprocess.run([shipped.HEDDLE, "config", "check", "h200", "--fidelity", "fast", "--jobs", "2", *traces],
                              capture_output=True, text=True, check=True).stdout
        matter, of = re.search(r"(\d+) of (\d+) assumed numbers", said).groups()
        with tempfile.TemporaryDirectory() as folder:
            page = shutil.copy(PAGE, folder)
            done = run("h200", "--page", page)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(page, encoding="utf-8") as f:
                section = re.search(r"(?ms)^## h200\n.*?(?=^## )", f.read())[0]
        self.assertIn(f"\n- {matter} of the {of} assumed numbers outside the host matter to these kernels; most:\n", section)
        rows = re.findall(r"(?m)^(\S+) +(\S+) +([\d.]+ %)$", said)
        self.assertEqual(re.findall(r"(?m)^\| `(.*)` \| (.*) \| (.* %) \|$", section), rows)
        self.assertEqual(len(rows), min(int(matter), 8))

    def test_an_unknown_gpu_is_refused(self):
        done = run("nosuch")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no such GPU: nosuch", done.stderr)


if __name__ == "__main__":
    unittest.main()
