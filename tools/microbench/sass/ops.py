#!/usr/bin/env python3
"""More SASS-level experiments: special registers, IMAD.WIDE and IMAD.HI, fences by outstanding stores, divergence. CSV rows like exp.py."""
import sys
from sasslib import *

g = Gpu(sys.argv[1] if len(sys.argv) > 1 else "tmpl.cubin")
T0, T1, RX = g.rt0, g.rt1, g.rx
W1 = dict(st=15)
# The registers of exp.py: R38:R39 = g + 4 tid, R36:R37 = g + 16 tid, R34 = tid, R31 = 1024 + 4 tid, R40..R61 = 1.0f
SETUP = [LDC(32, 0x218, 64, st=15, wb=0), S2R(34, st=15, wb=1), NOP(st=15, wm=3),
         ins(0x825, 0x078E0200, 36, 34, imm=16, rc=32, **W1), ins(0x825, 0x078E0200, 38, 34, imm=4, rc=32, **W1),
         MOVI(30, 1024, **W1), ins(0x824, 0x078E0200, 35, 34, imm=16, rc=30, **W1), ins(0x824, 0x078E0200, 31, 34, imm=4, rc=30, **W1)] + [MOVI(r, 0x3F800000, st=5) for r in range(40, 62)] + [NOP(st=15)]


def IMADHI(d, a, b, c, **k): return ins(0x227, 0x078E0200, d, a, b, c, **k)
def IMADWI(d, a, imm, c, **k): return ins(0x825, 0x078E0200, d, a, imm=imm, rc=c, **k)
def IDP(d, a, b, c, **k): return ins(0x226, 0x0600, d, a, b, c, **k)
def VIADD(d, a, imm, **k): return ins(0x836, 0, d, a, imm=imm, **k)
def S2UR(u, sr, **k): return ins(0x9C3, sr << 8, u, **k)
def MEMBAR(scope, **k): return ins(0x992, scope, **k)
def ERRBAR(**k): return ins(0x9AB, 0, **k)
def CGAERRBAR(**k): return ins(0x5AB, 0, **k)
def CCTL(**k): return ins(0x98F, 0x02000000, 0, 0xFF, **k)
def BSSY(off, **k): return (0x945 | 7 << 12 | off << 32, ctl(0x03800000, **k))
def BSYNC(**k): return (0x941 | 7 << 12, ctl(0x03800000, **k))


def rec(param, v, unit, cond): print(f"CSV,X,{param},{v:.6g},{unit},{cond.replace(',', ' ')},sass,1,0", flush=True)


def cyc(body, threads=32, pre=(), post=None):
    code = list(pre) + [NOP(st=15), CLK(T0, st=4)] + list(body) + [CLK(T1, st=2)] + [NOP(st=15)] * (30 if post is None else post)
    code += [BRA(4 * (len(g.region) - len(code) - 1), st=5)]
    return g.run(SETUP, code, threads)


BASE = cyc([])[0][0]


def special():
    for name, sr in (("LANEID", 0x00), ("VIRTID", 0x03), ("TID.X", 0x21), ("TID.Y", 0x22), ("CTAID.X", 0x25), ("CTAID.Y", 0x26), ("SWINHI", 0x2F), ("CgaCtaId", 0x88), ("CLOCKLO", 0x50), ("LTMASK", 0x39)):
        for sub in (1, 4, 8):
            f = lambda k: max(x[0] for x in cyc([S2R(40 + i % 16, sr, st=1 if i + 1 < k else 2, wb=0) for i in range(k)] + [NOP(st=1, wm=1)], threads=32 * sub))
            one = f(1) - BASE
            rec("S2R_latency", one - 1, "cyc", f"SR_{name}; issue to an instruction that waits; {sub} warps; per instruction of 16 {(f(17) - f(1)) / 16:.3f}; of 48 {(f(49) - f(1)) / 48:.3f}")
    for name, sr in (("CTAID.X", 0x25), ("CgaCtaId", 0x88), ("TID.X", 0x21)):
        for sub in (1, 4):
            f = lambda k: max(x[0] for x in cyc([S2UR(20 + i % 16, sr, st=1 if i + 1 < k else 2, wb=0) for i in range(k)] + [NOP(st=1, wm=1)], threads=32 * sub))
            rec("S2UR_latency", f(1) - BASE - 1, "cyc", f"SR_{name}; {sub} warps; per instruction of 16 {(f(17) - f(1)) / 16:.3f}")


