"""Puts captures and measurements of harness.py's programs side by side: one launch, one trace, one row.

python3 rows.py DATA OUT     DATA/cap/PROGRAM/kernel-N.heddle, DATA/cap/PROGRAM.ops, DATA/heads.tsv (trace_head.py), DATA/sil/PROGRAM.csv and .ops (ncu's raw
page, three repeats); OUT/NAME/kernel-1.heddle, kernelslist.g and OUT/rows.csv. measure.sh makes DATA.

A launch is left out when its three repeats, or its capture, are not the same kernel with the same grid and block at the
same place, when its operator makes more than MOST_OF_OP launches, or when it was taken already with this name, grid and
block, or its kernel MOST_OF_KERNEL times.
"""
import csv
import os
import re
import shutil
import statistics
import sys

from harness import MARKERS

MOST_OF_OP, MOST_OF_KERNEL = 8, 5
CYCLES, ACTIVE, INSTRUCTIONS = "gpc__cycles_elapsed.max", "sm__cycles_active.max", "smsp__inst_executed.sum"
PROGRAMS = {"comp1": "compiled", "comp2": "compiled", "comp3": "compiled"}


def is_marker(name):
    return any(m in name for m in MARKERS)


def groups(launches, ops, name_of):
    """The launches of each operator: those behind its marker."""
    out, names = {}, iter(ops)
    for launch in launches:
        if is_marker(name_of(launch)):
            current = out.setdefault(next(names), [])
        else:
            current.append(launch)
    return out


def lines(path):
    with open(path) as f:
        return f.read().split("\n")


def measured(path, ops):
    text = [s for s in lines(path) if s.startswith('"')]
    rows = list(csv.DictReader(text))[1:]  # the first has units
    return groups(rows, [o for o in lines(ops) if o], lambda r: r["Kernel Name"])


def captured(data):
    """Of each program the launches in order: (number, kernel, grid, block, file)."""
    out = {}
    for line in lines(data + "/heads.tsv")[:-1]:
        program, n, number, name, grid, block = line.split("\t")
        out.setdefault(program, []).append((int(number), name, shape(grid), shape(block), "%s/cap/%s/kernel-%s.heddle" % (data, program, n)))
    return {p: sorted(v) for p, v in out.items()}


def shape(text):
    return tuple(int(n) for n in re.findall(r"\d+", text))


def base(name):
    """What is the same in ncu's and in the mangled name: the function's own."""
    name = re.sub(r"<unnamed>|\(anonymous namespace\)", "", name)
    depth, out = 0, ""
    for c in re.sub(r"^void ", "", name):
        depth += c == "<"
        out += c if depth == 0 else ""
        depth -= c == ">"
        if c == "(" and depth == 0:
            break
    return out.rstrip("(").split("::")[-1].strip()


def same(row, launch):
    return shape(row["Grid Size"]) == launch[2] and shape(row["Block Size"]) == launch[3] and base(row["Kernel Name"]) in launch[1]


def repeats(rows):
    """Triples, or nothing when the three repeats differ."""
    n = len(rows) // 3
    triples = [(rows[i], rows[i + n], rows[i + 2 * n]) for i in range(n)] if n * 3 == len(rows) else []
    return triples if all(len({(r["Kernel Name"], r["Grid Size"], r["Block Size"]) for r in t}) == 1 for t in triples) else []


def row_of(name, triple):
    def values(metric):
        return [int(float(r[metric].replace(",", ""))) for r in triple]
    cycles = values(CYCLES)
    first = triple[0]
    grid, block = ["(%s)" % ",".join(str(n) for n in shape(first[c])) for c in ("Grid Size", "Block Size")]
    median = int(statistics.median(cycles))
    return {"name": name, "cycles_median": median, "cycles_min": min(cycles), "cycles_max": max(cycles), "repeats": 3,
            "sm_active_cycles_max_median": int(statistics.median(values(ACTIVE))), "kernel": first["Kernel Name"][:48], "grid": grid, "block": block,
            "half": "", CYCLES: median, ACTIVE: int(statistics.median(values(ACTIVE))), INSTRUCTIONS: int(statistics.median(values(INSTRUCTIONS)))}


def pairs(data):
    """(operator, place in it, how many places, triple, trace)"""
    for program, launches in sorted(captured(data).items()):
        which = PROGRAMS.get(program, program)
        files = [data + "/cap/" + program + ".ops", data + "/sil/" + which + ".csv", data + "/sil/" + which + ".ops"]
        if not all(os.path.exists(f) for f in files):
            print(program, "is left out: a file is missing")
            continue
        silicon = measured(files[1], files[2])
        ops = [o for o in lines(files[0]) if o]
        # A launch that could not be captured leaves a gap in the numbers, which count the markers, too.
        for op, found in groups(launches, ops, lambda x: x[1]).items():
            triples = repeats(silicon.get(op, []))
            if not triples or len(triples) > MOST_OF_OP:
                print(program, op, "is left out:", len(found), "captured,", len(silicon.get(op, [])), "measured")
                continue
            first = found[0][0] if found else 0
            start = min((m[0] for m in launches if is_marker(m[1]) and m[0] < first), key=lambda n: first - n, default=first - 1)
            for launch in found:
                place = launch[0] - start
                if not (1 <= place <= len(triples) and same(triples[place - 1][0], launch)):
                    print(program, op, place, "is left out: other kernels were measured", launch[1][:60], base(triples[min(place, len(triples)) - 1][0]["Kernel Name"]))
                elif os.path.exists(launch[4]):
                    yield op, place, len(triples), triples[place - 1], launch
                else:
                    print(program, op, place, "is left out: no file")


def main():
    data, out = sys.argv[1:]
    taken, of_kernel, rows = set(), {}, []
    for op, place, places, triple, launch in pairs(data):
        key = launch[1:4]
        if key in taken or of_kernel.get(launch[1], 0) >= MOST_OF_KERNEL:
            continue
        taken.add(key)
        of_kernel[launch[1]] = of_kernel.get(launch[1], 0) + 1
        name = op if places == 1 else "%s-%d" % (op, place)
        os.makedirs(os.path.join(out, name), exist_ok=True)
        shutil.copyfile(launch[4], os.path.join(out, name, "kernel-1.heddle"))
        with open(os.path.join(out, name, "kernelslist.g"), "w") as f:
            f.write("kernel-1.heddle\n")
        rows.append(row_of(name, triple))
    with open(os.path.join(out, "rows.csv"), "w", newline="") as f:
        w = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
        w.writeheader()
        w.writerows(rows)
    print(len(rows), "launches of", len(of_kernel), "kernels")


if __name__ == "__main__":
    main()
