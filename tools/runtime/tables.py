"""Tables of tools/runtime and frontends/cuda from what an H200 said (tests/runtime/h200).

usage: tools/runtime/tables.py [--check], in the repository's root      writes them, or says which are not what they would be
"""
import lzma
import os
import re
import sys

# Not by __file__: in a test that is a link.
ROOT = os.environ.get("HEDDLE_ROOT") or os.getcwd()
FROM = os.path.join(ROOT, "tests", "runtime", "h200")
# Fields that say what an attribute says: the configuration may know better (device.cc).
SAME = {"multiProcessorCount": 16, "l2CacheSize": 38, "maxThreadsPerMultiProcessor": 39, "major": 75, "minor": 76,
        "sharedMemPerMultiprocessor": 81, "regsPerMultiprocessor": 82, "sharedMemPerBlockOptin": 97,
        "maxBlocksPerMultiProcessor": 106, "reservedSharedMemPerBlock": 111, "regsPerBlock": 12, "maxThreadsPerBlock": 1,
        "warpSize": 10}
WIDE = {"totalGlobalMem", "sharedMemPerBlock", "memPitch", "totalConstMem", "textureAlignment", "texturePitchAlignment",
        "surfaceAlignment", "sharedMemPerMultiprocessor", "sharedMemPerBlockOptin", "reservedSharedMemPerBlock"}


def lines(name):
    path = os.path.join(FROM, name)
    packed = path + ".xz"  # as a checkout has device.txt; the build unpacks it
    with lzma.open(packed, "rt", encoding="utf-8") if os.path.exists(packed) else open(path, encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f]


def attributes():
    rows = {}
    for line in lines("device.txt"):
        kind, _, rest = line.partition(" ")
        if kind in ("attribute", "driver_attribute"):
            _, number, value = rest.rsplit(" ", 2)
            if re.fullmatch(r"-?\d+", value):
                rows[int(number)] = int(value)
    # What names the machine's slot is not kept: zeros.
    for number in (33, 34, 50):
        rows.setdefault(number, 0)
    return "".join(f"    {{{n}, {v}}},\n" for n, v in sorted(rows.items()))


def properties():
    out = ""
    for line in lines("device.txt"):
        m = re.fullmatch(r"property (\S+) (\d+) (-?\d+)", line)
        if m and m[1] != "sizeof":
            out += f"    {{{m[2]}, {8 if m[1] in WIDE else 4}, {int(m[3]) & (2**64 - 1)}u, {SAME.get(m[1], 0)}}},\n"
    return out


def errors(name, texts):
    out = ""
    for line in lines(name):
        number, error, text = (line + "  ").split(" ", 2)
        out += f'    {{{number}, "{error}"' + (f', "{text.rstrip()}"' if texts else "") + "},\n"
    return out


def main():
    tables = {"tools/runtime/h200_attributes.inc": attributes(), "tools/runtime/h200_properties.inc": properties(),
              "frontends/cuda/status_rows.inc": errors("errors.txt", True),
              "frontends/cuda/driver_status_rows.inc": errors("errors_driver.txt", False)}
    different = []
    for name, text in tables.items():
        path = os.path.join(ROOT, name)
        if "--check" in sys.argv:
            with open(path, encoding="utf-8") as f:
                if f.read() != text:
                    different.append(name)
        else:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
    for name in different:
        print(f"{name} is not what tools/runtime/tables.py makes of tests/runtime/h200", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