MK = {"IMAD.WIDE 40 41 42": lambda i, **k: IMADW(24 + 2 * (i % 3), 40, 41, 42, **k), "IMAD.WIDE 40 42 44": lambda i, **k: IMADW(24 + 2 * (i % 3), 40, 42, 44, **k), "IMAD.WIDE 40 41 RZ": lambda i, **k: IMADW(24 + 2 * (i % 3), 40, 41, RZ, **k),
      "IMAD.WIDE 40 imm 42": lambda i, **k: IMADWI(24 + 2 * (i % 3), 40, 4, 42, **k), "IMAD.WIDE 41 imm 42": lambda i, **k: IMADWI(24 + 2 * (i % 3), 41, 4, 42, **k), "IMAD.WIDE 40 imm RZ": lambda i, **k: IMADWI(24 + 2 * (i % 3), 40, 4, RZ, **k),
      "IMAD.HI 40 41 RZ": lambda i, **k: IMADHI(24 + i % 6, 40, 41, RZ, **k), "IMAD.HI 40 41 42": lambda i, **k: IMADHI(24 + i % 6, 40, 41, 42, **k), "IDP 40 41 43": lambda i, **k: IDP(24 + i % 6, 40, 41, 43, **k), "IMAD 40 41 43": lambda i, **k: IMAD(24 + i % 6, 40, 41, 43, **k),
      "VIADD": lambda i, **k: VIADD(24 + i % 6, 40, 1, **k), "DFMA 40 42 44": lambda i, **k: DFMA(24 + 2 * (i % 3), 40, 42, 44, **k)}
OTHER = {"none": None, "NOP": lambda i: NOP(), "FADD": lambda i: FADD(46 + i % 3, 50, 51), "IADD3": lambda i: IADD3(46 + i % 3, 50, 51), "LOP3": lambda i: LOP3(46 + i % 3, 50, 51), "IMAD": lambda i: IMAD(46 + i % 3, 50, 51, RZ), "HFMA2": lambda i: HFMA2(46 + i % 3, 50, 51, RZ), "MOV": lambda i: MOV(46 + i % 3, 50)}


def multiply():
    n = 48
    for nm, f in MK.items():
        for st in (1, 2, 4):
            rec("interval", (cyc([f(i, st=st) for i in range(2 * n)])[0][0] - BASE) / (2 * n), "cyc/instr", f"{nm}; stall {st}; one warp")
        for nw in (2, 4, 8):
            r = cyc([f(i, st=1) for i in range(2 * n)], threads=128 * nw, post=0)[0::4]
            rec("interval", (max(x[3] for x in r) - min(x[2] for x in r)) / (2 * n * nw), "cyc/instr/subcore", f"{nm}; stall 1; {nw} warps per sub-core")
        for on, o in OTHER.items():
            if o:
                rec("interval_pair", (cyc([f(i, st=1) if i % 2 else o(i) for i in range(2 * n)])[0][0] - BASE) / n, "cyc/pair", f"{nm} and {on} in turn; stall 1; one warp")
                rec("interval_pair", (cyc([f(i, st=1) if i % 3 == 0 else o(i) for i in range(3 * n)])[0][0] - BASE) / n, "cyc/triple", f"{nm} and two {on} in turn; stall 1; one warp")
    # latest stall that still gives a wrong value
    pre = [MOVI(43, 3, st=15), MOVI(40, 0x40000000, st=15), MOVI(44, 5, st=15), MOVI(45, 9, st=15)]
    for pn, pf, reg in (("IMAD.WIDE low", lambda st: IMADW(50, 40, 43, 44, st=st), 50), ("IMAD.WIDE high", lambda st: IMADW(50, 40, 43, 44, st=st), 51), ("IMAD.HI", lambda st: IMADHI(50, 40, 43, 44, st=st), 50), ("IDP", lambda st: IDP(50, 40, 43, 44, st=st), 50), ("IMAD", lambda st: IMAD(50, 40, 43, 44, st=st), 50), ("VIADD", lambda st: VIADD(50, 40, 1, st=st), 50)):
        for cn, cf in (("IADD3", lambda: IADD3(52, reg, RZ, st=15)), ("IMAD", lambda: IMAD(52, RZ, 43, reg, st=15)), ("IMAD.WIDE addend", lambda: IMADW(52, RZ, RZ, 50, st=15)), ("FADD", lambda: FADD(52, reg, RZ, st=15)), ("STS data", lambda: STS(31, reg, st=15)), ("SHFL", lambda: SHFL(52, reg, st=15, wb=2))):
            ok = []
            for st in range(1, 14):
                tail = [NOP(st=15, wm=0x3F)] * 3
                if cn == "STS data":
                    tail = [NOP(st=15)] * 3 + [LDS(52, 31, st=15, wb=2)] + tail
                code = pre + [MOVI(50, 0x7, st=15), MOVI(51, 0x11, st=15), MOVI(52, 0, st=15), NOP(st=15), pf(st), cf()] + tail + [MOV(RX, 53 if cn == "IMAD.WIDE addend" and reg == 51 else 52, st=15), CLK(T0, st=2), CLK(T1, st=15)]
                ok.append(g.run(SETUP, code, 32, launches=1)[0][1])
            best = next((k + 1 for k in range(len(ok)) if all(x == ok[-1] for x in ok[k:])), 0)
            rec("min_stall", best, "cyc", f"{pn} -> {cn}; final value {ok[-1]:#x}; stall-1 value {ok[0]:#x}")


