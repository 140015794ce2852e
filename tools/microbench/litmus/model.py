"""The PTX memory model, on programs as small as litmus tests: is an outcome allowed, and if not, which axiom says so.

The axioms and relations are those of "Memory Consistency Model" in the PTX ISA (proxies, vectors, mixed sizes and atomics left out: no
shape has any). An outcome's reads-from is known, since no two writes of a location have the same value; coherence orders and orders of
fence.sc are enumerated. Writes that race are not ordered by coherence, so either may be the final value.
"""

from itertools import permutations, product

SCOPES = {"cta": 0, "gpu": 1, "sys": 2}
# Threads of the shapes in litmus.cu: (what, location, value written or register read into).
W, R, F = "W", "R", "F"
SHAPES = {
    "mp": ([[(W, 0, 1), (F,), (W, 1, 1)], [(R, 1, 0), (F,), (R, 0, 1)]], False),
    "sb": ([[(W, 0, 1), (F,), (R, 1, 0)], [(W, 1, 1), (F,), (R, 0, 1)]], False),
    "lb": ([[(R, 0, 0), (F,), (W, 1, 1)], [(R, 1, 1), (F,), (W, 0, 1)]], False),
    "iriw": ([[(W, 0, 1)], [(W, 1, 1)], [(R, 0, 0), (F,), (R, 1, 1)], [(R, 1, 2), (F,), (R, 0, 3)]], False),
    "two2w": ([[(W, 0, 1), (F,), (W, 1, 2)], [(W, 1, 1), (F,), (W, 0, 2)]], True),
    "wrc": ([[(W, 0, 1)], [(R, 0, 0), (F,), (W, 1, 1)], [(R, 1, 1), (F,), (R, 0, 2)]], False),
    "isa2": ([[(W, 0, 1), (F,), (W, 1, 1)], [(R, 1, 0), (F,), (W, 2, 1)], [(R, 2, 1), (F,), (R, 0, 2)]], False),
    "flag": ([[(W, 0, 1), (F,), (W, 1, 1)], [(R, 1, 0), (F,), (R, 0, 1)]], False),  # mp whose flag is polled
    "corr": ([[(W, 0, 1)], [(R, 0, 0), (F,), (R, 0, 1)]], False),
    "coww": ([[(W, 0, 1), (F,), (W, 0, 2)], [(R, 0, 0), (F,), (R, 0, 1)]], True),
    "corw": ([[(R, 0, 0), (F,), (W, 0, 1)], [(W, 0, 2)]], True),
    "cowr": ([[(W, 0, 1), (F,), (R, 0, 0)], [(W, 0, 2)]], True),
}


class Event:
    def __init__(self, number, thread, kind, loc=None, value=None, reg=None, order="weak", scope=None):
        self.number, self.thread, self.kind, self.loc, self.value, self.reg = number, thread, kind, loc, value, reg
        self.order, self.scope = order, scope  # order: weak, relaxed, acquire, release; of a fence: acq_rel, sc

    @property
    def strong(self):
        return self.order != "weak"


def events_of(threads, access, fence):
    """The row's program: `access` and `fence` as litmus.cu spells them."""
    out = []
    for t, ops in enumerate(threads):
        for op in ops:
            if op[0] == F:
                if fence != "none":
                    kind, scope = fence.split("_")
                    out.append(Event(len(out), t, F, order={"ar": "acq_rel", "sc": "sc"}[kind], scope=scope))
                continue
            order, scope = "weak", None
            if access == "vol":
                order, scope = "relaxed", "sys"  # ld.volatile is treated as ld.relaxed.sys
            elif access != "weak":
                order, scope = access.split("_")
                if order == "acqrel":
                    order = "release" if op[0] == W else "acquire"
            out.append(Event(len(out), t, op[0], op[1], op[2] if op[0] == W else None, op[2] if op[0] == R else None, order, scope))
    return out


def closure(pairs):
    pairs = set(pairs)
    while True:
        more = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
        if not more:
            return pairs
        pairs |= more


def acyclic(pairs):
    return all(a != b for a, b in closure(pairs))


