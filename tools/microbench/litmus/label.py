"""Rows of the programs here into the tables of results/: what the model says of each outcome, outcomes that did not come up but the
model tells apart, and which half of the rows may be looked at.

    python3 label.py rows.txt [locks.txt ...] > results/h200_litmus.csv
"""

import hashlib
import sys
from itertools import product

import model

SEED = "heddle litmus 45"  # published before anything was simulated: the half is the parity of sha256("SEED row")[0]
HEAD = "program,shape,access,fence,space,placement,outcome,count,model,why,half"


def half(row):
    return "seen" if hashlib.sha256(f"{SEED} {row}".encode()).digest()[0] % 2 == 0 else "scored"


def values(shape):
    """Each place of an outcome: the values that it may have."""
    threads, finals = model.SHAPES[shape]
    written = {}
    for ops in threads:
        for op in ops:
            if op[0] == model.W:
                written.setdefault(op[1], [0]).append(op[2])
    reads = sorted((op[2], op[1]) for ops in threads for op in ops if op[0] == model.R)
    return [written[loc] for _, loc in reads] + ([written[loc][1:] for loc in sorted(written)] if finals else [])


def litmus_rows(lines):
    """Lines R,shape,access,fence,space,placement,outcome,count."""
    count = {}
    for line in lines:
        *row, outcome, n = line.split(",")[1:]
        count.setdefault(tuple(row), {})[outcome] = int(n)
    for (shape, access, fence, space, placement), seen in count.items():
        for outcome in ("".join(map(str, v)) for v in product(*values(shape))):
            # gpu scope does not order what two memory synchronisation domains do (MD04): as if the threads were on two GPUs.
            why = model.verdict(shape, access, fence, {"block": 0, "domains": 2}.get(placement, 1), outcome)
            n = seen.pop(outcome, 0)
            if n or why:
                yield ["litmus", shape, access, fence, space, placement, outcome, n, "forbidden" if why else "allowed", why or ""]
        assert not seen, (shape, access, fence, placement, seen)


def main():
    print(HEAD)
    for path in sys.argv[1:]:
        with open(path) as file:
            lines = [line.strip() for line in file]
        errors = [line for line in lines if line.startswith("ERROR")]
        if errors:
            sys.exit("\n".join(errors))
        for row in litmus_rows(line for line in lines if line.startswith("R,")):
            print(*row, half(",".join(row[:6])), sep=",")
        # Lines S,program,shape,access,fence,space,placement,outcome,count,model,why: programs that know themselves what must not come.
        for line in lines:
            if line.startswith("S,"):
                row = line.split(",")[1:]
                print(*row, half(",".join(row[:6])), sep=",")


if __name__ == "__main__":
    main()
