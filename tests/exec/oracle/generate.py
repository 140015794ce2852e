"""Writes PTX modules with a kernel for each form, and the operands of their cases.

usage: generate.py FOLDER [SEED CASES TILES]      (other operands than h200/ has: so many cases, at most 1024, and tiles of mma)

FOLDER/NN.ptx: the modules, kernels f<i> (in, out); operands.bin; manifest.txt, a line for each form: its number, module,
threads, blocks, first byte and bytes of its operands, first byte and bytes of its results, text. All of it depends on
nothing but forms.py, matrix_forms.py and the arguments.

A case of a lane's form: four 64-bit words in, two out; 64 cases. Of mma: the registers of A, B, C, metadata of each lane, 16
tiles. Of wgmma: 48 KB of shared memory, then D, A, metadata of each of 128 threads.
"""
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import forms
import matrix_forms

SEED = ""
CASES = 64
TILES = 16
MODULES = 32
SHARED = 49152
HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n"
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52), "e4m3": (4, 3), "e5m2": (5, 2)}
BITS = {"p": 1, "n": 32, "i16x2": 32, "i8x4": 32, "f16x2": 32, "bf16x2": 32, "e4m3x2": 16, "e5m2x2": 16, "f16": 16,
        "bf16": 16, "f32": 32, "f64": 64, "i16": 16, "i32": 32, "i64": 64, "e4m3x4": 32, "e5m2x4": 32}
METADATA = {"2:4": (0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110), "1:2": (0b0100, 0b1110),
            "pairs": (0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110)}


def float_value(r, exponent_bits, fraction_bits):
    bias = (1 << exponent_bits - 1) - 1
    top = (1 << exponent_bits) - 1
    sign = r.getrandbits(1) << exponent_bits + fraction_bits
    one = bias << fraction_bits
    pick = r.randrange(10)
    if pick < 3:  # corners
        return sign | r.choice((0, 1, (1 << fraction_bits) - 1, 1 << fraction_bits, one, one + 1, one - 1,
                                one + (1 << fraction_bits - 1), (top << fraction_bits) - 1, top << fraction_bits,
                                top << fraction_bits | 1, top << fraction_bits | 1 << fraction_bits - 1,
                                top << fraction_bits | (5 << fraction_bits) >> 3))
    if pick < 4:
        return sign | r.getrandbits(fraction_bits)  # subnormal
    if pick < 8:  # near 1, some with few bits
        span = min(bias - 1, 26)
        fraction = r.getrandbits(fraction_bits)
        if r.getrandbits(1):
            fraction &= -1 << max(fraction_bits - 3, 0)
        return sign | bias + r.randint(-span, span) << fraction_bits | fraction
    return r.getrandbits(1 + exponent_bits + fraction_bits)


def int_value(r, bits):
    pick = r.randrange(4)
    if pick == 0:
        return r.choice((0, 1, 2, 3, -1, -2, 1 << bits - 1, (1 << bits - 1) - 1, (1 << bits - 1) + 1)) & (1 << bits) - 1
    if pick == 1:
        return (r.getrandbits(bits) >> r.randrange(bits)) * r.choice((1, -1)) & (1 << bits) - 1
    return r.getrandbits(bits)


def value(r, kind):
    if kind == "p":
        return r.getrandbits(1)
    if kind == "n":
        return r.choice((r.randrange(70), r.randrange(34), r.getrandbits(32), -r.randrange(1, 40) & 0xffffffff))
    if kind in FLOATS:
        return float_value(r, *FLOATS[kind])
    if kind[-2:] in ("x2", "x4") and kind[0] != "e":
        n = int(kind[-1])
        each = kind[:-2]
        width = 32 // n
        parts = [float_value(r, *FLOATS[each]) if each in FLOATS else int_value(r, width) for _ in range(n)]
        return sum(p << width * i for i, p in enumerate(parts))
    return int_value(r, BITS[kind])


def tile_value(r, kind, tile):
    """A register of a matrix. By the tile: exponents near each other, far apart, corners among them, any bits."""
    if kind[0] == "i":
        return int_value(r, 32) if tile % 4 == 2 else r.getrandbits(32)
    each = kind.split("x")[0]
    n = int(kind[-1]) if "x" in kind else 1
    eb, fb = FLOATS[each]
    bias = (1 << eb - 1) - 1
    out = 0
    for i in range(n):
        if tile % 4 < 2 or tile % 4 == 2 and r.randrange(16):
            span = min(bias - 1, 3 if tile % 4 == 0 else 12)
            v = r.getrandbits(1) << eb + fb | bias + r.randint(-span, span) << fb | r.getrandbits(fb)
        elif tile % 4 == 2:
            v = float_value(r, eb, fb)
        else:
            v = r.getrandbits(1 + eb + fb)
        out |= v << (1 + eb + fb) * i
    return out


def metadata(r, kind):
    return sum(r.choice(METADATA[kind]) << 4 * i for i in range(8))


