"""The test families of vosen/ptx_tests: their templates, expanded, run by `heddle exec` and compared with their oracles.

Each src/testcase/NAME.ptx is the body of a kernel with placeholders; the NAME.rs beside it lists the combinations, makes the
inputs, and computes on the host what must come out. That project needs nightly Rust and a driver; cases() below says the same
combinations in Python, and what must come out with numpy: the same bits, or the same tolerance, as the .rs demands. Where
the .rs rounds twice (a sum in f64, then to f32) the result is that of IEEE 754 here. Differences of fused multiply-adds that the
.rs lets pass (one unit in the last place, because its host computes them inexactly) do not pass here. What the .rs does not
look at (a NaN made an integer, sine and cosine beyond 100 pi, div.approx by a subnormal number) is not looked at here either.
"""
import collections
import os
import subprocess
import tempfile

import numpy as np

from ptx_oracles import (F32, F64, I64, TYPES, U32, U64, approximate, carried, clamped, compared, converted, divided, dotted, exact,
                         field, flushed, fp8, inserted, log_bounds, negative, no_cvt, permuted, raw, rounded, same, saturated,
                         shifted, sine_bounds, size, summed, to_fp8, ulps, within)

HEADER = "\n    .version 7.8\n    .target sm_90\n    .address_size 64\n\n"
THREADS = 65536  # of one case: all values of one 16-bit input
SECONDS = 120
SPECIAL = {"b16": ("u16", None), "b32": ("u32", None), "b64": ("u64", None),  # a type, and below what its values are
           "bit": ("u32", 2), "flag": ("u8", 2), "field": ("u32", 512)}
ROUNDINGS = ("rn", "rz", "rm", "rp")

# template: its file without .ptx; words: what the placeholders become; args: parameters but the output; inputs: their types, or
# a name of SPECIAL; output: its type; oracle: of the inputs and of what came out, (which are right, what is expected), or
# None where the module must not be accepted.
Case = collections.namedtuple("Case", "family name template words args inputs output oracle")


# ---- the cases

def made(name, template, words, inputs, output, oracle, args=None, family=None):
    """A Case; the parts of a name may have dots, as modifiers do."""
    args = args or (("input",) if len(inputs) == 1 else ("input_a", "input_b", "input_c", "input_d")[:len(inputs)])
    return Case(family or template, name.replace(".", "_"), template, words, args, inputs, output, oracle)


def of_cvt():
    cases, refused = [], []
    for mode in ("", "rni", "rzi", "rmi", "rpi") + ROUNDINGS:
        for ftz in ("", ".ftz"):
            for sat in ("", ".sat"):
                for of in ("s16", "u16", "s32", "u32", "f16", "f32"):
                    for to in ("s16", "u16", "s32", "u32", "s64", "u64", "f16", "f32", "f64"):
                        words = {"INPUT": of, "INPUT_LD": "b%d" % (8 * int(size(of))), "INPUT_SIZE": size(of), "OUTPUT": to,
                                 "OUTPUT_ST": "b%d" % (8 * int(size(to))), "OUTPUT_SIZE": size(to),
                                 "MODIFIERS": ("." + mode if mode else "") + ftz + sat}

                        def oracle(x, got, key=(to, of, mode, ftz, sat)):
                            expected, free = converted(*key, x)
                            return same(expected, got) | free, expected
                        case = made("cvt%s_%s_%s" % (words["MODIFIERS"], to, of), "cvt", words, (of,), to, oracle)
                        if no_cvt(to, of, mode, ftz, sat):
                            refused.append(case._replace(name="cvt_invalid", oracle=None))
                        else:
                            cases.append(case)
    return cases + refused