def verdict(shape, access, fence, apart, outcome):
    """None if allowed, else the axioms that forbid it (of the execution that comes nearest). `apart`: the smallest scope that has all of
    the shape's threads, 0 cta, 1 gpu, 2 sys."""
    threads, finals = SHAPES[shape]
    ev = events_of(threads, access, fence)
    locs = sorted({e.loc for e in ev if e.loc is not None})
    init = {l: Event(-1 - l, -1, W, l, 0) for l in locs}
    regs = [int(c) for c in outcome]
    n = sum(e.kind == R for e in ev)
    last = dict(zip(locs, regs[n:])) if finals else {}
    writes = {l: [e for e in ev if e.kind == W and e.loc == l] for l in locs}

    def po(a, b):
        return a.thread == b.thread and a.number < b.number

    def morally_strong(a, b):
        if a.thread < 0 or b.thread < 0:
            return False
        return a.thread == b.thread or a.strong and b.strong and min(SCOPES[a.scope], SCOPES[b.scope]) >= apart

    rf = {}
    for e in ev:
        if e.kind == R:
            rf[e] = next((v for v in [init[e.loc], *writes[e.loc]] if v.value == regs[e.reg]), None)
            if rf[e] is None:
                return "no write has that value"
    observed = {(s, e) for e, s in rf.items() if s.thread >= 0 and morally_strong(s, e)}

    # Release and acquire patterns as (first operation, memory operation that counts, last operation).
    release = [(e, e) for e in ev if e.kind == W and e.order == "release"]
    release += [(r, e) for r in ev for e in ev if r.kind == W and r.order == "release" and e.kind == W and e.strong and e.loc == r.loc and po(r, e)]
    release += [(f, e) for f in ev for e in ev if f.kind == F and e.kind == W and e.strong and po(f, e)]
    acquire = [(e, e) for e in ev if e.kind == R and e.order == "acquire"]
    acquire += [(e, a) for a in ev for e in ev if a.kind == R and a.order == "acquire" and e.kind == R and e.strong and e.loc == a.loc and po(e, a)]
    acquire += [(e, f) for f in ev for e in ev if f.kind == F and e.kind == R and e.strong and po(e, f)]
    sync = {(first, end) for first, wr in release for rd, end in acquire if (wr, rd) in observed and morally_strong(first, end)}

    sc = [e for e in ev if e.kind == F and e.order == "sc"]
    why = []
    for sc_order in permutations(sc):
        fence_sc = {(a, b) for i, a in enumerate(sc_order) for b in sc_order[i + 1 :] if morally_strong(a, b)}
        program = {(a, b) for a in ev for b in ev if po(a, b)}
        base = closure(program | sync | fence_sc)
        causality = base | {(a, c) for a, b in observed for b2, c in base if b is b2} | observed
        before = causality | {(init[l], e) for l in locs for e in ev if e.loc == l}
        for co_orders in product(*[permutations(writes[l]) for l in locs]):
            broken = []
            full = {(a, b) for order in co_orders for i, a in enumerate(order) for b in order[i + 1 :]}
            co = {(a, b) for a, b in full if morally_strong(a, b) or (a, b) in before or (b, a) in before}
            if any((b, a) in before for a, b in co):
                broken.append("coherence")
            co |= {(init[l], e) for l in locs for e in writes[l]}
            if any((v, e) in co for l in last for e in writes[l] for v in [init[l], *writes[l]] if v.value == last[l]):
                continue  # not this order's final values
            if any((b, a) in causality for a, b in fence_sc):
                broken.append("fence-sc")
            fr = {(e, v) for e, s in rf.items() for s2, v in co if s2 is s}
            strong = {(a, b) for a, b in co | fr | {(s, e) for e, s in rf.items()} if morally_strong(a, b)}
            for l in locs:
                # A set of operations that are pairwise morally strong: all of the location if they are, else each pair.
                own = [e for e in ev if e.loc == l]
                whole = all(morally_strong(a, b) for a in own for b in own if a is not b)
                sets = [own] if whole else [[a, b] for a in own for b in own if a.number < b.number and morally_strong(a, b)]
                for some in sets:
                    part = {(a, b) for a, b in program | strong if a in some and b in some}
                    if not acyclic(part):
                        broken.append("sc-per-location")
                        break
            if any((e, s) in causality for e, s in rf.items()):
                broken.append("causality")
            elif any((v, e) in before and (s, v) in co for e, s in rf.items() for v in writes[e.loc]):
                broken.append("causality")
            if not broken:
                return None
            why.append(broken)
    return "+".join(min(why, key=len)) if why else "no order of the writes ends so"
