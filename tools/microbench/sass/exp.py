#!/usr/bin/env python3
"""SASS-level experiments (register ports, minimum latencies, memory queues, scheduler, branches). Prints CSV rows like the CUDA programs."""
import itertools, os, sys
from sasslib import *

g = Gpu(sys.argv[1] if len(sys.argv) > 1 else "tmpl.cubin")
T0, T1, RX = g.rt0, g.rt1, g.rx


def rec(id_, param, v, unit, cond, kern="sass"):
    print(f"CSV,{id_},{param},{v:.6g},{unit},{cond},{kern},1,0", flush=True)


W1 = dict(st=15)
# R32:R33 = global pointer, R34 = tid, R36:R37 = g + 16*tid, R35 = 1024 + 16*tid (shared), R38:R39 = g + 4*tid, R31 = 1024 + 4*tid, R40..R61 = 1.0f (R62 and R63 are not usable: the register count includes two reserved ones)
SETUP = [LDC(32, 0x218, 64, st=15, wb=0), S2R(34, st=15, wb=1), NOP(st=15, wm=3),
         ins(0x825, 0x078E0200, 36, 34, imm=16, rc=32, **W1), ins(0x825, 0x078E0200, 38, 34, imm=4, rc=32, **W1),
         MOVI(30, 1024, **W1), ins(0x824, 0x078E0200, 35, 34, imm=16, rc=30, **W1), ins(0x824, 0x078E0200, 31, 34, imm=4, rc=30, **W1)] + [MOVI(r, 0x3F800000, st=5) for r in range(40, 62)] + [NOP(st=15)]
IDLE = [NOP(st=15)] * 30  # single-warp experiments: let everything drain


def timed(body, pre=(), post=None):
    code = list(pre) + [NOP(st=15), CLK(T0, st=4)] + list(body) + [CLK(T1, st=2)] + list(IDLE if post is None else post)
    return code + [BRA(4 * (len(g.region) - len(code) - 1), st=5)]


def cyc(body, threads=32, pre=(), post=None, **k):  # filler after the code is skipped by a branch
    r = g.run(SETUP, timed(body, pre, post), threads, **k)
    return r


def guard(name, f):
    try:
        f()
    except Exception as e:  # keep going: one bad encoding must not lose the rest
        print(f"ERROR,{name},{e}", flush=True)


# 0. base: clock to clock, NOP rate, FADD rate
def base():
    b = cyc([])[0][0]
    rec("X", "clock_to_clock", b, "cyc", "CS2R;CS2R stall 1")
    for n in (64, 256):
        rec("X", "NOP_rate", (cyc([NOP()] * n)[0][0] - b) / n, "cyc/instr", f"{n} NOP stall 1")
        rec("X", "FADD_rate", (cyc([FADD(24 + i % 4, 40, 41) for i in range(n)])[0][0] - b) / n, "cyc/instr", f"{n} independent FADD stall 1; sources R40 R41")
    for st in range(0, 16):
        for y in (0, 1):
            rec("X", "stall_yield", (cyc([FADD(24, 40, 41, st=st, y=y)] * 32)[0][0] - b) / 32, "cyc/instr", f"stall {st}; yield bit {y}; one warp")
    for st, y in ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)):
        r = cyc([FADD(24, 40, 41, st=st, y=y)] * 256, threads=256)
        rec("X", "stall_yield_2warps", (max(x[3] for x in r[0::4]) - min(x[2] for x in r[0::4])) / 512, "cyc/instr/subcore", f"stall {st}; yield bit {y}; 2 warps per sub-core; ends {[x[3] - r[0][2] for x in r[0::4]]}".replace(",", " "))