def of_floats():
    """add, sub, mul, fma of f32, and div."""
    def calculate(op, mode, ftz, sat):
        def f(*x):
            a, b = (flushed(v, ftz).astype(F64) for v in x[:2])
            if op == "mul":
                p = a * b  # exact
                r = rounded(flushed(p, ftz) if mode == "rn" else p, "f32", mode)
            else:
                s = summed(a * b, flushed(x[2], ftz).astype(F64), mode) if op == "fma" else summed(a, -b if op == "sub" else b, mode)
                r = rounded(s, "f32", mode)
            return saturated(flushed(r, ftz), sat)
        return exact(f, zeros=op in ("add", "fma"))
    for op in ("add", "sub", "mul", "fma"):
        for mode in ROUNDINGS:
            for ftz in ("", ".ftz"):
                for sat in ("", ".sat"):
                    yield made("%s_%s%s%s_f32" % (op, mode, ftz, sat), op + "_f", {"RND": "." + mode, "FLUSH": ftz, "SAT": sat},
                               ("f32",) * (3 if op == "fma" else 2), "f32", calculate(op, mode, ftz, sat))
    for ftz in ("", ".ftz"):
        for variant in ("approx", "full") + ROUNDINGS:
            yield made("div_%s%s_f32" % (variant, ftz), "div", {"VARIANT": "." + variant, "FLUSH": ftz}, ("f32", "f32"), "f32",
                       divided(variant, ftz))


def of_one_float():
    nan = (np.isnan, np.nan)

    def special(*rules):
        return lambda x: [(f(x), v) for f, v in rules + (nan,)]

    def zero(sign):
        return lambda x: (x == 0) & (np.signbit(x) == (sign < 0))

    def inf(sign):
        return lambda x: x == np.inf * sign

    inverse = special((inf(-1), -0.0), (inf(1), 0.0), (zero(-1), -np.inf), (zero(1), np.inf))
    below = special((inf(-1), np.nan), (negative, np.nan), (zero(-1), -np.inf), (zero(1), np.inf), (inf(1), 0.0))
    roots = special((inf(-1), np.nan), (negative, np.nan), (zero(-1), -0.0), (zero(1), 0.0), (inf(1), np.inf))
    logs = special((inf(-1), np.nan), (negative, np.nan), (zero(-1), -np.inf), (zero(1), -np.inf), (inf(1), np.inf))
    waves = ((inf(-1), np.nan), (inf(1), np.nan))
    for ftz in ("", ".ftz"):
        def near(bound, last=False, ftz=ftz):
            def f(x, precise, got):
                return ulps(flushed(precise.astype(F32), ftz), got) <= bound
            return f
        for op, word, rule, f, close in (
                ("cos", "FTZ", special(*waves, (zero(1), 1.0), (zero(-1), 1.0)), np.cos, sine_bounds),
                ("sin", "FTZ", special(*waves, (zero(1), 0.0), (zero(-1), -0.0)), np.sin, sine_bounds),
                ("lg2", "FTZ", logs, np.log2, log_bounds),
                ("ex2", "FLUSH", special((inf(-1), 0.0), (inf(1), np.inf), (lambda x: x == 0, 1.0)), np.exp2, near(2)),
                ("rcp", "MODE", inverse, lambda x: 1 / x, near(1)),
                ("sqrt", "MODE", roots, np.sqrt, within(2.0**-23)),
                ("rsqrt", "MODE", below, lambda x: 1 / np.sqrt(x), within(2.0**-22.9))):
            yield made("%s_approx%s" % (op, ftz), op, {word: "approx" * (word == "MODE") + ftz}, ("f32",), "f32",
                       approximate(f, rule, close, ftz))
        for mode in ROUNDINGS:
            def reciprocal(x, mode=mode, ftz=ftz):
                return rounded(flushed(1 / flushed(x, ftz).astype(F64), ftz), "f32", mode)

            def root(x, mode=mode, ftz=ftz):
                return rounded(np.sqrt(flushed(x, ftz).astype(F64)), "f32", mode)
            for op, f in (("rcp", reciprocal), ("sqrt", root)):
                yield made("%s_%s%s" % (op, mode, ftz), op, {"MODE": mode + ftz}, ("f32",), "f32", exact(f))
        for op, f in (("abs", np.abs), ("neg", np.negative)):
            yield made(op + ftz, op, {"FTZ": ftz}, ("f32",), "f32", exact(lambda x, f=f, ftz=ftz: flushed(f(x), ftz)))
    yield made("tanh_approx", "tanh", {}, ("f32",), "f32", approximate(
        np.tanh, special((inf(-1), -1.0), (inf(1), 1.0), (zero(1), 0.0), (zero(-1), -0.0)), within(2.0**-11)))
    normal = 2.0**-126
    for mode, f in (("finite", np.isfinite), ("infinite", np.isinf), ("number", lambda x: ~np.isnan(x)), ("notanumber", np.isnan),
                    ("normal", lambda x: np.isfinite(x) & (np.abs(x) >= normal) | (x == 0)),
                    ("subnormal", lambda x: (x != 0) & (np.abs(x) < normal))):
        yield made("testp_%s_f32" % mode, "testp", {"MODE": mode, "TYPE": "f32", "TYPE_SIZE": "4"}, ("f32",), "u32", exact(f))


