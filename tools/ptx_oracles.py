"""What must come out of the kernels of ptx_families.py: the oracles of vosen/ptx_tests in numpy, and the numbers they need."""
import numpy as np

TYPES = {"u8": np.uint8, "s8": np.int8, "u16": np.uint16, "s16": np.int16, "u32": np.uint32, "s32": np.int32, "u64": np.uint64,
         "s64": np.int64, "f16": np.float16, "f32": np.float32, "f64": np.float64}
F32, F64, U32, U64, I64 = np.float32, np.float64, np.uint32, np.uint64, np.int64


def size(kind):
    return str(np.dtype(TYPES[kind]).itemsize)


def raw(values):
    return values.view({1: np.uint8, 2: np.uint16, 4: U32, 8: U64}[values.itemsize])


@np.errstate(over="ignore")
def rounded(x, kind, mode="rn"):
    """f64 to a shorter float, in a direction: the nearest, moved by one where that is on the wrong side."""
    r = x.astype(TYPES[kind])
    back = r.astype(F64)
    zero, inf = TYPES[kind](0), TYPES[kind](np.inf)
    if mode == "rz":
        return np.where(np.abs(back) > np.abs(x), np.nextafter(r, zero), r)
    if mode == "rm":
        return np.where(back > x, np.nextafter(r, -inf), r)
    if mode == "rp":
        return np.where(back < x, np.nextafter(r, inf), r)
    return r


def summed(p, c, mode):
    """p + c, to be rounded to f32 in `mode`: the f64 sum rounded to odd, which rounds on to 24 bits as the exact sum does.

    Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008. The
    error of the sum is exact (Knuth's two-sum; no overflow, as p is at most a product of two f32).
    """
    s = p + c
    b = s - p
    e = (p - (s - b)) + (c - b)
    e = np.where(np.isfinite(s), e, 0)
    s = np.where((e != 0) & (raw(s) & U64(1) == 0), np.nextafter(s, np.copysign(np.inf, e)), s)
    if mode == "rm":  # IEEE 754, 6.3: an exact zero is -0 unless both are +0
        s = np.where((s == 0) & (np.signbit(p) | np.signbit(c)), -0.0, s)
    return s


def flushed(x, ftz=True):
    """Subnormals of f32 (in x of any type) are zeros of their sign."""
    small = (np.abs(x) < x.dtype.type(2.0**-126)) if x.dtype != np.float16 else (np.abs(x) < np.float16(2.0**-14))
    return np.where(small & bool(ftz), np.copysign(x.dtype.type(0), x), x)


def saturated(x, sat=True):
    if not sat:
        return x
    x = np.where(np.isnan(x) | (x <= 0), x.dtype.type(0), x)
    return np.where(x > 1, x.dtype.type(1), x)


def clamped(x, kind):
    """A whole number (i64 or f64) as the nearest of an integer type."""
    low, high = np.iinfo(TYPES[kind]).min, np.iinfo(TYPES[kind]).max
    if x.dtype == I64:
        return np.clip(x, low, min(high, 2**63 - 1)).astype(TYPES[kind])
    inside = (x > float(low)) & (x < float(high))  # float(2**63 - 1) is 2**63
    y = np.where(inside, x, 0).astype(TYPES[kind])
    return np.where(inside, y, np.where(x <= float(low), TYPES[kind](low), TYPES[kind](high)))


def whole(x, mode):
    return {"rn": np.rint, "rz": np.trunc, "rm": np.floor, "rp": np.ceil}[mode[:2] or "rn"](x)


def fp8(kind):
    """The values of the 256 codes."""
    code = np.arange(256)
    bits, bias = (3, 7) if kind == "e4m3" else (2, 15)
    e, m = code >> bits & (127 >> bits), code & ((1 << bits) - 1)
    v = np.where(e > 0, (1 + m / 2**bits) * 2.0**(e - bias), m / 2**bits * 2.0**(1 - bias))
    if kind == "e4m3":
        v[code & 127 == 127] = np.nan
    else:
        v[(e == 31) & (m == 0)], v[(e == 31) & (m > 0)] = np.inf, np.nan
    return np.where(code > 127, -v, v)


def to_fp8(x, kind):
    """The code of the nearest finite value, ties to the even code."""
    table = fp8(kind)[:128]
    table = table[np.isfinite(table)]
    a = np.minimum(np.abs(x.astype(F64)), table[-1])
    at = np.clip(np.searchsorted(table, a), 1, len(table) - 1)
    low, high = a - table[at - 1], table[at] - a
    code = np.where((low < high) | ((low == high) & (at % 2 == 1)), at - 1, at)
    return np.where(np.isnan(x), 127, code).astype(np.uint8) | (np.signbit(x).astype(np.uint8) << 7)