class Output:
    def __init__(self, folder):
        self.modules = [open(f"{folder}/{i:02}.ptx", "w", encoding="ascii") for i in range(MODULES)]
        for m in self.modules:
            m.write(HEAD)
        self.operands = open(f"{folder}/operands.bin", "wb")
        self.manifest = open(f"{folder}/manifest.txt", "w", encoding="ascii")
        self.count = 0
        self.results = 0

    def add(self, kernel, threads, blocks, operands, result_bytes, text):
        at = self.operands.tell()
        self.operands.write(operands)
        module = self.count % MODULES
        self.modules[module].write(kernel(self.count) + "\n")
        self.manifest.write(f"{self.count} {module} {threads} {blocks} {at} {len(operands)} {self.results} {result_bytes} {text}\n")
        self.count += 1
        self.results += result_bytes

    def close(self):
        for f in self.modules + [self.operands, self.manifest]:
            f.close()


def lane_form(out, text, results, operands):
    def kernel(number):
        lines = [f".visible .entry f{number}(.param .u64 in, .param .u64 out) {{",
                 ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .b32 %t; .reg .b64 %x<8>; .reg .b32 %w;",
                 f".shared .align 8 .b8 own[{8 * CASES}];",
                 "mov.u32 %t, %tid.x; ld.param.u64 %x0, [in]; mad.wide.u32 %x0, %t, 32, %x0; and.b32 %w, %t, 31;",
                 "ld.param.u64 %x1, [out]; mad.wide.u32 %x1, %t, 16, %x1; mov.u64 %x4, own; mad.wide.u32 %x4, %t, 8, %x4;"]
        used = {"w": "%w", "global": "%x1", "shared": "%x4"}
        for i, k in enumerate(operands):
            bits = BITS[k]
            lines.append(f"ld.global.u64 %x2, [%x0+{8 * i}];")
            used["abce"[i]] = {1: "%p", 16: "%h", 32: "%r", 64: "%d"}[bits] + str(i)
            lines.append({1: f"setp.ne.u64 %p{i}, %x2, 0;", 16: f"cvt.u16.u64 %h{i}, %x2;", 32: f"cvt.u32.u64 %r{i}, %x2;",
                          64: f"mov.b64 %d{i}, %x2;"}[bits])
        for i, k in enumerate(results):
            used["d" if i == 0 else "d1"] = {1: "%p", 16: "%h", 32: "%r", 64: "%d"}[BITS[k]] + str(5 + i)
        lines.append(text.format(**used))
        for i, k in enumerate(results):
            r = used["d" if i == 0 else "d1"]
            lines.append({1: f"selp.u64 %x3, 1, 0, {r};", 16: f"cvt.u64.u16 %x3, {r};", 32: f"cvt.u64.u32 %x3, {r};",
                          64: f"mov.b64 %x3, {r};"}[BITS[k]])
            lines.append(f"st.global.u64 [%x1+{8 * i}], %x3;")
        lines.append("ret; }")
        return "\n".join(lines)

    r = random.Random(SEED + text)
    words = []
    for _ in range(CASES):
        case = [value(r, k) for k in operands]
        words += case + [0] * (4 - len(case))
    out.add(kernel, CASES, 1, struct.pack(f"<{len(words)}Q", *words), 16 * CASES, text)


def registers(names):
    return "{" + ", ".join(names) + "}"


def mma_form(out, form):
    wide = form.kind_c == "f64"
    size = 8 if wide else 4
    word = "b64" if wide else "b32"
    ins = form.a + form.b + form.c + (1 if form.e else 0)

    def kernel(number):
        lines = [f".visible .entry f{number}(.param .u64 in, .param .u64 out) {{",
                 f".reg .{word} %d<8>; .reg .{word} %i<{ins}>; .reg .b32 %t<3>; .reg .b64 %x<2>;",
                 "mov.u32 %t0, %tid.x; mov.u32 %t1, %ctaid.x; mad.lo.u32 %t0, %t1, 32, %t0; ld.param.u64 %x0, [in];",
                 f"mad.wide.u32 %x0, %t0, {size * ins}, %x0; ld.param.u64 %x1, [out]; mad.wide.u32 %x1, %t0, {size * form.d}, %x1;"]
        lines += [f"ld.global.{word} %i{i}, [%x0+{size * i}];" for i in range(ins)]
        names = [f"%i{i}" for i in range(ins)]
        b, c, e = form.a, form.a + form.b, form.a + form.b + form.c
        lines.append(form.text.format(d=registers(f"%d{i}" for i in range(form.d)), a=registers(names[:b]), b=registers(names[b:c]),
                                      c=registers(names[c:e]), e=names[-1]))
        lines += [f"st.global.{word} [%x1+{size * i}], %d{i};" for i in range(form.d)]
        return "\n".join(lines) + "\nret; }"

    r = random.Random(SEED + form.text)
    kinds = [form.kind_a] * form.a + [form.kind_b] * form.b + [form.kind_c] * form.c
    words = []
    for tile in range(TILES):
        for _ in range(32):
            words += [tile_value(r, k, tile) for k in kinds]
            if form.e:
                words.append(metadata(r, form.e))
    out.add(kernel, 32, TILES, struct.pack(f"<{len(words)}{'Q' if wide else 'I'}", *words), TILES * 32 * form.d * size, form.text)