# 1. register ports
def ports():
    b = cyc([])[0][0]
    n = 192
    pool = {0: [40, 44, 48, 52, 56, 60], 1: [41, 45, 49, 53, 57, 61], 2: [42, 46, 50, 54, 58], 3: [43, 47, 51, 55, 59]}

    def pick(pat):
        use = {k: list(v) for k, v in pool.items()}
        return [use[p].pop(0) for p in pat]

    for op in (FFMA, IADD3, LOP3, IMAD, HFMA2, HFMA2M):
        for pat in ((0, 1, 2), (0, 2, 1), (0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 2, 0), (0, 0, 0), (1, 1, 1), (0, 1, 3), (0, 2, 2)):
            s = pick(pat)
            r = cyc([op(24 + i % 6, *s) for i in range(n)])[0][0]
            rec("X", f"ports_{op.__name__}", (r - b) / n, "cyc/instr", f"source regs mod 4 = {pat} (all distinct); no reuse".replace(",", ""))
        s = pick((0, 0, 0))
        for reuse in (1, 2, 4, 7):
            r = cyc([op(24 + i % 6, *s, reuse=reuse) for i in range(n)])[0][0]
            rec("X", f"ports_{op.__name__}", (r - b) / n, "cyc/instr", f"same bank x3; reuse bits {reuse}")
        rec("X", f"ports_{op.__name__}", (cyc([op(24 + i % 6, 40, 40, 40) for i in range(n)])[0][0] - b) / n, "cyc/instr", "one register three times")
        rec("X", f"ports_{op.__name__}", (cyc([op(24 + i % 6, 40, 41, RZ) for i in range(n)])[0][0] - b) / n, "cyc/instr", "two registers and RZ")
        rec("X", f"ports_{op.__name__}", (cyc([op(24 + i % 6, 40, 42, RZ) for i in range(n)])[0][0] - b) / n, "cyc/instr", "two registers same bank and RZ")
        for wr in ((24, 26, 28), (24, 25, 26, 27, 28, 29), (25, 27, 29)):
            s = pick((0, 1, 2))
            rec("X", f"ports_{op.__name__}_dst", (cyc([op(wr[i % len(wr)], *s) for i in range(n)])[0][0] - b) / n, "cyc/instr", f"destinations {wr}; sources mod 4 = 0 1 2".replace(",", ""))
    for pat in ((40, 44), (40, 42), (40, 41), (40, 43)):
        rec("X", "ports_FADD", (cyc([FADD(24 + i % 6, *pat) for i in range(n)])[0][0] - b) / n, "cyc/instr", f"sources R{pat[0]} R{pat[1]}")
    for s in ((40, 44, 48), (40, 42, 44), (40, 42, 46)):
        rec("X", "ports_DFMA", (cyc([DFMA(24 + 2 * (i % 3), *s) for i in range(64)])[0][0] - b) / 64, "cyc/instr", f"sources R{s[0]} R{s[1]} R{s[2]}")
    rec("X", "ports_DFMA", (cyc([DFMA(24 + 2 * (i % 3), 40, 40, 40) for i in range(64)])[0][0] - b) / 64, "cyc/instr", "one register pair three times")
    # alternating pairs of different operand sets (no register cached twice in a row)
    a1, a2 = pick((0, 1, 2)), pick((1, 0, 3))
    rec("X", "ports_FFMA", (cyc([FFMA(24 + i % 6, *(a1 if i % 2 else a2)) for i in range(n)])[0][0] - b) / n, "cyc/instr", "alternating 012 / 103")
    # mixes of pipes with 2 or 3 sources
    rec("X", "mix_FFMA_LOP3", (cyc([FFMA(24 + i % 3, 40, 41, 42) if i % 2 else LOP3(27 + i % 3, 43, 44, 45) for i in range(n)])[0][0] - b) / n, "cyc/instr", "3+3 sources")
    rec("X", "mix_FADD_IADD3", (cyc([FADD(24 + i % 3, 40, 41) if i % 2 else IADD3(27 + i % 3, 42, 43) for i in range(n)])[0][0] - b) / n, "cyc/instr", "2+2 sources")
    rec("X", "mix_FADD_IMAD", (cyc([FADD(24 + i % 3, 40, 41) if i % 2 else IMAD(27 + i % 3, 42, 43, RZ) for i in range(n)])[0][0] - b) / n, "cyc/instr", "2+2 sources")
    rec("X", "mix_IADD3_IMAD", (cyc([IADD3(24 + i % 3, 40, 41) if i % 2 else IMAD(27 + i % 3, 42, 43, RZ) for i in range(n)])[0][0] - b) / n, "cyc/instr", "2+2 sources")
    rec("X", "mix_HFMA2_HFMA2MMA", (cyc([HFMA2(24 + i % 3, 40, 41, RZ) if i % 2 else HFMA2M(27 + i % 3, 42, 43, RZ) for i in range(n)])[0][0] - b) / n, "cyc/instr", "2+2 sources")
    rec("X", "mix_HFMA2_FADD", (cyc([HFMA2(24 + i % 3, 40, 41, RZ) if i % 2 else FADD(27 + i % 3, 42, 43) for i in range(n)])[0][0] - b) / n, "cyc/instr", "2+2 sources")
    rec("X", "mix_HFMA2MMA_FADD", (cyc([HFMA2M(24 + i % 3, 40, 41, RZ) if i % 2 else FADD(27 + i % 3, 42, 43) for i in range(n)])[0][0] - b) / n, "cyc/instr", "2+2 sources")
    rec("X", "mix_HFMA2MMA_IMAD", (cyc([HFMA2M(24 + i % 3, 40, 41, RZ) if i % 2 else IMAD(27 + i % 3, 42, 43, RZ) for i in range(n)])[0][0] - b) / n, "cyc/instr", "2+2 sources")
    rec("X", "mix_HFMA2_LOP3", (cyc([HFMA2(24 + i % 3, 40, 41, RZ) if i % 2 else LOP3(27 + i % 3, 42, 43, RZ) for i in range(n)])[0][0] - b) / n, "cyc/instr", "2+2 sources")


