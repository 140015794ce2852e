"""Who includes whom: every include between rooms has its row in tools/bazel_rules/rooms.bzl, which points one way."""
import ast
import os
import re
import unittest

TABLE = "tools/bazel_rules/rooms.bzl"
TOP = ("sim", "frontends", "configs", "analysis", "tools")
# Model code neither prints nor reads files; what it includes besides its own is the language's library and these.
ALLOWED_IN_SIM = {"fmt/format.h", "malloc.h", "sys/mman.h", "sys/resource.h"}
NOT_IN_SIM = {"iostream", "fstream", "filesystem", "print"}


def table():
    with open(TABLE, encoding="utf-8") as f:
        return ast.literal_eval(re.search(r"^ROOMS = (\{.*?^\})", f.read(), re.M | re.S).group(1))


def room_of(path, rooms):
    """The room that a file is in: the longest that its folder begins with; None without any."""
    folder = os.path.dirname(path)
    while folder and folder not in rooms:
        folder = os.path.dirname(folder)
    return folder or None


def includes(text):
    """The paths that a file includes, "..." and <...> apart."""
    return (re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M), re.findall(r"^\s*#\s*include\s+<([^>]+)>", text, re.M))


def breaches(sources, rooms):
    """What is wrong with sources, a dict from paths to texts: a line for each fault."""
    out = []
    for path, text in sorted(sources.items()):
        room = room_of(path, rooms)
        if room is None:
            out.append(f"{path}: its folder is no room; declare it in {TABLE}")
            continue
        ours, others = includes(text)
        for name in ours:
            target = room_of(name, rooms)
            if name.split("/")[0] in TOP + ("tests",) and target != room and target not in rooms[room]:
                out.append(f"{path}: includes {name}, but {room} may not use {target or os.path.dirname(name)} ({TABLE})")
        if path.startswith("sim/"):
            out += [f"{path}: includes <{name}>: model code neither prints nor reads files" for name in others
                    if name in NOT_IN_SIM or ((name.endswith(".h") or "/" in name) and name not in ALLOWED_IN_SIM)]
    return out


class Includes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rooms = table()
        cls.sources = {}
        for top in TOP:
            for folder, _, files in os.walk(top):
                for file in files:
                    if file.endswith((".h", ".cc")):
                        path = os.path.join(folder, file)
                        with open(path, encoding="utf-8") as f:
                            cls.sources[path] = f.read()

    def test_every_include_is_allowed(self):
        self.assertGreater(len(self.sources), 400)
        self.assertEqual(breaches(self.sources, self.rooms), [])

    def test_the_table_points_one_way(self):
        seen = set()
        for room, uses in self.rooms.items():
            self.assertLessEqual(set(uses), seen, f"{room} uses what is not above it")
            seen.add(room)

    def test_the_table_says_no_more_than_there_is(self):
        used = {room: set() for room in self.rooms}
        for path, text in self.sources.items():
            used.get(room_of(path, self.rooms), set()).update(room_of(name, self.rooms) for name in includes(text)[0])
        self.assertEqual({r: sorted(set(uses) - used[r]) for r, uses in self.rooms.items() if set(uses) - used[r]}, {})

    def test_a_breach_is_found(self):
        rooms = {"sim/base": [], "sim/sm": ["sim/base"], "analysis/run": ["sim/sm"]}
        for path, text, says in (
                ("sim/sm/lsu/lsu.cc", '#include "sim/base/text.h"\n#include <vector>\n#include "sim/sm/sm.h"', None),
                ("sim/base/text.h", '#include "sim/sm/sm.h"', "sim/base may not use sim/sm"),
                ("sim/sm/sm.h", ' # include "analysis/run/run.h"', "sim/sm may not use analysis/run"),
                ("analysis/run/run.h", '#include "sim/base/text.h"', "analysis/run may not use sim/base"),
                ("analysis/run/run.h", '#include "tests/support/temp_dir.h"', "may not use tests/support"),
                ("sim/new/new.h", "", "its folder is no room"),
                ("sim/sm/sm.h", "#include <iostream>", "neither prints nor reads files"),
                ("sim/sm/sm.h", "#include <sqlite3.h>", "neither prints nor reads files"),
                ("analysis/run/run.cc", "#include <sqlite3.h>", None)):
            with self.subTest(path=path, text=text):
                found = breaches({path: text}, rooms)
                self.assertEqual(len(found), 0 if says is None else 1)
                self.assertIn(says or "", "".join(found))


if __name__ == "__main__":
    unittest.main()
