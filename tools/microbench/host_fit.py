#!/usr/bin/python3
"""Chooses the host's parameters of a GPU again, from the measured rows that may be looked at.

usage: tools/microbench/host_fit.py [--gpu h200] [--only REGEX] [--rounds N] [--out FILE.json] TABLE ...
  TABLE         traces/h200/host*.csv; a table "..._scored.csv" is refused: nothing is chosen by what is only scored
  --only REGEX  of the parameters' paths below host, such as "^calls"

Coordinate descent: each number in turn is tried a tenth and a third larger and smaller, and what makes the mean error of all rows
smallest stays, the error of a row counting as 100 % at most. Parameters that no row feels stay as they are. Prints what
changed and the error before and after; writes nothing but --out.
"""
import argparse
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "bazel-bin", "tools", "heddle"))
VALUE = re.compile(r"host\.(\S+)=(\d+(?:\.\d+)?)(?:\s|$)")
STEPS = (0.67, 0.9, 0.97, 1.03, 1.1, 1.5)
MOST = 100.0  # per cent: one row of which the model knows nothing does not decide for the others
LEFT_ALONE = re.compile(r"priorities|generation|lanes|bytes|connections|depth|engines|pending|page|write_combined|efficiency")


def heddle(*arguments):
    return subprocess.run([HEDDLE, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def errors(args, values):
    """Of each row, in per cent."""
    sets = [x for path, value in values.items() for x in ("--set", "host.%s=%s" % (path, value))]
    text = heddle("hostbench", *args.table, "--gpu", args.gpu, *sets)
    found = []
    for line in text.splitlines():
        m = re.search(r"\s([+-]\d+(?:\.\d+)?)\s+\d+(?:\.\d+)?(?:\s+beyond.*)?$", line)
        if m:
            found.append(abs(float(m[1])))
    return found


def loss(args, values):
    return sum(min(e, MOST) for e in errors(args, values))


def scaled(shipped, path, now, step):
    value = float("%.3g" % (now * step))
    return value if isinstance(shipped[path], float) else round(value)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--out")
    parser.add_argument("table", nargs="+")
    args = parser.parse_args()
    if any(t.endswith("_scored.csv") for t in args.table):
        sys.exit("host_fit.py: a table that is only scored says nothing about what to choose")
    # Whole numbers stay whole: their fields take no others.
    shipped = {m[1]: float(m[2]) if "." in m[2] else int(m[2]) for m in map(VALUE.match, heddle("config", "show", args.gpu, "--flat").splitlines()) if m}
    names = [p for p in shipped if re.search(args.only, p) and not LEFT_ALONE.search(p) and shipped[p] > 0]
    chosen = {}
    rows = errors(args, chosen)
    first = best = sum(min(e, MOST) for e in rows)
    print("%d parameters, %d rows, mean error %.2f %%" % (len(names), len(rows), first / len(rows)), flush=True)
    felt = [p for p in names if loss(args, {p: scaled(shipped, p, shipped[p], 1.5)}) != best]
    for turn in range(args.rounds):
        for path in felt:
            now = chosen.get(path, shipped[path])
            for step in STEPS:
                value = scaled(shipped, path, now, step)
                try:
                    tried = loss(args, {**chosen, path: value})
                except subprocess.CalledProcessError:
                    continue  # beyond its range
                if tried < best - 0.2:
                    best, chosen[path] = tried, value
        print("round %d: %.2f %%" % (turn + 1, best / len(rows)), flush=True)
    for path, value in sorted(chosen.items()):
        print("%s: %g -> %g" % (path, shipped[path], value))
    print("mean error %.2f %% before, %.2f %% after" % (first / len(rows), best / len(rows)))
    if args.out:
        with open(args.out, "w") as f:
            json.dump(chosen, f, indent=1)


if __name__ == "__main__":
    main()