def wide_others():
    # even warps of a sub-core run IMAD.WIDE, odd ones something else, from the same code: chosen by a branch
    n = 64
    for nm in ("IMAD.WIDE 40 imm 42", "IMAD.HI 40 41 RZ", "IMAD 40 41 43"):
        for on in ("NOP", "FADD", "IADD3", "IMAD"):
            a = [CLK(T0, st=4)] + [MK[nm](i, st=2) for i in range(n)] + [CLK(T1, st=2)]
            b = [CLK(T0, st=4)] + [OTHER[on](i) for i in range(2 * n)] + [CLK(T1, st=2)]
            code = [MOVI(28, 128, st=6), LOP3(29, 34, 28, RZ, lut=0xC0, st=6), ISETPNE(3, 29, RZ, st=13), NOP(st=15), BRA(4 * (len(a) + 1), p=3, st=5)] + a + [BRA(4 * len(b), st=5)] + b + [NOP(st=15)] * 20
            code += [BRA(4 * (len(g.region) - len(code) - 1), st=5)]
            r = g.run(SETUP, code, 256)
            rec("beside_wide", r[0][0], "cyc", f"{n} {nm} with stall 2 in one warp beside {2 * n} {on} in another: {r[4][0]} cycles; both {max(r[0][3], r[4][3]) - min(r[0][2], r[4][2])}")


def fences():
    kinds = {"MEMBAR.ALL.GPU": lambda: [MEMBAR(0xA000, st=6)], "MEMBAR.ALL.GPU + ERRBAR": lambda: [MEMBAR(0xA000, st=6), ERRBAR(st=15)], "MEMBAR.ALL.GPU + ERRBAR + CGAERRBAR": lambda: [MEMBAR(0xA000, st=6), ERRBAR(st=15), CGAERRBAR(st=15)],
             "MEMBAR.ALL.GPU + ERRBAR + CGAERRBAR + CCTL.IVALL": lambda: [MEMBAR(0xA000, st=6), ERRBAR(st=15), CGAERRBAR(st=15), CCTL(st=6)], "ERRBAR": lambda: [ERRBAR(st=15)], "CGAERRBAR": lambda: [CGAERRBAR(st=15)], "CCTL.IVALL": lambda: [CCTL(st=6)]}
    for nm, f in kinds.items():
        for k in (0, 1, 2, 4, 8, 16, 32):
            if k and not nm.startswith("MEMBAR"):
                continue
            for threads in (32, 256):
                pre = [NOP(st=15)] * 60
                body = [STG(38, 40, 32, i * 4096, st=2) for i in range(k)]
                st = max(x[0] for x in cyc(body, threads=threads, pre=pre))
                r = [x[0] for x in cyc(body + f(), threads=threads, pre=pre)]
                rec("fence_parts", min(r), "cyc", f"{nm} after {k} STG; {threads // 32} warps; from before the first STG to an instruction behind; slowest warp {max(r)}; the same without the fence {st}")