def of_small_floats():
    for ftz in ("", ".ftz"):
        for nan in ("", ".NaN"):
            for op in ("min", "max"):
                def f(a, b, op=op, ftz=ftz, nan=nan):
                    a, b = flushed(a, ftz), flushed(b, ftz)
                    first = (a < b) | (a == b) & np.signbit(a)
                    r = np.where(first == (op == "min"), a, b)
                    r = np.where(np.isnan(a), b, np.where(np.isnan(b), a, r))
                    return np.where(np.isnan(a) | np.isnan(b), np.float16(np.nan), r) if nan else r
                words = {"TYPE_SIZE": "2", "TYPE": "f16", "BTYPE": "b16", "OP": op + ftz + nan + ".f16"}
                yield made(op + ftz + nan.lower(), "minmax", words, ("f16", "f16"), "f16", exact(f))
    for kind in ("e4m3", "e5m2"):
        def narrow(x, got, kind=kind):
            code, table = to_fp8(x, kind).astype(np.uint16), fp8(kind)
            ok = [(half == code) | np.isnan(table[half]) & np.isnan(table[code]) for half in (got >> 8, got & 255)]
            return ok[0] & ok[1], code << 8 | code

        def widen(x, got, kind=kind):
            table = fp8(kind).astype(np.float16)
            halves = [(table[x >> s & 255], (got >> U32(2 * s)).astype(np.uint16).view(np.float16)) for s in (0, 8)]
            return same(*halves[0]) & same(*halves[1]), raw(halves[0][0]).astype(U32) | raw(halves[1][0]).astype(U32) << U32(16)
        yield made("cvt_rn_satfinite_%sx2_f32" % kind, "cvt_rn_satfinite_f8x2_f32", {"OUTPUT": kind + "x2"}, ("f32",), "u16", narrow)
        yield made("cvt_rn_f16x2_" + kind, "cvt_rn_f16x2_f8x2type", {"INPUT": kind + "x2"}, ("b16",), "u32", widen)


