"""tools/update-validation on a small set: two launches of each suite, in a checkout of its own."""
import csv
import os
import re
import shutil
import subprocess
import sys
import unittest

from tests.e2e import shipped

PAGES = ("VALIDATION.md", "COUNTERS.md", "KERNELS.md")
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"


def some_rows(table, names):
    with open(table, newline="", encoding="utf-8") as f:
        rows = [r for r in csv.DictReader(f) if r["name"] in names]
    assert len(rows) == len(names), table
    return rows


class UpdateValidation(shipped.HeddleTest):
    def table(self, name, rows):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", newline="", encoding="utf-8") as f:
            writer = csv.DictWriter(f, rows[0])
            writer.writeheader()
            writer.writerows(rows)

    def link(self, target, name):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        os.symlink(target, self.path(name))

    def suite(self, folder, source, names, traces=""):
        self.table(folder + "/suite.csv", some_rows(os.path.join(source, "suite.csv"), names))
        for n in names:
            self.link(os.path.join(source, n), os.path.join(folder, traces, n))

    def setUp(self):
        super().setUp()
        for file in ("tools/update-validation", "analysis/figures/validation.py", *(f"analysis/page/{n}" for n in
                     os.listdir(os.path.join(shipped.ROOT, "analysis", "page")) if n.endswith(".py"))):
            os.makedirs(os.path.dirname(self.path("root", file)), exist_ok=True)
            shutil.copy(os.path.join(shipped.ROOT, file), self.path("root", file))
        self.link(shipped.HEDDLE, "root/bazel-bin/tools/heddle")
        self.link(os.path.join(shipped.TRACES, "softmax"), "root/traces/h200/softmax")
        self.table("root/traces/h200/accel-sim-1.csv", [{"name": "bank8", "cycles": "26035", "wall_seconds": "40"}])
        marks = [f"<!-- {m}: begin. tools/update-validation writes this -->\nold\n<!-- {m}: end -->\n" for m in ("validation", "example")]
        self.write("root/README.md", "top\n" + "between\n".join(marks))
        self.suite("shared/hw/h200", shipped.TRACES, ["bank8", "scan_block"], "traces")
        self.suite("root/traces/h200/second", os.path.join(shipped.TRACES, "second"), ["radix", "ring"])
        self.suite("root/traces/h200/library", os.path.join(shipped.TRACES, "library"), ["scan_init", "scan"])
        # As if the counters had been measured later, beside suite.csv, and a launch whose trace is elsewhere.
        known = {r["name"]: r for r in some_rows(self.path("root/traces/h200/library/suite.csv"), ["scan"])}["scan"]
        more = {STALL.format("selected"): "1.0", STALL.format("wait"): "2.0", STALL.format("long_scoreboard"): "7.0",
                "dram__bytes_read.sum": "1000000"}
        self.table("root/traces/h200/library/counters.csv", [{**known, **more}, {**known, **more, "name": "elsewhere", "half": "scored"}])

    def test_pages(self):
        p = subprocess.run([sys.executable, self.path("root/tools/update-validation")], capture_output=True, text=True,
                           env={**os.environ, "HEDDLE_SHARED": self.path("shared"), "HOME": self.dir})
        self.assertEqual(p.returncode, 0, p.stderr)
        text = {}
        for page in PAGES:
            with open(self.path("root/traces/h200", page), encoding="utf-8") as f:
                text[page] = f.read()
        overview = text["VALIDATION.md"]
        for suite, half, launches in (("the suite of 57", "seen", 2), ("the second suite", "seen", 2), ("library kernels", "seen", 1),
                                      ("library kernels", "only scored", 1), ("all", "seen", 5), ("all", "", 6)):
            self.assertRegex(overview, rf"(?m)^\| {suite} \| {half} \| {launches} \| [\d.]+ % ")
        self.assertRegex(overview, r"(?m)^\| DRAM bytes read \| library kernels \| seen \| 1 \| ")
        self.assertRegex(overview, r"(?m)^\| library kernels \| seen \| [01] of 1 \| (0|100) % \|$")
        # 7 of 10 warps' time, of what both sides have.
        self.assertRegex(overview, r"(?m)^\| long_scoreboard \| library kernels \| seen \| 1 \| 70.0 \| ")
        self.assertRegex(text["KERNELS.md"], r"(?m)^\| `scan` \| `at_cuda_detail::DeviceScanKernel` \| sorts, scans \| seen \| 14,037 \| .* \| long_scoreboard 70 % \| ")
        self.assertIn("Measured, but not simulated: elsewhere.", text["KERNELS.md"])
        self.assertRegex(text["COUNTERS.md"], r"(?m)^\| warp instructions \| sorts, scans \| only scored \| 1 \| ")
        self.assertIn(overview.split("\n\n")[3].replace("](second", "](traces/h200/second").replace("](library", "](traces/h200/library"),
                      p.stdout)
        with open(self.path("root/README.md"), encoding="utf-8") as f:
            front = f.read()
        self.assertRegex(front, r"(?s)^top\n.*\| Heddle, the suite of 57 \| 2 \|.*between\n.*heddle run traces/h200/softmax")
        self.assertNotIn("old", front)
        self.assert_shares(overview)

    def test_pages_of_another_gpu(self):
        for table, names in (("suite", ["bank8", "scan_block"]), ("second", ["radix", "ring"]), ("library", ["scan_init", "scan"])):
            self.table(f"root/traces/h100/{table}.csv", some_rows(os.path.join(shipped.ROOT, "traces", "h100", table + ".csv"), names))
        p = subprocess.run([sys.executable, self.path("root/tools/update-validation"), "--gpu", "h100"], capture_output=True, text=True,
                           env={**os.environ, "HEDDLE_SHARED": self.path("shared"), "HOME": self.dir})
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(self.path("root/traces/h100/VALIDATION.md"), encoding="utf-8") as f:
            text = f.read()
        self.assertRegex(text, r"\A# Heddle against the H100\n")
        self.assertRegex(text, r"(?m)^\| all \|  \| 6 \| [\d.]+ % ")
        self.assertIn(p.stdout.strip(), text)
        for page in ("COUNTERS.md", "KERNELS.md"):
            with open(self.path("root/traces/h100", page), encoding="utf-8") as f:
                self.assertRegex(f.read(), r"\A# Heddle against the H100, .*\n\nWritten by `tools/update-validation --gpu h100`; ")
        self.assertFalse(any(os.path.exists(self.path("root/traces/h200", page)) for page in PAGES))

    def assert_shares(self, text):
        """In the tables of shares, those that are no differences: none is above 100 %."""
        rows = re.findall(r"(?m)^\| \w+ \| [\w ]+ \| (?:seen|only scored) \| \d+ \| ([\d.]+) \| ([\d.]+) \| [\d.]+ \| [+-]", text)
        self.assertGreater(len(rows), 10)
        self.assertTrue(all(float(share) <= 100 for row in rows for share in row), rows)

    def test_results_of_different_machines_are_not_mixed(self):
        db = self.path("slow.db")
        subprocess.run([shipped.HEDDLE, "validate", "--reference", self.path("root/traces/h200/second/suite.csv"), "--traces",
                        self.path("root/traces/h200/second"), "--gpu", "h200", "--set", "l2.far_latency=300", "--out", db],
                       check=True, capture_output=True)
        p = subprocess.run([sys.executable, self.path("root/tools/update-validation"), "--second-results", db], capture_output=True,
                           text=True, env={**os.environ, "HEDDLE_SHARED": self.path("shared"), "HOME": self.dir})
        self.assertEqual(p.returncode, 1)
        self.assertRegex(p.stderr, r"(?m)^update-validation: results of different revisions or configurations, nothing was changed: the suite")
        self.assertFalse(any(os.path.exists(self.path("root/traces/h200", page)) for page in PAGES))

    def test_without_the_full_set_nothing_is_changed(self):
        p = subprocess.run([sys.executable, self.path("root/tools/update-validation")], capture_output=True, text=True,
                           env={**os.environ, "HEDDLE_SHARED": self.path("none")})
        self.assertEqual(p.returncode, 1)
        self.assertRegex(p.stderr, r"^update-validation: .*none/hw/h200 is not there, nothing was changed\n$")
        self.assertFalse(any(os.path.exists(self.path("root/traces/h200", page)) for page in PAGES))


if __name__ == "__main__":
    unittest.main()
