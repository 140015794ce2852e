"""The matrix instructions whose results are compared with a GPU's.

Mma: a text with {d}, {a}, {b}, {c} (lists of registers), {e} (metadata); registers of each and the kind of numbers in
them. Wgmma: the same with {d}, {a} (a descriptor or four registers), {b} (a descriptor), {e}, and the fields of the
descriptors: bytes from the start of a tile's shared memory, leading and stride offset, base offset, swizzle.
"""
import itertools
from collections import namedtuple

Mma = namedtuple("Mma", "text d a b c e kind_a kind_b kind_c")
Descriptor = namedtuple("Descriptor", "start leading stride base swizzle")
# `from_registers`: the kind of A in registers, or none; `whole`: shared memory holds small whole numbers.
Wgmma = namedtuple("Wgmma", "text d kind_d kind_a kind_b from_registers e desc_a desc_b whole tiles")

ALL_SATURATION = ("", ".satfinite")


def mma():
    for la, lb in itertools.product(("row", "col"), repeat=2):
        for d, c in (("f16", "f16"), ("f32", "f16"), ("f32", "f32")):
            n = {"f16": 4, "f32": 8}
            yield Mma(f"mma.sync.aligned.m8n8k4.{la}.{lb}.{d}.f16.f16.{c} {{d}}, {{a}}, {{b}}, {{c}};", n[d], 2, 2, n[c], 0,
                      "f16x2", "f16x2", "f16x2" if c == "f16" else "f32")
    for k, a, b in ((8, 2, 1), (16, 4, 2)):
        for d, c in (("f16", "f16"), ("f32", "f32")):
            n = 2 if d == "f16" else 4
            yield Mma(f"mma.sync.aligned.m16n8k{k}.row.col.{d}.f16.f16.{c} {{d}}, {{a}}, {{b}}, {{c}};", n, a, b, n, 0, "f16x2",
                      "f16x2", "f16x2" if c == "f16" else "f32")
        yield Mma(f"mma.sync.aligned.m16n8k{k}.row.col.f32.bf16.bf16.f32 {{d}}, {{a}}, {{b}}, {{c}};", 4, a, b, 4, 0, "bf16x2",
                  "bf16x2", "f32")
    for k, a, b in ((4, 2, 1), (8, 4, 2)):
        yield Mma(f"mma.sync.aligned.m16n8k{k}.row.col.f32.tf32.tf32.f32 {{d}}, {{a}}, {{b}}, {{c}};", 4, a, b, 4, 0, "f32", "f32",
                  "f32")
    for shape, a, b, c in (("m8n8k4", 1, 1, 2), ("m16n8k4", 2, 1, 4), ("m16n8k8", 4, 2, 4), ("m16n8k16", 8, 4, 4)):
        yield Mma(f"mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64 {{d}}, {{a}}, {{b}}, {{c}};", c, a, b, c, 0, "f64", "f64", "f64")
        for r in ("rz", "rm", "rp"):
            yield Mma(f"mma.sync.aligned.{shape}.row.col.{r}.f64.f64.f64.f64 {{d}}, {{a}}, {{b}}, {{c}};", c, a, b, c, 0, "f64",
                      "f64", "f64")
    for bits, types in ((8, ("s8", "u8")), (4, ("s4", "u4"))):
        deep = 128 // bits
        for (shape, a, b, c), ta, tb, sat in itertools.product(
                ((f"m8n8k{deep}", 1, 1, 2), (f"m16n8k{deep}", 2, 1, 4), (f"m16n8k{2 * deep}", 4, 2, 4)), types, types, ALL_SATURATION):
            yield Mma(f"mma.sync.aligned.{shape}.row.col{sat}.s32.{ta}.{tb}.s32 {{d}}, {{a}}, {{b}}, {{c}};", c, a, b, c, 0, "i8x4",
                      "i8x4", "i32")
    for (shape, a, b, c), op in itertools.product((("m8n8k128", 1, 1, 2), ("m16n8k128", 2, 1, 4), ("m16n8k256", 4, 2, 4)),
                                                  ("xor", "and")):
        yield Mma(f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc {{d}}, {{a}}, {{b}}, {{c}};", c, a, b, c, 0, "i32", "i32",
                  "i32")
    for ta, tb in itertools.product(("e4m3", "e5m2"), repeat=2):
        for k, a, b in ((16, 2, 1), (32, 4, 2)):
            for d in ("f32", "f16"):
                n = 2 if d == "f16" else 4
                yield Mma(f"mma.sync.aligned.m16n8k{k}.row.col.{d}.{ta}.{tb}.{d} {{d}}, {{a}}, {{b}}, {{c}};", n, a, b, n, 0,
                          ta + "x4", tb + "x4", "f16x2" if d == "f16" else "f32")
    yield from sparse()


