"""Which mutants: the first of a seeded order, one a place, that compile."""

import hashlib

from .operators import candidates
from .rewrite import rewrite
from .source import Source


def all_candidates(root, files):
    out = {}
    for name in files:
        if name.startswith("sim/"):
            out[name] = candidates(Source(name, (root / name).read_text()))
    return out


class Draw:
    def __init__(self, root, files, seed):
        self.root = root
        self.found = all_candidates(root, files)
        everything = [m for ms in self.found.values() for m in ms]
        # By the change, so that an edit elsewhere moves none.
        self.order = sorted(
            everything, key=lambda m: hashlib.sha256(f"{seed} {m.key()}".encode()).digest()
        )

    def __len__(self):
        return len(self.order)

    def take(self, count, without):
        """{number: Mutation}, numbered by their turn; `without`: keys of those that do not compile, whose numbers
        are left out."""
        out, sites = {}, set()
        for m in self.order:
            if len(out) == count:
                break
            if m.site not in sites:
                sites.add(m.site)
                if m.key() not in without:
                    out[len(sites)] = m
        return out

    def at(self, places, without):
        """All that can be changed at `path:line`s; of several changes of one token the first of the order."""
        out, sites = {}, set()
        for m in self.order:
            if f"{m.path}:{m.line}" in places and m.site not in sites and m.key() not in without:
                sites.add(m.site)
                out[len(out) + 1] = m
        return out

    def rewritten(self, drawn):
        texts = {}
        for path in {m.path for m in drawn.values()}:
            mine = [(n, m) for n, m in drawn.items() if m.path == path]
            text = rewrite((self.root / path).read_text(), mine)
            texts[path] = '#include "schemata.h"\n#line 1\n' + text
        return texts