def divergence():
    # lanes 0-15 one way, 16-31 the other
    pre = [MOVI(28, 16, st=6), LOP3(29, 34, 28, RZ, lut=0xC0, st=6), ISETPNE(3, 29, RZ, st=13), NOP(st=15)]
    for arm in (1, 4, 16):
        for warps in (1, 4, 16, 32):
            for split in (1, 0):
                n, one = 6, []
                if split:
                    blk = [BSSY((2 * arm + 2) * 16 + 0, st=5), BRA(4 * (arm + 1), p=3, st=5)] + [NOP()] * arm + [BRA(4 * arm, st=5)] + [NOP()] * arm + [BSYNC(st=5)]
                else:
                    blk = [BSSY((2 * arm + 2) * 16 + 0, st=5), NOP(st=5)] + [NOP()] * arm + [NOP(st=5)] + [NOP()] * arm + [BSYNC(st=5)]
                for _ in range(n):
                    one += blk
                r = cyc(one, threads=32 * warps, pre=pre, post=0 if warps > 1 else None)
                rec("divergence", (max(x[3] for x in r) - min(x[2] for x in r) - BASE) / n, "cyc/region", f"BSSY; {'BRA for half of the lanes; two arms' if split else 'straight through the same code'} of {arm} NOP; BSYNC; {warps} warps")
    for st in (1, 2, 5, 8, 11, 15):
        rec("converge_stall", (cyc([BSSY(0, st=5), BSYNC(st=st)] * 12)[0][0] - BASE) / 12 - 5, "cyc", f"BSYNC of a converged warp with stall {st}; to the next issue")
        rec("converge_stall", (cyc([BSSY(0, st=st), NOP(st=5)] * 12)[0][0] - BASE) / 12 - 5, "cyc", f"BSSY with stall {st}; to the next issue")
        rec("converge_stall", (cyc([NOP(st=5), BRA(0, p=3, st=st)] * 12, pre=pre)[0][0] - BASE) / 12 - 5, "cyc", f"BRA to the next instruction for half of the lanes with stall {st}; to the next issue")
    for nm, blk in (("BSSY BSYNC", [BSSY(0, st=5), BSYNC(st=5)]), ("BSSY", [BSSY(0, st=1)]), ("BSSY stall 5", [BSSY(0, st=5)])):
        for warps in (1, 4, 16):
            r = cyc(blk * 12, threads=32 * warps, post=0 if warps > 1 else None)
            rec("converge", (max(x[3] for x in r) - min(x[2] for x in r) - BASE) / 12, "cyc/pair", f"{nm}; {warps} warps")


def half():
    n = 96
    for pat in ("H", "HF", "HFF", "HI", "HL", "HM", "HHF", "HFFF"):
        t = {"F": lambda i: FADD(24 + i % 3, 40, 41), "I": lambda i: IMAD(27 + i % 3, 42, 43, RZ), "L": lambda i: LOP3(27 + i % 3, 42, 43), "H": lambda i: HFMA2(46 + i % 3, 50, 51, RZ), "M": lambda i: HFMA2M(46 + i % 3, 52, 53, RZ)}
        for nw in (1, 2, 4):
            r = cyc([t[pat[i % len(pat)]](i) for i in range(n)], threads=128 * nw if nw > 1 else 32, post=0)
            r = r[0::4] if nw > 1 else r
            rec("half_pattern", (max(x[3] for x in r) - min(x[2] for x in r) - (BASE if nw == 1 else 0)) * len(pat) / (n * nw), "cyc/pattern", f"{pat} (H HFMA2; M HFMA2.MMA; F FADD; I IMAD; L LOP3); {nw} warps per sub-core")


for n, f in (("special", special), ("multiply", multiply), ("wide_others", wide_others), ("half", half), ("divergence", divergence), ("fences", fences)):
    if len(sys.argv) < 3 or n in sys.argv[2:]:
        try:
            f()
        except Exception as e:
            print(f"ERROR,{n},{e}", flush=True)
