"""Makes the tables of ../ from what measure.sh brought: python3 rows.py SUITES LIBRARY OUT   (the folders of its phases)

The half of a library launch (seen, or only scored) is the one that the H200's table drew; of the suites half of the names were drawn
by the seed below before anything was simulated on this GPU.

suite.csv, second.csv and library.csv have the columns of the H200's tables, and its names: a row is what this GPU measured for the
launch that the H200's row and recording are of. A launch is left out, and named, when kernel, grid or block are not those of the
H200's row (a library chose otherwise), or the warp instructions differ by more than 1 % (other code, or a race).
"""
import csv
import os
import random
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
H200 = os.path.join(HERE, "..", "..", "h200")
sys.path.insert(0, os.path.join(H200, "library", "source"))
import rows as library_rows  # noqa: E402

CYCLES, ACTIVE, INSTRUCTIONS = library_rows.CYCLES, library_rows.ACTIVE, library_rows.INSTRUCTIONS
SAME_CODE = 0.01
SEED = 20261125


def number(text):
    return float(text.replace(",", "")) if text not in ("", "N/A") else None


def raw(path):
    """The launches of ncu's raw page, without the line of units."""
    with open(path) as f:
        return list(csv.DictReader(line for line in f if line.startswith('"')))[1:]


def names(path):
    with open(path) as f:
        return [line.split()[1] for line in f if line.startswith("ok ")]


def reference(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def measured(base, repeats):
    """A row: the H200's name and shape, this GPU's cycles over the repeats (lists of values by metric)."""
    cycles = repeats[CYCLES]
    row = {k: base[k] for k in ("name", "kernel", "grid", "block", "half") if k in base}
    row.update(cycles_median=statistics.median(cycles), cycles_min=min(cycles), cycles_max=max(cycles), repeats=len(cycles),
               sm_active_cycles_max_median=statistics.median(repeats[ACTIVE]))
    return row


def differs(base, theirs, mine):
    return abs(mine / theirs - 1) > SAME_CODE and f"{base['name']}: {mine:,.0f} warp instructions, the H200's {theirs:,.0f}"


def suite(folder, name, table):
    """One of the two programs whose kernels are launched once each; every counter from the run with many passes."""
    bases = {r["name"]: r for r in table}
    runs = [raw(f"{folder}/{name}-{i}.csv") for i in range(1, 10)]
    counters = raw(f"{folder}/{name}-counters.csv")
    order = names(f"{folder}/{name}-counters.err")
    seen = random.Random(SEED).sample(sorted(order), len(order) // 2)
    for i, kernel in enumerate(order):
        base = bases.get(kernel)
        if base is None:
            continue
        values = {m: [number(run[i][m]) for run in runs] for m in (CYCLES, ACTIVE, INSTRUCTIONS)}
        row = {**measured(base, values), "half": "seen" if kernel in seen else "scored"}
        for metric in base:
            if "__" in metric and metric in counters[i] and not metric.endswith(("_min", "_max")):
                row[metric] = number(counters[i][metric])
        other = differs(base, number(base[INSTRUCTIONS]), statistics.median(values[INSTRUCTIONS]))
        if other:
            print("left out:", other)
        else:
            yield row


def triples(launches, repeats=3):
    """Of operators that were run `repeats` times in a row, with any number of launches each: the same launch of every repeat."""
    def shape(r):
        return r["Kernel Name"], r["Grid Size"], r["Block Size"]
    at = 0
    while at < len(launches):
        for n in range(1, (len(launches) - at) // repeats + 1):
            parts = [launches[at + k * n:at + (k + 1) * n] for k in range(repeats)]
            if all([shape(r) for r in p] == [shape(r) for r in parts[0]] for p in parts):
                yield from zip(*parts)
                at += n * repeats
                break
        else:
            raise SystemExit(f"launch {at}: no repeats of {shape(launches[at])}")


def library_launches(folder):
    """(name in the H200's table, the three repeats)"""
    first = [r["name"] for r in reference(os.path.join(H200, "library", "suite.csv"))[:27]]
    yield from zip(first, triples(raw(folder + "/ops.csv")))
    for i, t in enumerate(triples(raw(folder + "/more_ops.csv"))):
        yield "op%02d" % (i + 1), t
    for file in sorted(os.listdir(folder + "/sil")):
        if file.endswith(".csv") and os.path.getsize(folder + "/sil/" + file):
            program = folder + "/sil/" + file[:-4]
            for op, launches in library_rows.measured(program + ".csv", program + ".ops").items():
                found = library_rows.repeats(launches)
                for place, triple in enumerate(found, 1):
                    yield (op if len(found) == 1 else "%s-%d" % (op, place)), triple


def library(folder):
    bases = {r["name"]: r for r in reference(os.path.join(H200, "library", "suite.csv"))}
    found = dict(library_launches(folder))
    for name, base in bases.items():
        if name not in found:
            print("left out:", name, "was not measured")
            continue
        triple = found[name]
        kernel, grid, block = triple[0]["Kernel Name"], triple[0]["Grid Size"], triple[0]["Block Size"]
        if (kernel[:40], library_rows.shape(grid), library_rows.shape(block)) != \
                (base["kernel"][:40], library_rows.shape(base["grid"]), library_rows.shape(base["block"])):
            print("left out:", name, "is another kernel here:", kernel[:40], grid, block, "for", base["kernel"][:40], base["grid"], base["block"])
            continue
        values = {m: [number(r[m]) for r in triple] for m in (CYCLES, ACTIVE, INSTRUCTIONS)}
        other = differs(base, number(base[INSTRUCTIONS]), statistics.median(values[INSTRUCTIONS]))
        if other:
            print("left out:", other)
        else:
            yield {**measured(base, values), **{m: statistics.median(v) for m, v in values.items()}}


def text(value):
    return "" if value is None else "%d" % value if isinstance(value, float) and value.is_integer() else value


def write(path, rows, columns):
    rows = list(rows)
    with open(path, "w", newline="") as f:
        w = csv.DictWriter(f, [c for c in columns if any(c in r for r in rows)], lineterminator="\n")
        w.writeheader()
        w.writerows({k: text(v) for k, v in r.items()} for r in rows)
    print(path, len(rows), "rows")


def main():
    suites, library_folder, out = sys.argv[1:]
    shared = os.path.join(os.environ.get("HEDDLE_SHARED", os.path.join(HERE, "..", "..", "..", "..", "shared")), "hw", "h200", "suite.csv")
    for name, path in (("suite", shared), ("second", os.path.join(H200, "second", "suite.csv"))):
        table = reference(path)
        write(f"{out}/{name}.csv", suite(suites, name, table), [*list(table[0])[:9], "half", *list(table[0])[9:]])
    columns = list(reference(os.path.join(H200, "library", "suite.csv"))[0])
    write(f"{out}/library.csv", library(library_folder), columns)


if __name__ == "__main__":
    main()