# ---- what is right

def same(expected, got, zeros=False):
    ok = raw(expected) == raw(got)
    if expected.dtype.kind == "f":
        ok |= np.isnan(expected) & np.isnan(got)
        ok |= (expected == 0) & (got == 0) & zeros
    return ok


def exact(f, zeros=False):
    """An oracle: these bits (any NaN for NaN; with zeros, either zero)."""
    def oracle(*values):
        expected = f(*values[:-1])
        expected = expected.astype(values[-1].dtype, copy=False)
        return same(expected, values[-1], zeros), expected
    return oracle


def ulps(expected, got):
    return np.abs(raw(expected).astype(I64) - raw(got).astype(I64))


def approximate(f, special, near, ftz=False):
    """An oracle of one f32: `special` gives what certain inputs demand exactly (others None), f the precise f64, and
    near(x, precise, got) says which are close enough."""
    def oracle(x, got):
        x = flushed(x, ftz)
        precise = f(x.astype(F64))
        ok, expected = near(x, precise, got), precise.astype(F32)
        for where, value in special(x):
            value = np.broadcast_to(F32(value), x.shape)
            ok, expected = np.where(where, same(value.copy(), got), ok), np.where(where, value, expected)
        return ok, expected
    return oracle


def within(bound):
    """The difference, in relation to the precise result."""
    def near(_, precise, got):
        return (np.abs(precise - got) <= np.abs(bound * precise)) | (np.isnan(precise) & np.isnan(got)) | (precise == got)
    return near


def sine_bounds(x, precise, got):
    two, hundred = F32(np.pi) * F32(2), F32(np.pi) * F32(100)
    diff = np.abs(precise - got)
    return np.where(np.abs(x) <= two, diff <= 2.0**-20.5, np.where(np.abs(x) <= hundred, diff <= 2.0**-14.7, True))


def log_bounds(x, precise, got):
    return np.where((x > 0.5) & (x < 2), np.abs(precise - got) <= 2.0**-22, within(2.0**-22)(x, precise, got))


def negative(x):
    return np.isfinite(x) & (x < 0)


def divided(variant, ftz):
    def oracle(a, b, got):
        a, b = flushed(a, ftz), flushed(b, ftz)
        q = flushed(a.astype(F64) / b.astype(F64), ftz)  # to f32 as the exact one: it is at least 2**-48 off any f32 it is not
        expected = rounded(q, "f32", variant)
        close = (np.isnan(expected) & np.isnan(got)) | (ulps(expected, got) <= {"approx": 2, "full": 2}.get(variant, 0))
        if variant == "approx":
            size_b = np.abs(b.astype(F64))
            huge = np.where(np.isinf(a), np.isnan(got), got == 0)
            ok = np.where(size_b < 2.0**-126, True, np.where(size_b <= 2.0**126, close, huge))
            close = np.where((np.isnan(expected) & np.isnan(got)) | (np.isinf(expected) & (expected == got)), True, ok)
        return close, expected
    return oracle


def compared(name, a, b, ftz=False):
    nan = np.zeros(a.shape, bool)
    if a.dtype.kind == "f":
        a, b = flushed(a, ftz), flushed(b, ftz)
        nan = np.isnan(a) | np.isnan(b)
    if name in ("num", "nan"):
        return nan == (name == "nan")
    ordered = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b,
               "lo": a < b, "ls": a <= b, "hi": a > b, "hs": a >= b}[name[:2]]
    return np.where(nan, name.endswith("u"), ordered)


def field(value, pos, length, signed):
    """bfe: of 32 bits the low 8 of pos and length count, of 64 all (as the .rs has it)."""
    bits = value.itemsize * 8
    v, out = raw(value).astype(U64), np.zeros(value.shape, U64)
    pos, length = (x.astype(I64) & (255 if bits == 32 else -1) for x in (pos, length))
    top = np.minimum(pos + length - 1, bits - 1)
    sign = np.where(signed & (length > 0), v >> np.maximum(top, 0).astype(U64) & U64(1), U64(0))
    for i in range(bits):
        at = np.minimum(pos + i, bits - 1).astype(U64)
        out |= np.where((i < length) & (pos + i < bits), v >> at & U64(1), sign) << U64(i)
    return out.astype(raw(value).dtype)


