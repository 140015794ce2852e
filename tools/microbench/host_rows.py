#!/usr/bin/python3
"""Puts several runs of the host's benchmarks, on several machines, into the tables that `heddle hostbench` compares.

usage: tools/microbench/host_rows.py [--tables DIR] FOLDER ...
  FOLDER        what one machine printed: files of rows test,parameter,value,unit, any number of each program
  --tables DIR  traces/h200; of its tables' rows, those that were measured become the median of all runs, with the least and the
                greatest beside it

A processor shared with others, and its clock, make what the driver does take from 0.7 to 1.4 times as long from one run to the
next, all of it together. So one run says little about a call, and a difference from the model that is smaller than
that of two runs says nothing. Rows that no run has stay as they are. Prints how many were replaced in each table.
"""
import argparse
import csv
import glob
import os
import statistics
import sys

COLUMNS = ["test", "parameter", "value", "unit"]
TABLES = ["hostbench", "hostcalls", "hostmemory", "hostlinks", "hostdomains_seen", "hostdomains_scored", "hostshapes_seen",
          "hostshapes_scored"]
# Properties of the device and answers of the driver, which do not vary.
CONSTANT = ("n", "B", "error")


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def runs_of(folders):
    """{(test, parameter): values}, one of each file."""
    runs = {}
    for path in sorted(p for folder in folders for p in glob.glob(os.path.join(folder, "*.csv"))):
        own = {}
        with open(path, newline="") as f:
            for r in csv.reader(f):
                value = number(r[2]) if len(r) == 4 and r[3] not in CONSTANT else None
                if value is not None:
                    own.setdefault((r[0], r[1]), []).append(value)
        for name, values in own.items():
            runs.setdefault(name, []).append(statistics.median(values))
    return runs


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--tables", default="traces/h200")
    parser.add_argument("folder", nargs="+")
    args = parser.parse_args()
    runs = runs_of(args.folder)
    if not runs:
        sys.exit("host_rows.py: no rows in %s" % " ".join(args.folder))
    for table in TABLES:
        path = os.path.join(args.tables, table + ".csv")
        with open(path, newline="") as f:
            rows = [r for r in csv.reader(f) if r[:4] != COLUMNS]
        replaced = 0
        with open(path + ".part", "w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow([*COLUMNS, "low", "high"])
            for r in rows:
                values = runs.get((r[0], r[1]), []) if r[3] not in CONSTANT else []
                if values:
                    r = [r[0], r[1], "%.6g" % statistics.median(values), r[3], "%.6g" % min(values), "%.6g" % max(values)]
                    replaced += 1
                out.writerow(r + [""] * (6 - len(r)))
        os.replace(path + ".part", path)
        print("%s: %d of %d rows" % (path, replaced, len(rows)))


if __name__ == "__main__":
    main()