# 2. smallest stall that still gives the right value
def minlat():
    prods = {"IADD3": lambda st: IADD3(50, 40, RZ, st=st), "LOP3": lambda st: LOP3(50, 40, RZ, st=st), "FADD": lambda st: FADD(50, 40, RZ, st=st), "FFMA": lambda st: FFMA(50, 40, 41, RZ, st=st), "IMAD": lambda st: IMAD(50, 40, 43, RZ, st=st), "MOV": lambda st: MOV(50, 40, st=st), "HFMA2": lambda st: HFMA2(50, RZ, RZ, 40, st=st), "HFMA2.MMA": lambda st: HFMA2M(50, RZ, RZ, 40, st=st), "IMAD.WIDE": lambda st: IMADW(50, 40, 43, RZ, st=st)}
    cons = {"IADD3": lambda: IADD3(52, 50, RZ, st=15), "LOP3": lambda: LOP3(52, 50, RZ, st=15), "FADD": lambda: FADD(52, 50, RZ, st=15), "FFMA(c)": lambda: FFMA(52, RZ, RZ, 50, st=15), "IMAD": lambda: IMAD(52, 50, 43, RZ, st=15), "MOV": lambda: MOV(52, 50, st=15), "HFMA2": lambda: HFMA2(52, RZ, RZ, 50, st=15), "HFMA2.MMA": lambda: HFMA2M(52, RZ, RZ, 50, st=15), "SHFL": lambda: SHFL(52, 50, st=15, wb=2), "STS_data": lambda: STS(31, 50, st=15), "MUFU": lambda: MUFU(52, 50, st=15, wb=2)}
    pre = [MOVI(43, 1, st=15), MOVI(40, 0x40000000, st=15), MOVI(41, 0x3F800000, st=15)]
    for (pn, pf), (cn, cf) in itertools.product(prods.items(), cons.items()):
        best = None
        ok = []
        for st in range(1, 14):
            tail = [NOP(st=15, wm=0x3F)] * 3
            if cn == "STS_data":
                tail = [NOP(st=15)] * 3 + [LDS(52, 31, st=15, wb=2)] + tail
            code = pre + [MOVI(50, 0x7, st=15), MOVI(51, 0, st=15), MOVI(52, 0, st=15), NOP(st=15), pf(st), cf()] + tail + [MOV(RX, 52, st=15), CLK(T0, st=2), CLK(T1, st=15)]
            v = g.run(SETUP, code, 32, launches=1)[0][1]
            ref = {"MUFU": None}.get(cn, 0x40000000)
            ok.append(v)
        good = ok[-1]
        for k in range(len(ok)):
            if all(x == good for x in ok[k:]):
                best = k + 1
                break
        rec("X", "min_stall", best, "cyc", f"{pn} -> {cn}; final value {good:#x}; stall-1 value {ok[0]:#x}")
    # predicate producer
    for pn, use in (("ISETP->SEL", "sel"), ("ISETP->@P IADD3", "pred"), ("ISETP->@P LDS", "lds"), ("ISETP->BRA", "bra")):
        ok = []
        for st in range(1, 15):
            code = [MOVI(52, 0, st=15), MOVI(53, 5, st=15), ISETPNE(3, RZ, RZ, st=15), NOP(st=15), ISETPNE(3, 40, RZ, st=st)]
            if use == "sel":
                code += [SEL(52, 53, RZ, 3, st=15)]
            elif use == "pred":
                code += [IADD3(52, 53, RZ, p=3, st=15)]
            elif use == "lds":
                code += [LDS(52, 31, p=3, st=15, wb=2), NOP(st=15, wm=4)]
            else:
                code += [BRA(4, p=3, st=15), MOVI(52, 9, st=15)]
            pre2 = [STS(31, 53, st=15), NOP(st=15), NOP(st=15)] if use == "lds" else []
            v = g.run(SETUP, [MOVI(53, 5, st=15)] + pre2 + code + [NOP(st=15)] * 2 + [MOV(RX, 52, st=15), CLK(T0, st=2), CLK(T1, st=15)], 32, launches=1)[0][1]
            ok.append(v)
        best = next((k + 1 for k in range(len(ok)) if all(x == ok[-1] for x in ok[k:])), 0)
        rec("X", "min_stall", best, "cyc", f"{pn}; values {ok}".replace(",", " "))


