"""Debian's Chromium without a window: opens a page of a test and gives back what a script in it found."""
import html
import json
import os
import re
import shutil
import subprocess

CHROMIUM = shutil.which("chromium") or shutil.which("chromium", path="/usr/bin:/usr/local/bin")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--enable-logging=stderr")

# In the head of a page, before all else: errors of scripts.
CATCH = "<script>window.failures = []; window.onerror = (m) => { window.failures.push(String(m)); };</script>"
# The last line of a probe: leaves `found` where found() looks.
LEAVE = """
document.body.appendChild(Object.assign(document.createElement("pre"), { id: "found", textContent: JSON.stringify(found) }));
"""


def found(test, page, width=1280):
    """What the probe in the file `page` left, and the lines of the browser's console. `test`: a HeddleTest."""
    if not CHROMIUM:
        test.skipTest("no chromium here: `tools/setup browser` installs it")
    p = subprocess.run([CHROMIUM, *FLAGS, f"--user-data-dir={test.path('profile')}", f"--window-size={width},900", "--dump-dom",
                        "file://" + test.path(page)], capture_output=True, text=True, timeout=240,
                       env={**os.environ, "HOME": test.dir})
    m = re.search(r'<pre id="found">(.*?)</pre>', p.stdout, re.DOTALL)
    test.assertTrue(m, p.stdout[-2000:] + p.stderr[-2000:])
    return json.loads(html.unescape(m.group(1))), [line for line in p.stderr.splitlines() if "CONSOLE" in line]
