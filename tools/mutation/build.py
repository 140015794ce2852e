"""One program of all tests with all drawn mutants in it, under .cache/mutate: a copy of the sources that it needs,
what is made of the schemas, a Makefile. What has not changed since the last time is not compiled again."""

import hashlib
import lzma
import re
import shutil
import subprocess
from pathlib import Path

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
OUTER = re.compile(r"^(namespace heddle[\w:]*) \{$", re.M)
SCHEMA = "configs/schema"
PROTOS = [SCHEMA, "frontends/workload", "frontends/trace"]
# Made of the schema, as configs/schema/BUILD has it made.
MAKE_SPEC, SPEC = "make_spec.py", ("spec.h", "spec_of.cc")
LIBRARIES = "-lprotobuf -lfmt -llzma -lz -lzstd -lpthread"
# Assertions are on, as in the builds with sanitizers.
FLAGS = "-std=c++20 -O1 -w -mpopcnt -D_GLIBCXX_ASSERTIONS -DFMT_SHARED -I. -Igen"
FLAGS_OF = {"tests/exec/arith/": "-frounding-math"}
HEAVY = """#include "configs/schema/spec.h"
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
#include "schemata.h"
"""
HEAVY_TEST = """#define CATCH_CONFIG_FAST_COMPILE
#include "heavy.h"
#include "configs/schema/gpu.pb.h"
#include <catch2/catch.hpp>
"""
# Test files of a folder that are compiled as one: most of a file's time goes into what it includes.
TOGETHER = 8


class Failed(Exception):
    def __init__(self, places, text):
        super().__init__(text)
        self.places = places  # (path, line) that the compiler named


def test_files(root, folders, without):
    """Tests of what is in sim and in what they need of frontends; not those of the analysis."""
    out = []
    for folder in folders:
        for p in sorted((root / folder).rglob("*_test.cc")):
            name = str(p.relative_to(root))
            if not any(w in name for w in without) and '#include "analysis/' not in p.read_text():
                out.append(name)
    return out


class _Rules(dict):
    """Runs a BUILD file, whose language is a part of Python's, for its libraries."""

    def __init__(self, folder):
        super().__init__(glob=self._glob, cc_library=self._library, select=lambda choices: [])
        self.folder, self.of_header = folder, {}
        build = folder / "BUILD"
        if build.exists():
            exec(compile(build.read_text(), str(build), "exec"), self)  # noqa: S102

    def __missing__(self, name):
        if name in ("str", "len", "dict", "list", "range", "sorted"):
            return __builtins__[name]
        return lambda *args, **kwargs: []

    def _glob(self, patterns, exclude=(), **_):
        out = {p for g in patterns for p in self.folder.glob(g)} - {p for g in exclude for p in self.folder.glob(g)}
        return sorted(str(p.relative_to(self.folder)) for p in out)

    def _library(self, srcs=(), hdrs=(), **_):
        sources = [f for f in srcs if f.endswith(".cc")]
        for h in [*hdrs, *srcs]:
            self.of_header[h] = sources


def needed(root, tests):
    """Every header that the tests include, directly or not, and the sources of these headers' libraries."""
    seen, rules, todo = set(), {}, list(tests)
    while todo:
        name = todo.pop()
        if name in seen or name == "tests/support/catch_main.cc" or not (root / name).exists():
            continue
        seen.add(name)
        for h in INCLUDE.findall((root / name).read_text()):
            if h.endswith(".pb.h"):
                continue
            folder, file = h.rsplit("/", 1) if "/" in h else ("", h)
            if folder not in rules:
                rules[folder] = _Rules(root / folder)
            todo.append(h)
            todo += [f"{folder}/{f}" for f in rules[folder].of_header.get(file, ())]
    return sorted(seen)


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run_folder(root, cache, folders, without):
    """Where tests run: links to what is in the root and, in these folders, what Bazel unpacks for them."""
    run = cache / "run"
    shutil.rmtree(run, ignore_errors=True)
    found = [p.relative_to(root) for f in folders for p in (root / f).rglob("*.xz")]
    packed = [p for p in found if not any(w in str(p) for w in without)]

    def link(folder):
        (run / folder).mkdir(parents=True)
        for p in sorted((root / folder).glob("[!.]*")):
            name = p.relative_to(root)
            if any(name in x.parents for x in packed):
                link(name)
            else:
                (run / name).symlink_to(p)

    link(Path())
    for p in packed:
        (run / p.with_suffix("")).write_bytes(lzma.decompress((root / p).read_bytes()))
    return run


