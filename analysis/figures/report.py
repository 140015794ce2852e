#!/usr/bin/python3
"""Draws analysis/figures/report.png: the page of `heddle report --html` of four shipped kernels, as a browser shows it.

usage: analysis/figures/report.py [--page FILE.html] [--out FILE.png] [--width PIXELS]

Without --page it simulates the kernels with bazel-bin/tools/heddle. Needs chromium (tools/setup browser).
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.path.join(ROOT, "bazel-bin", "tools", "heddle")
KERNELS = ("softmax", "wgmma", "vecadd", "gemm_wmma")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--disable-background-networking",
         "--disable-dev-shm-usage")
# The page's height, once it is drawn.
PROBE = "<script>document.body.append(Object.assign(document.createElement('pre'), " \
        "{ id: 'height', textContent: document.documentElement.scrollHeight }));</script></body>"


def browse(scratch, width, height, *options):
    return subprocess.run(["chromium", *FLAGS, f"--user-data-dir={scratch}/profile", f"--window-size={width},{height}", *options],
                          check=True, capture_output=True, text=True, timeout=300, env={**os.environ, "HOME": scratch}).stdout


def simulate(scratch):
    database, page = os.path.join(scratch, "kernels.db"), os.path.join(scratch, "page.html")
    subprocess.run([HEDDLE, "run", *(os.path.join(ROOT, "traces", "h200", k) for k in KERNELS), "--gpu", "h200", "--profile",
                    "--quiet", "--out", database], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([HEDDLE, "report", database, "--html", page], check=True, stdout=subprocess.DEVNULL)
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page")
    parser.add_argument("--out", default=os.path.join(ROOT, "analysis", "figures", "report.png"))
    parser.add_argument("--width", type=int, default=1320)
    o = parser.parse_args()
    if not shutil.which("chromium"):
        sys.exit("report.py: no chromium here: `tools/setup browser` installs it")
    with tempfile.TemporaryDirectory() as scratch:
        page = o.page or simulate(scratch)
        with open(page, encoding="utf-8") as f:
            text = f.read()
        probed = os.path.join(scratch, "probed.html")
        with open(probed, "w", encoding="utf-8") as f:
            f.write(text.replace("</body>", PROBE))
        height = re.search(r'<pre id="height">(\d+)', browse(scratch, o.width, 900, "--dump-dom", "file://" + probed)).group(1)
        browse(scratch, o.width, height, f"--screenshot={os.path.abspath(o.out)}", "file://" + os.path.abspath(page))
    return 0


if __name__ == "__main__":
    sys.exit(main())