# 3. memory pipeline: issue times, WAR release, RAW ready
KIND = {
    "LDS32": lambda i, **k: LDS(40 + i % 20, 31, 32, (i % 8) * 128, **k), "LDS64": lambda i, **k: LDS(40 + 2 * (i % 10), 35, 64, (i % 8) * 512, **k), "LDS128": lambda i, **k: LDS(40 + 4 * (i % 5), 35, 128, (i % 8) * 512, **k),
    "STS32": lambda i, **k: STS(31, 40, 32, (i % 8) * 128, **k), "STS64": lambda i, **k: STS(35, 40, 64, (i % 8) * 512, **k), "STS128": lambda i, **k: STS(35, 40, 128, (i % 8) * 512, **k),
    "LDG32": lambda i, **k: LDG(40 + i % 20, 38, 32, (i % 8) * 4096, **k), "LDG64": lambda i, **k: LDG(40 + 2 * (i % 10), 36, 64, (i % 8) * 16384, **k), "LDG128": lambda i, **k: LDG(40 + 4 * (i % 5), 36, 128, (i % 8) * 16384, **k), "LDG32u": lambda i, **k: LDG(40 + i % 20, 32, 32, (i % 8) * 4096, **k),
    "STG32": lambda i, **k: STG(38, 40, 32, (i % 8) * 4096, **k), "STG128": lambda i, **k: STG(36, 40, 128, (i % 8) * 16384, **k),
    "LDG32c": lambda i, **k: (lambda w: (w[0], w[1] | 0x8000))(LDG(40 + i % 20, 38, 32, (i % 8) * 4096, **k)), "ATOMS": lambda i, **k: ins(0x38C, 0, 40 + i % 20, 31, 60, off=(i % 8) * 128, **k), "MUFU": lambda i, **k: MUFU(40 + i % 20, 60, **k), "SHFL": lambda i, **k: SHFL(40 + i % 20, 60, **k), "POPC": lambda i, **k: POPC(40 + i % 20, 60, **k), "LDC": lambda i, **k: LDCR(40 + i % 20, 255, 0x210, **k), "S2R": lambda i, **k: S2R(40 + i % 20, 0x21, **k), "DFMA": lambda i, **k: DFMA(40 + 2 * (i % 8), 60, 60, 60, **k), "IMAD": lambda i, **k: IMAD(40 + i % 20, 60, 61, RZ, **k), "LOP3": lambda i, **k: LOP3(40 + i % 20, 60, 61, RZ, **k),
}


