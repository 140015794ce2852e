"""Running heddle on a file of machine code, for tools/others-check and tools/curves-check."""
import csv
import lzma
import os
import sqlite3
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "bazel-bin", "tools", "heddle"))


def read(path):
    with (lzma.open if path.endswith(".xz") else open)(path, "rt", encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def heddle(*arguments):
    """What the command prints; RuntimeError with its error if it fails."""
    done = subprocess.run([HEDDLE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "HEDDLE_CONFIGS": os.path.join(ROOT, "configs")})
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def run(db, gpu, cubin, kernel, grid, block, arguments, *options):
    """Runs a kernel, whose results go to `db`; what the command prints."""
    return heddle("run", cubin, "--kernel", kernel, "--grid", str(grid), "--block", str(block), *(x for a in arguments for x in ("--arg", str(a))),
                  "--gpu", gpu, "--allow-capability-mismatch", "--quiet", "--out", db, *options)


def cycles(connection):
    return connection.execute("SELECT cycles FROM launches").fetchone()[0]


def query(db, question):
    """question(connection) of the results in `db`."""
    connection = sqlite3.connect(db)
    try:
        return question(connection)
    finally:
        connection.close()