def wgmma_form(out, form):
    ins = form.d + (4 if form.from_registers else 0) + (1 if form.e else 0)
    case = SHARED + 128 * 4 * ins

    def descriptor(d):
        constant = (d.leading >> 4) << 16 | (d.stride >> 4) << 32 | d.base << 49 | d.swizzle << 62
        return f"add.u32 %t2, %t3, {d.start}; and.b32 %t2, %t2, 0x3ffff; shr.u32 %t2, %t2, 4; cvt.u64.u32 %x2, %t2;", constant

    def kernel(number):
        lines = [f".visible .entry f{number}(.param .u64 in, .param .u64 out) {{",
                 f".reg .b32 %d<{form.d}>; .reg .b32 %i<8>; .reg .b32 %t<8>; .reg .b64 %x<8>; .reg .b64 %da; .reg .b64 %db;",
                 ".reg .pred p; .reg .pred q; .reg .b32 %v<4>;",
                 f".shared .align 1024 .b8 s[{SHARED}];",
                 "mov.u32 %t0, %tid.x; mov.u32 %t1, %ctaid.x; ld.param.u64 %x0, [in];",
                 f"mad.wide.u32 %x0, %t1, {case}, %x0; ld.param.u64 %x1, [out]; mad.wide.u32 %x1, %t1, {128 * 4 * form.d}, %x1;",
                 f"mad.wide.u32 %x1, %t0, {4 * form.d}, %x1; mov.u32 %t3, s; mul.lo.u32 %t4, %t0, 16;",
                 "setp.ne.u32 p, %t0, 1000;",
                 "$fill: cvt.u64.u32 %x3, %t4; add.u64 %x3, %x3, %x0; ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%x3];",
                 "add.u32 %t5, %t3, %t4; st.shared.v4.b32 [%t5], {%v0, %v1, %v2, %v3};",
                 f"add.u32 %t4, %t4, 2048; setp.lt.u32 q, %t4, {SHARED}; @q bra $fill;",
                 f"add.u64 %x0, %x0, {SHARED}; mad.wide.u32 %x0, %t0, {4 * ins}, %x0;"]
        lines += [f"ld.global.b32 %d{i}, [%x0+{4 * i}];" for i in range(form.d)]
        lines += [f"ld.global.b32 %i{i}, [%x0+{4 * (form.d + i)}];" for i in range(ins - form.d)]
        for name, d in (("%da", form.desc_a), ("%db", form.desc_b)):
            text, constant = descriptor(d)
            lines.append(f"{text} or.b64 {name}, %x2, {constant:#x};")
        a = registers(f"%i{i}" for i in range(4)) if form.from_registers else "%da"
        lines += ["fence.proxy.async.shared::cta; bar.sync 0; wgmma.fence.sync.aligned;",
                  form.text.format(d=registers(f"%d{i}" for i in range(form.d)), a=a, b="%db", e=f"%i{ins - form.d - 1}"),
                  "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"]
        lines += [f"st.global.b32 [%x1+{4 * i}], %d{i};" for i in range(form.d)]
        return "\n".join(lines) + "\nret; }"

    fields = f"{form.text} {tuple(form.desc_a)} {tuple(form.desc_b)}"
    r = random.Random(SEED + fields)
    data = b""
    for tile in range(form.tiles):
        if form.whole:
            small = [struct.pack("<e", i) for i in range(-15, 16)]
            data += b"".join(r.choice(small) for _ in range(SHARED // 2))
        else:
            half = SHARED // 8
            data += struct.pack(f"<{2 * half}I", *[tile_value(r, form.kind_a if i < half else form.kind_b, tile) for i in range(2 * half)])
        words = []
        for _ in range(128):
            words += [0 if form.whole else tile_value(r, form.kind_d, tile) for _ in range(form.d)]
            if form.from_registers:
                words += [tile_value(r, form.from_registers, tile) for _ in range(4)]
            if form.e:
                words.append(metadata(r, form.e))
        data += struct.pack(f"<{len(words)}I", *words)
    out.add(kernel, 128, form.tiles, data, form.tiles * 128 * 4 * form.d, fields)


def main():
    global SEED, CASES, TILES
    folder = sys.argv[1]
    if len(sys.argv) > 2:
        SEED, CASES, TILES = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    os.makedirs(folder, exist_ok=True)
    out = Output(folder)
    for form in forms.all_forms():
        lane_form(out, *form)
    lanes = out.count
    for form in matrix_forms.mma():
        mma_form(out, form)
    products = out.count
    for form in matrix_forms.wgmma():
        wgmma_form(out, form)
    out.close()
    print(f"{lanes} forms of lanes, {products - lanes} of mma, {out.count - products} of wgmma; {out.results} bytes of results")


if __name__ == "__main__":
    main()