def queues():
    for name, f in KIND.items():
        for st in (1, 2):
            rows = {}
            for k in list(range(0, 17)) + [20, 24]:
                v = []
                for sub in (1, 2, 3, 4):
                    if sub > 1 and (st > 1 or name in ("IMAD", "LOP3", "S2R", "POPC")):
                        continue
                    r = cyc([f(i, st=st) for i in range(k)], threads=32 * sub, post=[NOP(st=15)] * 40)
                    v.append("/".join(str(x[0]) for x in r))
                rows[k] = v
                rec("X", f"issue_{name}_after_k={k}", float(v[0]), "cyc", f"stall {st}; clock after k instrs; 1..4 active sub-cores (per warp): {'  '.join(v)}")
    for name, f in KIND.items():
        for sub in (1, 4):
            a = max(x[0] for x in cyc([f(0, st=2, wb=0), NOP(st=1, wm=1)], threads=32 * sub)) if not name.startswith("ST") else 0
            w = max(x[0] for x in cyc([f(0, st=2, rb=1), NOP(st=1, wm=2)], threads=32 * sub))
            rec("X", f"release_{name}", a, "cyc", f"issue to RAW-ready (clock of an instr waiting on the write barrier) incl. 1; read-barrier release {w}; {sub} sub-cores")


# 4. scheduler: identical independent streams in several warps of one sub-core
def sched():
    for nw in (2, 4, 8):
        r = cyc([FADD(24 + i % 4, 40, 41) for i in range(512)], threads=128 * nw, post=[])
        w0 = r[0::4]
        t0 = min(x[2] for x in w0)
        rec("X", "scheduler_streams", (max(x[3] for x in w0) - t0) / (512 * nw), "cyc/instr", f"{nw} warps/sub-core x 512 FADD stall 1; start/end per warp: {'  '.join(f'{x[2] - t0}/{x[3] - t0}' for x in w0)}")
        r = cyc([FADD(24 + i % 4, 40, 41, y=0 if i % 8 == 7 else 1) for i in range(512)], threads=128 * nw, post=[])
        w0 = r[0::4]
        t0 = min(x[2] for x in w0)
        rec("X", "scheduler_streams", (max(x[3] for x in w0) - t0) / (512 * nw), "cyc/instr", f"{nw} warps; yield bit 0 on every 8th; start/end: {'  '.join(f'{x[2] - t0}/{x[3] - t0}' for x in w0)}")
        r = cyc([FADD(24 + i % 4, 40, 41, st=2) for i in range(256)], threads=128 * nw, post=[])
        w0 = r[0::4]
        t0 = min(x[2] for x in w0)
        rec("X", "scheduler_streams", (max(x[3] for x in w0) - t0) / (256 * nw), "cyc/instr", f"{nw} warps; stall 2; start/end: {'  '.join(f'{x[2] - t0}/{x[3] - t0}' for x in w0)}")
        r = cyc([LOP3(24 + i % 4, 40, 41, RZ) for i in range(256)], threads=128 * nw, post=[])
        w0 = r[0::4]
        t0 = min(x[2] for x in w0)
        rec("X", "scheduler_streams_ALU", (max(x[3] for x in w0) - t0) / (256 * nw), "cyc/instr", f"{nw} warps x 256 LOP3 stall 1; start/end: {'  '.join(f'{x[2] - t0}/{x[3] - t0}' for x in w0)}")