def inserted(a, b, pos, length):
    bits = a.itemsize * 8
    f, a = b.astype(U64), a.astype(U64)
    pos, length = (x.astype(I64) & (255 if bits == 32 else -1) for x in (pos, length))
    for i in range(bits):
        where, at = (i < length) & (pos + i < bits), np.minimum(pos + i, bits - 1).astype(U64)
        f = np.where(where, f & ~(U64(1) << at) | (a >> U64(i) & U64(1)) << at, f)
    return f.astype(b.dtype)


def permuted(mode, a, b, c):
    src = [(x >> U32(8 * i)) & U32(255) for x in (a, b) for i in range(4)]
    out = np.zeros(a.shape, U32)
    if not mode:
        for i in range(4):
            nibble = c >> U32(4 * i) & U32(15)
            byte = np.choose(nibble & U32(7), src)
            out |= np.where(nibble & U32(8), np.where(byte & U32(128), U32(255), U32(0)), byte) << U32(8 * i)
        return out
    # From the lowest byte up, for c & 3 of 0 to 3.
    order = {"f4e": ("0123", "1234", "2345", "3456"), "b4e": ("0765", "1076", "2107", "3210"),
             "rc8": ("0000", "1111", "2222", "3333"), "ecl": ("0123", "1123", "2223", "3333"),
             "ecr": ("0000", "0111", "0122", "0123"), "rc16": ("0101", "2323", "0101", "2323")}[mode]
    for i in range(4):
        out |= np.choose(c & U32(3), [src[int(o[i])] for o in order]) << U32(8 * i)
    return out


def dotted(four, hi, types, a, b, c):
    def parts(x, signed, width):
        if signed:
            return [(x << U32(32 - width - k)).view(np.int32) >> (32 - width) for k in range(0, 32, width)]
        return [x >> U32(k) & U32(2**width - 1) for k in range(0, 32, width)]
    xs, ys = parts(a, types[0] == "s", 8 if four else 16), parts(b, types[1] == "s", 8)
    total = c.astype(I64)
    for x, y in zip(xs, ys if four else ys[2:] if hi else ys[:2]):
        total = total + x.astype(I64) * y.astype(I64)
    return total.astype(U32)


def shifted(clamp, kind, sat, add, a, b, c):
    """vshr."""
    shift = np.minimum(b, 32).astype(I64) if clamp else (b & U32(31)).astype(I64)
    s = a.astype(I64) >> shift
    s = clamped(s, kind) if sat else s.astype(TYPES[kind])
    return s + c if add else s


def carried(f, carry_out, carry_in):
    """(f's exact value in i64, so with its carry or borrow in bit 32) as {sum, carry}."""
    return (f.astype(U64) & U64(2**32 - 1)) | (np.where(carry_out, f >> 32 & 1, carry_in.astype(I64)).astype(U64) << U64(32))


def converted(to, of, mode, ftz, sat, x):
    """cvt, and which results are not checked (NaN to an integer)."""
    free = np.zeros(x.shape, bool)
    if of[0] != "f":
        v = x.astype(I64)
        if to[0] != "f":
            return (clamped(v, to) if sat else v.astype(TYPES[to])), free
        return saturated(rounded(v.astype(F64), to, mode), sat), free
    if to[0] != "f":
        if ftz:
            x = flushed(x)
        return clamped(whole(np.where(np.isnan(x), x.dtype.type(0), x).astype(F64), mode), to), np.isnan(x)
    if ftz and of == "f32" and (to != "f16" or mode[2:] == "i"):
        x = flushed(x)
    r = whole(x, mode) if mode[2:] == "i" and of == to else rounded(x.astype(F64), to, mode)
    if ftz and to == "f32":
        r = flushed(r)
    return saturated(r, sat), free


def no_cvt(to, of, mode, ftz, sat):
    """Whether the .rs says that this cvt must not be accepted."""
    a, b = int(size(of)), int(size(to))
    fi, fo = of[0] == "f", to[0] == "f"
    return bool(
        sat and ((of[0] == "s" == to[0] and b >= a) or (of[0] == "u" == to[0] and b >= a) or (of[0] == "u" and to[0] == "s" and b > a))
        or ftz and "f32" not in (to, of)
        or not mode and (fo and fi and b < a or fo != fi)
        or mode[2:] == "i" and not (fi and (not fo or a == b))
        or mode and mode[2:] != "i" and not (fo and (not fi or b < a)))