class Build:
    def __init__(self, root, cache, tests):
        self.root, self.tree = root, cache / "tree"
        self.tests = tests
        self.files = needed(root, tests)
        model = [(root / f).read_bytes() for f in self.files if f.startswith("sim/")]
        self.digest = hashlib.sha256(b"".join(model)).hexdigest()[:12]
        self.together = {}
        for folder in sorted({Path(t).parent for t in tests}):
            mine = [t for t in tests if Path(t).parent == folder]
            for i in range(0, len(mine), TOGETHER):
                self.together[f"{folder}/together_{i // TOGETHER}.cc"] = mine[i : i + TOGETHER]
        self.program = cache / "tree" / "mutants"

    def copy(self, rewritten):
        """`rewritten`: the text of the files that have mutants."""
        for name in self.files:
            text = rewritten.get(name) or (self.root / name).read_text()
            if name in self.tests:
                text = re.sub(r'(TEST_CASE\(\s*")', rf"\g<1>{name}: ", text)
                own = re.sub(r"\W", "_", name)  # each file's helpers have names of their own
                text = OUTER.sub(rf"\1::of_{own} {{", text)
            write(self.tree / name, text)
        for name, tests in self.together.items():
            write(self.tree / name, "".join(f'#include "{t}"\n' for t in tests))
        here = Path(__file__).parent
        for name in ("schemata.h", "main.cc"):
            write(self.tree / name, (here / name).read_text())
        write(self.tree / "heavy.h", HEAVY)
        write(self.tree / "heavy_test.h", HEAVY_TEST)
        for folder in PROTOS:
            for p in sorted((self.root / folder).glob("*.proto")):
                write(self.tree / folder / p.name, p.read_text())
        write(self.tree / SCHEMA / MAKE_SPEC, (self.root / SCHEMA / MAKE_SPEC).read_text())
        write(self.tree / "Makefile", self._makefile())

    def _makefile(self):
        protos = [f"{f}/{p.stem}" for f in PROTOS for p in sorted((self.root / f).glob("*.proto"))]
        spec = [f"gen/{SCHEMA}/{f}" for f in SPEC]
        code = " ".join([f"gen/{p}.pb.cc" for p in protos] + spec)
        out = [
            "all: mutants",
            f"protos := {' '.join(p + '.proto' for p in protos)}",
            f"gen/done: $(protos) {SCHEMA}/{MAKE_SPEC}\n\tmkdir -p gen && protoc --cpp_out=gen $(protos)\n"
            f"\tprotoc -I. --include_imports --descriptor_set_out=gen/schema.pb {SCHEMA}/gpu.proto\n"
            f"\t/usr/bin/python3 {SCHEMA}/{MAKE_SPEC} gen/schema.pb {' '.join(spec)} && touch $@",
            f"{code}: gen/done",
        ]
        for h in ("heavy", "heavy_test"):
            out.append(
                f"{h}.h.gch: {h}.h gen/done\n\tg++ {FLAGS} -MMD -MP -MF {h}.d -MT $@ -x c++-header $< -o $@\n-include {h}.d"
            )
        objects = ["main.o"]
        out.append(f"main.o: main.cc schemata.h\n\tg++ {FLAGS} -c $< -o $@")
        for name in [f for f in self.files if f.endswith(".cc") and f not in self.tests] + list(self.together):
            heavy = "heavy_test" if name.startswith("tests/") else "heavy"
            more = next((f for p, f in FLAGS_OF.items() if name.startswith(p)), "")
            obj = name[:-3] + ".o"
            objects.append(obj)
            include = "" if more else f"-include {heavy}.h"  # a precompiled header is for one set of options
            out.append(
                f"{obj}: {name} {heavy}.h.gch\n\tg++ {FLAGS} {more} {include} -MMD -MP -c $< -o $@\n"
                f"-include {obj[:-2]}.d"
            )
        for p in [f"{p}.pb" for p in protos] + [f"{SCHEMA}/spec_of"]:
            objects.append(f"gen/{p}.o")
            out.append(f"gen/{p}.o: gen/done\n\tg++ {FLAGS} -O0 -c gen/{p}.cc -o $@")
        out.append(f"objects := {' '.join(objects)}")
        out.append(f"mutants: $(objects)\n\t$(file >objects.txt,$(objects))g++ -o $@ @objects.txt {LIBRARIES}")
        return "\n".join(out) + "\n"

    def make(self, jobs, targets=("all",)):
        r = subprocess.run(
            ["make", "-k", f"-j{jobs}", "--no-print-directory", *targets],
            cwd=self.tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        (self.tree / "make.log").write_text(r.stdout)
        if r.returncode != 0:
            places = set(re.findall(r"^([\w/.]+):(\d+):\d+: (?:error|  *required from)", r.stdout, re.M))
            places |= set(re.findall(r"^([\w/.]+):(\d+):\d+:   *required from", r.stdout, re.M))
            raise Failed({(p, int(n)) for p, n in places}, r.stdout)