def sparse():
    for order in ("", "::ordered_metadata"):
        head = f"mma.sp{order}.sync.aligned."
        for k, n, selectors in ((16, 2, 4), (32, 4, 2)):
            for s in range(selectors):
                for d in ("f16", "f32"):
                    c = 2 if d == "f16" else 4
                    yield Mma(f"{head}m16n8k{k}.row.col.{d}.f16.f16.{d} {{d}}, {{a}}, {{b}}, {{c}}, {{e}}, {s};", c, n, n, c, "2:4",
                              "f16x2", "f16x2", "f16x2" if d == "f16" else "f32")
                yield Mma(f"{head}m16n8k{k}.row.col.f32.bf16.bf16.f32 {{d}}, {{a}}, {{b}}, {{c}}, {{e}}, {s};", 4, n, n, 4, "2:4",
                          "bf16x2", "bf16x2", "f32")
        for k, n, selectors in ((8, 2, 4), (16, 4, 2)):
            for s in range(selectors):
                yield Mma(f"{head}m16n8k{k}.row.col.f32.tf32.tf32.f32 {{d}}, {{a}}, {{b}}, {{c}}, {{e}}, {s};", 4, n, n, 4, "1:2",
                          "f32", "f32", "f32")
        for bits in (8, 4):
            for k, n, selectors in ((256 // bits, 2, 2), (512 // bits, 4, 1)):
                for s in range(selectors):
                    yield Mma(f"{head}m16n8k{k}.row.col.s32.s{bits}.u{bits}.s32 {{d}}, {{a}}, {{b}}, {{c}}, {{e}}, {s};", 4, n, n, 4,
                              "2:4" if bits == 8 else "pairs", "i8x4", "i8x4", "i32")
        for ta, tb in itertools.product(("e4m3", "e5m2"), repeat=2):
            yield Mma(f"{head}m16n8k64.row.col.f32.{ta}.{tb}.f32 {{d}}, {{a}}, {{b}}, {{c}}, {{e}}, 0;", 4, 4, 4, 4, "2:4",
                      ta + "x4", tb + "x4", "f32")


PLAIN_A = Descriptor(0, 128, 256, 0, 0)
PLAIN_B = Descriptor(24576, 128, 256, 0, 0)


def wgmma():
    def of(n, k, types, tail, d, kind_d, ka, kb, **more):
        fields = {"from_registers": None, "e": 0, "desc_a": PLAIN_A, "desc_b": PLAIN_B, "whole": False, "tiles": 4}
        fields.update(more)
        sp = ".sp" if fields["e"] else ""
        e = ", {e}, 0" if fields["e"] else ""
        return Wgmma(f"wgmma.mma_async{sp}.sync.aligned.m64n{n}k{k}{types} {{d}}, {{a}}, {{b}}{e}, {tail};", d, kind_d, ka, kb,
                     **fields)

    n = 16
    for scales in ("p, 1, 1", "p, -1, 1", "p, 1, -1"):
        for d in ("f32", "f16"):
            count = n // 2 if d == "f32" else n // 4
            kd = "f32" if d == "f32" else "f16x2"
            yield of(n, 16, f".{d}.f16.f16", scales + ", 0, 0", count, kd, "f16x2", "f16x2")
            yield of(n, 16, f".{d}.f16.f16", scales + ", 0", count, kd, "f16x2", "f16x2", from_registers="f16x2")
            yield of(n, 32, f".{d}.f16.f16", scales + ", 0, 0", count, kd, "f16x2", "f16x2", e="2:4")
            for ta, tb in itertools.product(("e4m3", "e5m2"), repeat=2):
                yield of(n, 32, f".{d}.{ta}.{tb}", scales, count, kd, ta + "x4", tb + "x4")
        yield of(n, 16, ".f32.bf16.bf16", scales + ", 0, 0", n // 2, "f32", "bf16x2", "bf16x2")
        yield of(n, 32, ".f32.bf16.bf16", scales + ", 0, 0", n // 2, "f32", "bf16x2", "bf16x2", e="2:4")
        yield of(n, 8, ".f32.tf32.tf32", scales, n // 2, "f32", "f32", "f32")
        yield of(n, 16, ".f32.tf32.tf32", scales, n // 2, "f32", "f32", "f32", e="1:2")
    yield of(n, 32, ".f32.e4m3.e5m2", "p, 1, 1", n // 2, "f32", "e4m3x4", "e5m2x4", from_registers="e4m3x4")
    yield of(n, 64, ".f32.e4m3.e4m3", "p, 1, 1", n // 2, "f32", "e4m3x4", "e4m3x4", e="2:4")
    for ta, tb, sat in itertools.product(("s8", "u8"), ("s8", "u8"), ALL_SATURATION):
        yield of(n, 32, f"{sat}.s32.{ta}.{tb}".replace(".satfinite", "", 0), "p", n // 2, "i32", "i8x4", "i8x4")._replace(
            text=f"wgmma.mma_async.sync.aligned.m64n{n}k32.s32.{ta}.{tb}{sat} {{d}}, {{a}}, {{b}}, p;")
    yield of(n, 256, ".s32.b1.b1.and.popc", "p", n // 2, "i32", "i32", "i32")
    # Where numbers lie: every swizzle, both orders, offsets within the pattern, base offsets.
    for width, ta, tb in itertools.product((8, 64, 128), (0, 1), (0, 1)):
        for swizzle in range(4):
            for leading, stride in ((128, 256), (1024, 512), (512, 1024), (16, 1024)):
                if swizzle and stride < (1024, 1024, 512, 256)[swizzle]:
                    continue
                yield of(width, 16, ".f32.f16.f16", f"p, 1, 1, {ta}, {tb}", width // 2, "f32", "f16x2", "f16x2", whole=True, tiles=1,
                         desc_a=Descriptor(0, leading, stride, 0, swizzle), desc_b=Descriptor(24576, leading, stride, 0, swizzle))
    for swizzle, offset in itertools.product((1, 2, 3), (16, 32, 64, 96, 128, 256, 512)):
        base = (offset >> 7) & 7
        for b in {0, base}:
            yield of(16, 16, ".f32.f16.f16", "p, 1, 1, 0, 0", 8, "f32", "f16x2", "f16x2", whole=True, tiles=1,
                     desc_a=Descriptor(offset, 1024, 1024, b, swizzle), desc_b=Descriptor(24576 + offset, 1024, 1024, b, swizzle))
    for swizzle in range(4):
        yield of(16, 8, ".f32.tf32.tf32", "p, 1, 1", 8, "f32", "f32", "f32", tiles=1,
                 desc_a=Descriptor(0, 1024, 1024, 0, swizzle), desc_b=Descriptor(24576, 1024, 1024, 0, swizzle))
        yield of(16, 32, ".s32.s8.s8", "p", 8, "i32", "i8x4", "i8x4", tiles=1,
                 desc_a=Descriptor(0, 1024, 1024, 0, swizzle), desc_b=Descriptor(24576, 1024, 1024, 0, swizzle))
        yield of(16, 32, ".f32.f16.f16", "p, 1, 1, 0, 0", 8, "f32", "f16x2", "f16x2", e="2:4", whole=True, tiles=1,
                 desc_a=Descriptor(0, 1024, 1024, 0, swizzle), desc_b=Descriptor(24576, 1024, 1024, 0, swizzle))