def of_integers():
    numbered = ("input0", "input1", "input2")
    for op, sign in (("add", 1), ("sub", -1)):
        for kind, sat in (("u16", ""), ("s16", ""), ("s32", ".sat")):
            def f(a, b, sign=sign, sat=sat, kind=kind):
                s = a.astype(I64) + sign * b.astype(I64)
                return clamped(s, kind) if sat else s
            yield made(op + sat + "_" + kind, op, {"TYPE": kind, "SAT": sat, "TYPE_SIZE": size(kind)}, (kind, kind), kind, exact(f))
    for kind in ("u32", "s32", "u64", "s64"):
        yield made("bfe_rng_" + kind, "bfe", {"TYPE": kind, "TYPE_SIZE": size(kind)}, (kind, "field", "field"), "u" + kind[1:],
                   exact(lambda v, p, n, s=kind[0] == "s": field(v, p, n, s)), ("input", "positions", "lengths"))
    for kind in ("b32", "b64"):
        yield made("bfi_rng_" + kind, "bfi", {"TYPE": kind, "TYPE_SIZE": size("u" + kind[1:])}, (kind, kind, "field", "field"),
                   "u" + kind[1:], exact(inserted), ("input_a", "input_b", "positions", "lengths"))
    yield made("brev_b32", "brev", {"TYPE": "b32", "TYPE_SIZE": "4"}, ("b32",), "u32",
               exact(lambda x: sum((x >> U32(i) & U32(1)) << U32(31 - i) for i in range(32))))
    for kind in ("u32", "s32"):
        for cc in ("", ".cc"):
            for op, sign in (("addc", 1), ("subc", -1)):
                def f(a, b, c, sign=sign, cc=cc):
                    a, b, carry = (v.astype(I64) for v in (a, b, c))
                    # After subc the flag says "no borrow": a - b - !carry, with 1 in bit 32 where none was needed.
                    return carried(a + b + carry if sign > 0 else 2**32 + a - b - (1 - carry), bool(cc), c)
                yield made(op + cc + "_" + kind, "addc_subc", {"OP": op, "TYPE": kind, "CC": cc}, ("b32", "b32", "bit"), "u64", exact(f))

            def g(a, b, c, d, cc=cc):
                return carried((a * b).astype(I64) + c.astype(I64) + d.astype(I64), bool(cc), d)
            yield made("madc%s_%s" % (cc, kind), "madc", {"TYPE": kind, "CC": cc}, ("b32", "b32", "b32", "bit"), "u64", exact(g))
    for kind, low, high in (("u8", 0, 255), ("s8", -128, 127)):
        def pack(a, b, c, low=low, high=high):
            x, y = (np.clip(v, low, high).astype(U32) & U32(255) for v in (a, b))
            return y | x << U32(8) | c << U32(16)
        yield made("cvt_pack_sat_%s_s32_b32" % kind, "cvt_pack", {"TYPE": kind}, ("s32", "s32", "b32"), "u32", exact(pack))
    for x in "us":
        for y in "us":
            for op, four, hi in (("dp4a", True, False), ("dp2a.lo", False, False), ("dp2a.hi", False, True)):
                name = "%s.%s32.%s32" % (op, x, y)
                yield made(name, "dot_product", {"DPINST": name}, ("b32",) * 3, "u32",
                           exact(lambda a, b, c, k=(four, hi, x + y): dotted(*k, a, b, c)), numbered)
    for mode, kind, out, sat in [(m, k, k, "") for m in ("lo", "hi") for k in ("u16", "s16")] + [
            ("wide", "u16", "u32", ""), ("wide", "s16", "s32", ""), ("hi", "s32", "s32", ".sat")]:
        def product(a, b, c=None, mode=mode, kind=kind, sat=sat):
            p = a.astype(I64) * b.astype(I64)
            p = p >> (8 * int(size(kind))) if mode == "hi" else p
            p = p if c is None else p + c.astype(I64)
            return clamped(p, kind) if sat else p
        words = {"STYPE": kind, "STYPE_SIZE": size(kind), "DTYPE": out, "DTYPE_SIZE": size(out), "MODE": mode, "SAT": sat}
        yield made("mad_%s%s_%s" % (mode, sat, kind), "mad", words, (kind, kind, out), out, exact(product))
        if not sat:
            words = {"TYPE_IN": kind, "TYPE_OUT": out, "TYPE_IN_SIZE": size(kind), "TYPE_OUT_SIZE": size(out), "MODE": mode}
            yield made("mul_%s_%s" % (mode, kind), "mul", words, (kind, kind), out, exact(product))
    for sign in "us":
        for mode in ("lo", "hi"):
            def f(a, b, sign=sign, mode=mode):
                signed = [(v << U32(8)).view(np.int32).astype(I64) >> 8 for v in (a, b)]
                a, b = signed if sign == "s" else [(v & U32(0xffffff)).astype(I64) for v in (a, b)]
                return a * b >> (16 if mode == "hi" else 0)
            yield made("mul24_%s_%s32" % (mode, sign), "mul24", {"MODE": mode, "TYPE": sign + "32"}, ("b32", "b32"), "u32", exact(f),
                       numbered[:2])
        yield made("sad_%s16" % sign, "sad", {"TYPE": sign + "16"}, (sign + "16",) * 3, sign + "16",
                   exact(lambda a, b, c: c.astype(I64) + np.abs(a.astype(I64) - b.astype(I64))), numbered)
    for mode in ("", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        yield made("prmt" + "_" * bool(mode) + mode, "prmt", {"MODE": "." * bool(mode) + mode}, ("b32",) * 3, "u32",
                   exact(lambda a, b, c, mode=mode: permuted(mode, a, b, c)), numbered)
    for way in "lr":
        for mode in ("clamp", "wrap"):
            def f(a, b, c, way=way, mode=mode):
                s = (np.minimum(c, 32) if mode == "clamp" else c & U32(31)).astype(U64)
                both = b.astype(U64) << U64(32) | a
                return (both << s) >> U64(32) if way == "l" else both >> s
            yield made("shf_%s_%s_b32" % (way, mode), "shf", {"DIR": way, "MODE": mode}, ("b32", "b32", "b32"), "u32", exact(f))
    for op, kind in (("shl", "b16"), ("shr", "u16"), ("shr", "s16")):
        def f(a, s, op=op):
            s = np.minimum(s, 16).astype(I64)
            return a.astype(I64) << s if op == "shl" else a.astype(I64) >> s
        yield made(op + "_" + kind, "shift", {"OP": op + "." + kind}, (kind, "u16"), kind.replace("b", "u"), exact(f))
    for mode in ("clamp", "wrap"):
        for op2 in ("", ".add"):
            for sat in ("", ".sat"):
                for d, a in (("u32", "s32"), ("u32", "u32"), ("s32", "s32"), ("s32", "u32")):
                    words = {"DTYPE": d, "ATYPE": a, "SAT": sat, "MODE": "." + mode, "OP2": op2, "OP2_ARGS": ", c" if op2 else ""}
                    yield made("vshr_%s_%s_u32%s_%s%s" % (d, a, sat, mode, op2), "vshr", words, (a, "b32", d), d,
                               exact(lambda x, y, z, k=(mode == "clamp", d, sat, op2): shifted(*k, x, y, z)), numbered)


def of_set():
    boolean = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}
    for cmp in ("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"):
        for kind in ("u16", "s16")[:2 if cmp in ("eq", "ne", "lt", "le", "gt", "ge") else 1]:
            for op, value in [("", None)] + [(o, v) for o in boolean for v in (1, 0)]:
                words = {"STYPE": kind, "DTYPE": "u32", "STYPE_SIZE": "2", "DTYPE_SIZE": "4", "CMP": cmp,
                         "BOOL_OP": "." + op if op else "", "OP_SUFFIX": ", %d" % value if op else ""}

                def f(a, b, cmp=cmp, op=op, value=value):
                    r = compared(cmp, a, b)
                    return np.where(boolean[op](r, bool(value)) if op else r, U32(0xffffffff), U32(0))
                name = "set_%s%s_u32_%s%s" % (cmp, "_" + op if op else "", kind, "_%s" % ("true" if value else "false") if op else "")
                yield made(name, "set", words, (kind, kind), "u32", exact(f))
    for cmp in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
        for ftz in (".ftz", ""):
            for op in boolean:
                words = {"TYPE": "f32", "TYPE_SIZE": "4", "CMP": cmp, "BOOL_OP": op, "FTZ": ftz}

                def g(a, b, c, cmp=cmp, op=op, ftz=ftz):
                    return boolean[op](compared(cmp, a, b, ftz), c != 0)
                yield made("set_%s_%s%s_f32_f32" % (cmp, op, ftz), "set_bool", words, ("f32", "f32", "flag"), "f32", exact(g, zeros=True),
                           family="set")