# 4b. do FP32 instructions choose their 16-lane half by position? One NOP shifts the whole stream by one slot.
def halves():
    b = cyc([])[0][0]
    n = 192
    mk = {"FADD": lambda i: FADD(24 + i % 3, 40, 41), "IMAD": lambda i: IMAD(27 + i % 3, 42, 43, RZ), "HFMA2": lambda i: HFMA2(27 + i % 3, 42, 43, RZ), "HFMA2M": lambda i: HFMA2M(27 + i % 3, 42, 43, RZ), "LOP3": lambda i: LOP3(27 + i % 3, 42, 43, RZ), "NOP": lambda i: NOP()}
    for a, c in (("FADD", "IMAD"), ("FADD", "HFMA2"), ("FADD", "HFMA2M"), ("IMAD", "HFMA2"), ("IMAD", "HFMA2M"), ("FADD", "LOP3"), ("FADD", "NOP")):
        for first in (0, 1):
            for shift in (0, 1):
                body = [NOP()] * shift + [(mk[a] if i % 2 == first else mk[c])(i) for i in range(n)]
                rec("X", f"halves_{a}_{c}", (cyc(body)[0][0] - b - shift) / n, "cyc/instr", f"{a} at {'even' if first == 0 else 'odd'} positions; shifted by {shift} NOP")
    for pat in ("FFI", "FIF", "FFFI", "FFII", "FIII", "FFL", "FIL", "FFIL", "FLIL", "FIFL", "FFHL", "IL", "FLL"):
        t = {"F": "FADD", "I": "IMAD", "L": "LOP3", "H": "HFMA2"}
        for shift in (0, 1):
            body = [NOP()] * shift + [mk[t[pat[i % len(pat)]]](i) for i in range(n)]
            rec("X", f"pattern_{pat}", (cyc(body)[0][0] - b - shift) / n, "cyc/instr", f"1 warp; stall 1; shift {shift}")
            for nw in (2, 4):
                r = cyc([NOP()] * shift + [mk[t[pat[i % len(pat)]]](i) for i in range(n)], threads=128 * nw, post=[])[0::4]
                rec("X", f"pattern_{pat}", (max(x[3] for x in r) - min(x[2] for x in r)) / (n * nw), "cyc/instr", f"{nw} warps/sub-core; stall 1; shift {shift}")


# 4c. several warps per sub-core, fixed stall: cycles per instruction and per-warp finishing times
def multi():
    ops = {"FADD": lambda i, st: FADD(24 + i % 4, 40, 41, st=st), "FFMA_reuse": lambda i, st: FFMA(24 + i % 4, 40, 41, 42, st=st, reuse=7), "FFMA": lambda i, st: FFMA(24 + i % 4, 40, 41, 42, st=st), "LOP3": lambda i, st: LOP3(24 + i % 4, 40, 41, RZ, st=st), "IMAD": lambda i, st: IMAD(24 + i % 4, 40, 41, RZ, st=st), "FADD_dep": lambda i, st: FADD(24, 24, 41, st=st), "LOP3_dep": lambda i, st: LOP3(24, 24, 41, RZ, st=st), "alt_IADD3_IMAD": lambda i, st: (IADD3 if i % 2 else IMAD)(24 + i % 4, 40, 41, RZ, st=st), "alt_FADD_LOP3": lambda i, st: FADD(24 + i % 4, 40, 41, st=st) if i % 2 else LOP3(24 + i % 4, 42, 43, RZ, st=st), "MUFU": lambda i, st: MUFU(24 + i % 4, 40, st=st), "DFMA": lambda i, st: DFMA(24 + 2 * (i % 2), 40, 40, 40, st=st), "NOP": lambda i, st: NOP(st=st)}
    n = 240
    for nm, f in ops.items():
        for st in (1, 2, 3, 4, 5):
            for nw in (1, 2, 3, 4, 6, 8):
                r = cyc([f(i, st) for i in range(n)], threads=128 * nw, post=[])[0::4]
                t0 = min(x[2] for x in r)
                rec("X", f"multi_{nm}", (max(x[3] for x in r) - t0) / (n * nw), "cyc/instr/subcore", f"stall {st}; {nw} warps per sub-core; {n} instrs; start/end per warp: {'  '.join(f'{x[2] - t0}/{x[3] - t0}' for x in r)}")


