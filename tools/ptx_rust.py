"""ZLUDA's list of tests, as it is written in Rust: names, inputs, expected outputs; and .npy files of their bytes."""
import math
import re
import struct
import sys

CODES = {"u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "u64": "Q", "i64": "q", "f16": "e",
         "f32": "f", "f64": "d"}


class Typed:
    """A number of Rust with its type; None: not known from itself."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value

    def combined(self, other, f):
        other = other if isinstance(other, Typed) else Typed(None, other)
        return Typed(self.kind or other.kind, f(self.value, other.value))

    def __truediv__(self, other):
        return self.combined(other, lambda a, b: a / b)

    def __mul__(self, other):
        return self.combined(other, lambda a, b: a * b)

    def __neg__(self):
        return Typed(self.kind, -self.value)

    def to_bits(self):
        code = CODES[self.kind]
        kind = {2: "u16", 4: "u32", 8: "u64"}[struct.calcsize(code)]
        return Typed(kind, int.from_bytes(struct.pack("<" + code, self.value), "little"))


def limits(kind, name):
    if kind[0] == "f":
        return {"NAN": math.nan, "INFINITY": math.inf, "NEG_INFINITY": -math.inf,
                "MAX": struct.unpack("<f", b"\xff\xff\x7f\x7f")[0] if kind == "f32" else sys.float_info.max,
                "MIN_POSITIVE": 2.0**-126 if kind == "f32" else 2.0**-1022}[name]
    bits = int(kind[1:])
    low, high = (0, 2**bits - 1) if kind[0] == "u" else (-(2**(bits - 1)), 2**(bits - 1) - 1)
    return {"MAX": high, "MIN": low, "max_value": high, "min_value": low}[name]


def from_bits(kind, digits):
    code = "<" + CODES[kind]
    return struct.unpack(code, int(digits.replace("_", ""), 16).to_bytes(struct.calcsize(code), "little"))[0]


def evaluated(text):
    """A list or a number as Rust writes it, as Typed; raises ValueError for what this does not know."""
    text = re.sub(r"//[^\n]*", "", text)
    number = r"(?<![\w.])(0x[0-9a-fA-F_]+?|0b[01_]+|0o[0-7_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][-+]?\d+)?)_?(%s)?(?![\w.])" % "|".join(CODES)
    held = {}

    def hold(typed):
        held["v%d" % len(held)] = typed
        return " v%d " % (len(held) - 1)

    def literal(m):
        digits = m[1].replace("_", "")
        whole = digits[:2] in ("0x", "0b", "0o") or not re.search(r"[.eE]", digits)
        value = int(digits, 0) if digits[:2] in ("0x", "0b", "0o") else int(digits) if whole else float(digits)
        return hold(Typed(m[2], float(value) if m[2] and m[2][0] == "f" else value))

    text = re.sub(r"(?:half::)?\b(f16|f32|f64)::from_bits\(\s*(0x[0-9a-fA-F_]+)(?:u32|u64)?\s*\)", lambda m: hold(Typed(m[1], from_bits(m[1], m[2]))), text)
    text = re.sub(r"half::f16::from_f(?:32|64)\(\s*(-?[\d.]+)(?:f32|f64)?\s*\)", lambda m: hold(Typed("f16", float(m[1]))), text)
    text = re.sub(r"(?:std::)?(f32|f64)::consts::PI", lambda m: hold(Typed(m[1], math.pi)), text)
    text = re.sub(r"(?:half::)?\b(%s)::(\w+)(?:\(\))?" % "|".join(CODES), lambda m: hold(Typed(m[1], limits(m[1], m[2]))), text)
    text = re.sub(number, literal, text)
    text = re.sub(r"\[([^\[\];]+);\s*(v\d+)\s*\]", lambda m: "[%s] * %d" % (m[1], held[m[2]].value), text)
    if re.search(r"[^\s\w\[\](),.*/\-]|[a-zA-Z_]\w*", re.sub(r"\bv\d+\b|\.to_bits\(\)", "", text)):
        raise ValueError("an expression in Rust that this script does not read")
    return eval(" ".join(text.split()), {"__builtins__": {}}, held)  # pylint: disable=eval-used  # names and numbers only


def packed(values):
    """Bytes of a list of Typed; types that are not said are those of the others, else i32 or f64."""
    kinds = [v.kind for v in values if v.kind]
    kind = kinds[0] if kinds else "f64" if any(isinstance(v.value, float) for v in values) else "i32"
    out = b""
    for v in values:
        k = v.kind or kind
        if k[0] == "f":
            out += struct.pack("<" + CODES[k], float(v.value))
        else:
            out += (int(v.value) % 2**int(k[1:])).to_bytes(int(k[1:]) // 8, "little")
    return out, kind


def tests_of(text):
    """(name, whether of a warp, input or None, output) as text of each test."""
    text = text[text.rindex("macro_rules! test_ptx_warp"):]
    for m in re.finditer(r"^test_ptx(_with_32|_warp)?!\(\s*(\w+)\s*(,)?", text, re.M):
        if not m[3]:
            continue
        depth, parts, begin = 1, [], m.end()
        for i in range(m.end(), len(text)):
            c = text[i]
            depth += (c in "([{") - (c in ")]}")
            if depth == 0 or (depth == 1 and c == ","):
                parts.append(text[begin:i].strip())
                begin = i + 1
            if depth == 0:
                break
        parts = [p for p in parts if p]
        warp = m[1] == "_warp"
        yield m[2], warp, None if warp else parts[0], parts[-1]


def save_npy(path, data):
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % len(data)
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def load_npy(path):
    with open(path, "rb") as f:
        data = f.read()
    return data[10 + struct.unpack("<H", data[8:10])[0]:]


def same(kind, a, b):
    if a == b:
        return True
    if kind[0] != "f" or len(a) != len(b):
        return False
    code = CODES[kind]
    size = struct.calcsize(code)
    for i in range(0, len(a), size):
        x, y = (struct.unpack("<" + code, s[i:i + size])[0] for s in (a, b))
        if a[i:i + size] != b[i:i + size] and not (math.isnan(x) and math.isnan(y)):
            return False
    return True