def cases():
    for part in (of_one_float, of_floats, of_small_floats, of_integers, of_set, of_cvt):
        yield from part()


# ---- running them

def module(case, folder):
    """The text of a whole module, made as src/testcase/mod.rs makes it."""
    with open(os.path.join(folder, "src", "testcase", case.template + ".ptx"), encoding="utf-8") as f:
        body = f.read()
    for word, text in case.words.items():
        body = body.replace("<%s>" % word, text)
    output = "output_d" if case.family == "set" else "output"
    args = case.args + (output,)
    loads = "".join(".reg .u64    %s_addr;\nld.param.u64 %s_addr, [%s];\n" % (a, a, a) for a in args)
    return "%s\n.entry run(%s)\n{\n%s\n%s\nret;\n}" % (HEADER, ", ".join(".param .u64 " + a for a in args), loads, body)


@np.errstate(all="ignore")
def corners(kind):
    """Values of a type, as bits, at and beside which results change."""
    if kind[0] == "f":
        width = np.dtype(TYPES[kind]).itemsize * 8
        v = np.array([0, 0.5, 1, 1.5, 2, 2.5, 3, np.pi, 10, 126, 127, 128, 149, 150, 448, 464, 57344, 61440, 65504, 65520, np.inf, np.nan] +
                     [2.0**e for e in (-149, -126, -25, -24, -14, 24, 31, 32, 63, 64, 126, 127)], F64).astype(TYPES[kind])
        v = np.unique(raw(v)).astype(I64)
        v = np.unique(np.concatenate([v, v + 1, np.maximum(v - 1, 0)]))
        return np.concatenate([v, v + 2**(width - 1)]).astype(U64)
    bits = int(kind[1:])
    v = [x + d for x in (0, 16, 32, 64, 2**7, 2**8, 2**15, 2**16, 2**(bits - 1), 2**bits) for d in (-2, -1, 0, 1)]
    return np.array(sorted({x % 2**bits for x in v}), U64)