# 5. branches
def branches():
    b = cyc([])[0][0]
    for st in (1, 2, 4, 5, 6, 8, 12, 15):
        n = 24
        rec("X", "BRA_to_next", (cyc([BRA(0, st=st)] * n)[0][0] - b) / n, "cyc", f"taken branch to the next instruction; stall {st}")
    for gap in (1, 3, 7, 8, 15, 16, 31, 32):
        n = min(16, 500 // (gap + 1))
        body = []
        for _ in range(n):
            body += [BRA(gap * 4, st=5)] + [NOP()] * gap
        rec("X", "BRA_forward", (cyc(body)[0][0] - b) / n, "cyc", f"taken branch over {gap} instructions; stall 5")
    for st in (1, 5):
        n = 24
        rec("X", "BRA_not_taken", (cyc([BRA(64, p=15, st=st)] * n)[0][0] - b) / n, "cyc", f"never-taken @!PT; stall {st}")
    for nw in (2, 4, 8):
        n = 24
        r = cyc([BRA(0, st=5)] * n, threads=128 * nw, post=[])
        w0 = r[0::4]
        rec("X", "BRA_to_next_throughput", (max(x[3] for x in w0) - min(x[2] for x in w0)) / (n * nw), "cyc/instr/subcore", f"{nw} warps per sub-core")


# 6. straight-line fetch by several warps in step: 640 instructions, cold L0 is not involved
def fetch():
    for nw in (1, 2, 4, 8):
        r = cyc([FADD(24 + i % 4, 40, 41) for i in range(600)], threads=128 * nw, post=[])
        w0 = r[0::4]
        rec("X", "fetch_streams", (max(x[3] for x in w0) - min(x[2] for x in w0)) / (600 * nw), "cyc/instr", f"{nw} warps per sub-core; 600 FADD")


# 7. uniform datapath
def uni():
    b = cyc([])[0][0]
    for st in (1, 2):
        rec("X", "UIADD3_rate", (cyc([UIADD3(20 + i % 4, 10, 11, st=st) for i in range(64)])[0][0] - b) / 64, "cyc/instr", f"independent; stall {st}")
    rec("X", "R2UR_rate", (cyc([R2UR(20 + i % 4, 40, st=1) for i in range(32)])[0][0] - b) / 32, "cyc/instr", "independent; stall 1")
    rec("X", "ULDC_rate", (cyc([ULDC(20 + i % 4, 0x210, st=1) for i in range(32)])[0][0] - b) / 32, "cyc/instr", "independent; stall 1; same word")
    ok = []
    for st in range(1, 16):
        v = g.run(SETUP, [MOVI(50, 3, st=15), MOVI(51, 4, st=15), R2UR(20, 50, st=15), R2UR(21, 51, st=15), NOP(st=15), NOP(st=15), UIADD3(20, 20, 21, st=15), NOP(st=15), UIADD3(20, 20, 21, st=st), MOVU(52, 20, st=15), NOP(st=15), MOV(RX, 52, st=15), CLK(T0, st=2), CLK(T1, st=15)], 32, launches=1)[0][1]
        ok.append(v)
    rec("X", "min_stall", next((k + 1 for k in range(len(ok)) if all(x == ok[-1] for x in ok[k:])), 0), "cyc", f"UIADD3 -> MOV R UR; values {ok}".replace(",", " "))
    ok = []
    for st in range(1, 16):
        v = g.run(SETUP, [MOVI(50, 3, st=15), MOVI(51, 4, st=15), R2UR(20, 50, st=15), R2UR(21, 51, st=15), NOP(st=15), NOP(st=15), UIADD3(20, 20, 21, st=15), NOP(st=15), UIADD3(20, 20, 21, st=st), UIADD3(20, 20, 21, st=15), MOVU(52, 20, st=15), NOP(st=15), MOV(RX, 52, st=15), CLK(T0, st=2), CLK(T1, st=15)], 32, launches=1)[0][1]
        ok.append(v)
    rec("X", "min_stall", next((k + 1 for k in range(len(ok)) if all(x == ok[-1] for x in ok[k:])), 0), "cyc", f"UIADD3 -> UIADD3; values {ok}".replace(",", " "))
    ok = []
    for st in range(1, 16):
        v = g.run(SETUP, [MOVI(50, 3, st=15), R2UR(20, 51, st=15), NOP(st=15), NOP(st=15), R2UR(20, 50, st=st), MOVU(52, 20, st=15), NOP(st=15), MOV(RX, 52, st=15), CLK(T0, st=2), CLK(T1, st=15)], 32, launches=1)[0][1]
        ok.append(v)
    rec("X", "min_stall", next((k + 1 for k in range(len(ok)) if all(x == ok[-1] for x in ok[k:])), 0), "cyc", f"R2UR -> MOV R UR; values {ok}".replace(",", " "))


# 8. does BAR.SYNC.DEFER_BLOCKING hold back the instructions after it? Warp 0 arrives ~1500 cycles late.
def defer():
    late = [ISETPNE(3, 29, RZ, st=13), BRA(4 * 100, p=3, st=5)] + [NOP(st=15)] * 100
    for nm, ops in (("nothing", []), ("FADD", [FADD(24, 40, 41, st=4)]), ("LOP3", [LOP3(24, 40, 41, RZ, st=4)]), ("20 NOP", [NOP()] * 20), ("LDS", [LDS(24, 31, st=4, wb=0)]), ("LDS and wait", [LDS(24, 31, st=4, wb=0), NOP(wm=1, st=4)]), ("STS", [STS(31, 40, st=4)]), ("S2R and wait", [S2R(24, st=4, wb=0), NOP(wm=1, st=4)]), ("MUFU and wait", [MUFU(24, 40, st=4, wb=0), NOP(wm=1, st=4)]), ("LDG and wait", [LDG(24, 38, st=4, wb=0), NOP(wm=1, st=4)]), ("BRA", [BRA(0, st=5)]), ("second BAR", [BARSYNC(st=6)])):
        code = [MOVI(28, 0xFFFFFFE0, st=6), LOP3(29, 34, 28, RZ, lut=0xC0, st=6)] + late + [CLK(T0, st=4), BARSYNC(st=6)] + ops + [CLK(T1, st=4)] + IDLE
        code += [BRA(4 * (len(g.region) - len(code) - 1), st=5)]
        for nw in (2, 5):
            r = g.run(SETUP, code, 32 * nw)
            rec("X", "after_BAR", r[1][0], "cyc", f"warp 1 from before its BAR to the clock after: {nm}; warp 0 (late) {r[0][0]}; {nw} warps; all: {' '.join(str(x[0]) for x in r)}")


for n, f in (("base", base), ("ports", ports), ("minlat", minlat), ("queues", queues), ("sched", sched), ("halves", halves), ("multi", multi), ("branches", branches), ("fetch", fetch), ("uni", uni), ("defer", defer)):
    if len(sys.argv) < 3 or n in sys.argv[2:]:
        guard(n, f)
