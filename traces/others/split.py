#!/usr/bin/python3
"""Splits the rows of memory_ops.csv into two halves, before any of them was simulated: seen and only scored.

usage: traces/others/split.py MEMORY_OPS.csv | xz -9e > traces/others/split.csv.xz

One row of the file in two is seen, drawn from all of them at once with the seed below. Only errors of seen rows may be looked at when
the model or a configuration changes.
"""
import csv
import random
import sys

SEED = 20261124

with open(sys.argv[1], encoding="utf-8", newline="") as f:
    rows = list(csv.DictReader(f))
seen = set(random.Random(SEED).sample(range(len(rows)), len(rows) // 2))
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["gpu", "op", "rows", "cols", "half"])
for i, r in enumerate(rows):
    out.writerow([r["gpu"], r["op"], r["rows"], r["cols"], "seen" if i in seen else "scored"])