def inputs(case):
    """Arrays of the inputs: all values of a single one of 16 bits, else corners and random ones from a fixed seed."""
    rng = np.random.default_rng(0x761194f3027874ef)
    kinds = [(k, None) if k in TYPES else SPECIAL[k] for k in case.inputs]
    near = rng.integers(0, 4, THREADS)  # 0: exponents that are close to each other
    out = []
    for at, (kind, below) in enumerate(kinds):
        bits = int(kind[1:])
        unsigned = TYPES["u%d" % bits]
        if len(kinds) == 1 and bits == 16:
            out.append(np.arange(THREADS, dtype=unsigned).view(TYPES[kind]))
            continue
        v = rng.integers(0, below or 2**bits, THREADS, U64)
        if kind == "f32":
            v = np.where(near < 2, v & U64(0x807fffff) | rng.integers(127 - 12, 127 + 12, THREADS, U64) << U64(23), v)
        if not below:
            c = corners(kind)
            v = np.where(rng.random(THREADS) < 0.3, rng.choice(c, THREADS), v)
            if len(kinds) > 1 and kinds[0] == kinds[1] and at < 2:  # all pairs of them, as far as there is room
                order = np.random.default_rng(1).permutation(len(c)**2)[:THREADS // 2]
                v[:len(order)] = np.array(np.meshgrid(c, c)).reshape(2, -1)[at][order]
            elif at == 2 and kind == "f32":  # and what they make alone
                v[:THREADS // 2:2] = 0
            elif at == len(kinds) - 1 and kind == "u32" or kind == "u16":  # shifts and selectors: small ones
                v = np.where(near == 3, v % U64(40), v)
            if len(kinds) == 1:
                v[:len(c)] = c
        out.append(v.astype(unsigned).view(TYPES[kind]))
    return out


def run(case, folder, heddle, scratch):
    """None where the case agrees, else what is wrong."""
    path = os.path.join(scratch, "case.ptx")
    with open(path, "w", encoding="utf-8") as f:
        f.write(module(case, folder))
    command = [heddle, "exec", path, "--kernel", "run", "--grid", str(THREADS // 128 if case.oracle else 1), "--block", "128", "-j", "1"]
    given = inputs(case) if case.oracle else []
    for i in range(len(case.args)):
        if case.oracle:
            np.save(os.path.join(scratch, "%d.npy" % i), given[i])
        command += ["--arg", os.path.join(scratch, "%d.npy" % i) if case.oracle else "buffer:65536"]
    out = os.path.join(scratch, "out.npy")
    kind = TYPES[case.output]
    command += ["--arg", "buffer:%d" % (THREADS * np.dtype(kind).itemsize), "--out-arg", "%d=%s" % (len(case.args), out), "--force"]
    try:
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS,
                           check=False)
    except subprocess.TimeoutExpired:
        return "longer than %d s" % SECONDS
    if not case.oracle:
        refused = p.returncode and "'cvt" in p.stdout
        return None if refused else "`cvt%s.%s.%s`" % tuple(case.words[w] for w in ("MODIFIERS", "OUTPUT", "INPUT"))
    if p.returncode:
        lines = [line for line in p.stdout.splitlines() if line.strip()]
        return lines[-1].replace(path + ":", "line ") if lines else "nothing said"
    got = np.load(out).view(kind)
    with np.errstate(all="ignore"):
        ok, expected = case.oracle(*given, got)
    if np.all(ok):
        return None
    at = int(np.argmin(ok))
    return "%d of %d threads: of %s got %s, expected %s" % (
        np.sum(~ok), len(ok), ", ".join(shown(v[at]) for v in given), shown(got[at]), shown(expected[at]))


def shown(value):
    value = np.asarray(value)
    return "0x%0*x" % (2 * value.itemsize, int(raw(value.reshape(1))[0])) + (" (%.9g)" % float(value) if value.dtype.kind == "f" else "")


def results(folder, heddle, pool):
    """{family: [(case's name, what is wrong or None)]}; what must be refused is one case, as in the .rs."""
    def one(case):
        with tempfile.TemporaryDirectory() as scratch:
            return case, run(case, folder, heddle, scratch)
    families, taken, refused = {}, [], 0
    for case, text in pool.map(one, cases()):
        if case.oracle:
            families.setdefault(case.family, []).append((case.name, text))
        else:
            refused += 1
            taken += [text] * (text is not None)
    if refused:
        text = "%d of %d are accepted, as %s" % (len(taken), refused, ", ".join(taken[:3]))
        families["cvt"].append(("cvt_invalid", text if taken else None))
    return families


def rows(families):
    """(cases, those that agree, lines of a table)."""
    lines = []
    for family, tests in sorted(families.items()):
        wrong = {}
        for name, text in tests:
            if text is not None:
                wrong.setdefault("wrong" if " threads: " in text else text, []).append((name, text))
        why = []
        for group in wrong.values():
            names = ", ".join("`%s`" % name for name, _ in group[:6]) + ", and %d more" % (len(group) - 6) * (len(group) > 6)
            why.append("%s%s: %s" % (names, "; the first" * (len(group) > 1), group[0][1].replace("|", "\\|")[:240]))
        lines.append("| %s | %d | %d | %s |" % (family, len(tests), sum(t is None for _, t in tests), "; ".join(why)))
    total = [t for tests in families.values() for _, t in tests]
    return len(total), sum(t is None for t in total), lines
