"""The instruction forms of single lanes whose results are compared with a GPU's: (text, result kinds, operand kinds).

A text has {d}, {d1}, {a}, {b}, {c}, {e} for results and operands. Kinds: i8 i16 i32 i64 (any bits, corners of
both signs), n (a shift count or the like), f16 bf16 f32 f64, f16x2 bf16x2, i16x2, i8x4, e4m3x2, e5m2x2, p
(predicate).
"""

INTS = ("u16", "s16", "u32", "s32", "u64", "s64")
CMP_INT = ("eq", "ne", "lt", "le", "gt", "ge")
CMP_FLOAT = CMP_INT + ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
ROUND = ("rn", "rz", "rm", "rp")


def kind(t):
    return "i" + t[1:] if t[0] in "usb" and t[1:].isdigit() else t


def wide(t):
    return t[0] + str(2 * int(t[1:]))


def within(small, large):
    """Whether all numbers of the first type are numbers of the second."""
    more = int(large[1:]) - int(small[1:])
    return more >= 0 and small[0] == large[0] or more > 0 and small[0] == "u"


def integers():
    for t in INTS:
        k = kind(t)
        for op in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
            yield f"{op}.{t} {{d}}, {{a}}, {{b}};", [k], [k, k]
        for op in ("div", "rem"):
            yield f"{op}.{t} {{d}}, {{a}}, {{b}};", [k], [k, k]
        for op in ("mad.lo", "mad.hi", "sad"):
            yield f"{op}.{t} {{d}}, {{a}}, {{b}}, {{c}};", [k], [k, k, k]
        if t[0] == "s":
            yield f"abs.{t} {{d}}, {{a}};", [k], [k]
            yield f"neg.{t} {{d}}, {{a}};", [k], [k]
        if t[1:] != "64":
            yield f"mul.wide.{t} {{d}}, {{a}}, {{b}};", [kind(wide(t))], [k, k]
            yield f"mad.wide.{t} {{d}}, {{a}}, {{b}}, {{c}};", [kind(wide(t))], [k, k, kind(wide(t))]
        yield f"shr.{t} {{d}}, {{a}}, {{b}};", [k], [k, "n"]
        for c in CMP_INT:
            yield f"setp.{c}.{t} {{d}}|{{d1}}, {{a}}, {{b}};", ["p", "p"], [k, k]
        for b in ("and", "or", "xor"):
            yield f"setp.lt.{b}.{t} {{d}}|{{d1}}, {{a}}, {{b}}, {{c}};", ["p", "p"], [k, k, "p"]
        yield f"set.gt.u32.{t} {{d}}, {{a}}, {{b}};", ["i32"], [k, k]
        yield f"set.le.f32.{t} {{d}}, {{a}}, {{b}};", ["i32"], [k, k]
        yield f"slct.{t}.s32 {{d}}, {{a}}, {{b}}, {{c}};", [k], [k, k, "i32"]
    for op in ("add.sat.s32", "sub.sat.s32", "min.relu.s32", "max.relu.s32", "mul24.lo.s32", "mul24.hi.s32",
               "mul24.lo.u32", "mul24.hi.u32"):
        yield f"{op} {{d}}, {{a}}, {{b}};", ["i32"], ["i32", "i32"]
    for op in ("mad.hi.sat.s32", "mad24.lo.s32", "mad24.hi.s32", "mad24.lo.u32", "mad24.hi.u32", "mad24.hi.sat.s32",
               "dp4a.u32.u32", "dp4a.u32.s32", "dp4a.s32.u32", "dp4a.s32.s32", "dp2a.lo.u32.u32", "dp2a.lo.s32.s32",
               "dp2a.hi.u32.s32", "dp2a.hi.s32.u32"):
        yield f"{op} {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], ["i32"] * 3
    for op in ("add.u16x2", "add.s16x2", "min.u16x2", "min.s16x2", "max.u16x2", "max.s16x2", "min.relu.s16x2",
               "max.relu.s16x2"):
        yield f"{op} {{d}}, {{a}}, {{b}};", ["i32"], ["i16x2", "i16x2"]
    for t in ("u32", "s32", "u64", "s64"):
        k = kind(t)
        yield f"add.cc.{t} {{d}}, {{a}}, {{b}}; addc.{t} {{d1}}, {{c}}, {{c}};", [k, k], [k, k, k]
        yield f"sub.cc.{t} {{d}}, {{a}}, {{b}}; subc.{t} {{d1}}, {{c}}, {{a}};", [k, k], [k, k, k]
        for part in ("lo", "hi"):
            yield f"mad.{part}.cc.{t} {{d}}, {{a}}, {{b}}, {{c}}; addc.{t} {{d1}}, 0, 0;", [k, k], [k, k, k]
            yield f"add.cc.{t} {{d1}}, {{a}}, {{c}}; madc.{part}.{t} {{d}}, {{a}}, {{b}}, {{c}};", [k, k], [k, k, k]


def words():
    for t in ("b16", "b32", "b64"):
        k = kind(t)
        for op in ("and", "or", "xor"):
            yield f"{op}.{t} {{d}}, {{a}}, {{b}};", [k], [k, k]
        yield f"not.{t} {{d}}, {{a}};", [k], [k]
        yield f"cnot.{t} {{d}}, {{a}};", [k], [k]
        yield f"shl.{t} {{d}}, {{a}}, {{b}};", [k], [k, "n"]
        yield f"selp.{t} {{d}}, {{a}}, {{b}}, {{c}};", [k], [k, k, "p"]
    for t in ("b32", "b64"):
        k = kind(t)
        for op in ("popc", "clz"):
            yield f"{op}.{t} {{d}}, {{a}};", ["i32"], [k]
        yield f"brev.{t} {{d}}, {{a}};", [k], [k]
        yield f"bfi.{t} {{d}}, {{a}}, {{b}}, {{c}}, {{e}};", [k], [k, k, "n", "n"]
    for t in ("u32", "s32", "u64", "s64"):
        k = kind(t)
        yield f"bfind.{t} {{d}}, {{a}};", ["i32"], [k]
        yield f"bfind.shiftamt.{t} {{d}}, {{a}};", ["i32"], [k]
        yield f"bfe.{t} {{d}}, {{a}}, {{b}}, {{c}};", [k], [k, "n", "n"]
    yield "fns.b32 {d}, {a}, {b}, {c};", ["i32"], ["i32", "n", "n"]
    for m in ("clamp", "wrap"):
        yield f"szext.{m}.s32 {{d}}, {{a}}, {{b}};", ["i32"], ["i32", "n"]
        yield f"szext.{m}.u32 {{d}}, {{a}}, {{b}};", ["i32"], ["i32", "n"]
        yield f"bmsk.{m}.b32 {{d}}, {{a}}, {{b}};", ["i32"], ["n", "n"]
        yield f"shf.l.{m}.b32 {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], ["i32", "i32", "n"]
        yield f"shf.r.{m}.b32 {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], ["i32", "i32", "n"]
    for table in range(0, 256, 5):
        yield f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table};", ["i32"], ["i32"] * 3
    for b in ("or", "and"):
        yield f"lop3.{b}.b32 {{d}}|{{d1}}, {{a}}, {{b}}, {{c}}, 0x80, {{e}};", ["i32", "p"], ["i32"] * 3 + ["p"]
    for m in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield f"prmt.b32{m} {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], ["i32"] * 3


def floats():
    for t, k in (("f32", "f32"), ("f64", "f64")):
        ftz = ("", ".ftz") if t == "f32" else ("",)
        for r in ROUND:
            for f in ftz:
                for op in ("add", "sub", "mul", "div"):
                    yield f"{op}.{r}{f}.{t} {{d}}, {{a}}, {{b}};", [k], [k, k]
                for op in ("rcp", "sqrt"):
                    yield f"{op}.{r}{f}.{t} {{d}}, {{a}};", [k], [k]
                yield f"fma.{r}{f}.{t} {{d}}, {{a}}, {{b}}, {{c}};", [k], [k, k, k]
                if t == "f32":
                    yield f"fma.{r}{f}.sat.f32 {{d}}, {{a}}, {{b}}, {{c}};", [k], [k, k, k]
                    yield f"add.{r}{f}.sat.f32 {{d}}, {{a}}, {{b}};", [k], [k, k]
                    yield f"mul.{r}{f}.sat.f32 {{d}}, {{a}}, {{b}};", [k], [k, k]
        for m in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield f"testp.{m}.{t} {{d}}, {{a}};", ["p"], [k]
        yield f"copysign.{t} {{d}}, {{a}}, {{b}};", [k], [k, k]
    for op in ("div.approx", "div.full"):
        for f in ("", ".ftz"):
            yield f"{op}{f}.f32 {{d}}, {{a}}, {{b}};", ["f32"], ["f32", "f32"]
    for op in ("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"):
        for f in ("", ".ftz"):
            yield f"{op}.approx{f}.f32 {{d}}, {{a}};", ["f32"], ["f32"]
    yield "tanh.approx.f32 {d}, {a};", ["f32"], ["f32"]
    yield "rcp.approx.ftz.f64 {d}, {a};", ["f64"], ["f64"]
    yield "rsqrt.approx.ftz.f64 {d}, {a};", ["f64"], ["f64"]
    yield "rsqrt.approx.f64 {d}, {a};", ["f64"], ["f64"]
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        ftz = ("", ".ftz") if t[0] == "f" else ("",)
        for f in ftz:
            for op in ("add", "sub", "mul"):
                yield f"{op}.rn{f}.{t} {{d}}, {{a}}, {{b}};", [t], [t, t]
                if t[0] == "f":
                    yield f"{op}.rn{f}.sat.{t} {{d}}, {{a}}, {{b}};", [t], [t, t]
            yield f"fma.rn{f}.{t} {{d}}, {{a}}, {{b}}, {{c}};", [t], [t, t, t]
            yield f"fma.rn{f}.relu.{t} {{d}}, {{a}}, {{b}}, {{c}};", [t], [t, t, t]
        yield f"ex2.approx{'.ftz' if t[0] == 'b' else ''}.{t} {{d}}, {{a}};", [t], [t]
        yield f"tanh.approx.{t} {{d}}, {{a}};", [t], [t]
    for t in ("f16", "f16x2", "bf16", "bf16x2", "f32", "f64"):
        ftz = ("", ".ftz") if t in ("f16", "f16x2", "f32") else ("",)
        for f in ftz:
            yield f"neg{f}.{t} {{d}}, {{a}};", [t], [t]
            yield f"abs{f}.{t} {{d}}, {{a}};", [t], [t]
            for op in ("min", "max"):
                for m in ("",) if t == "f64" else ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
                    yield f"{op}{f}{m}.{t} {{d}}, {{a}}, {{b}};", [t], [t, t]


def comparisons():
    for t in ("f16", "bf16", "f32", "f64"):
        for c in CMP_FLOAT:
            second = "" if t in ("f16", "bf16") else "|{d1}"
            results = ["p"] if t in ("f16", "bf16") else ["p", "p"]
            yield f"setp.{c}.{t} {{d}}{second}, {{a}}, {{b}};", results, [t, t]
        yield f"set.lt.u32.{t} {{d}}, {{a}}, {{b}};", ["i32"], [t, t]
    for c in CMP_FLOAT:
        yield f"setp.{c}.ftz.f32 {{d}}, {{a}}, {{b}};", ["p"], ["f32", "f32"]
        for t in ("f16x2", "bf16x2"):
            yield f"setp.{c}.{t} {{d}}|{{d1}}, {{a}}, {{b}};", ["p", "p"], [t, t]
    yield "set.lt.f32.f32 {d}, {a}, {b};", ["f32"], ["f32", "f32"]
    yield "set.geu.and.s32.f64 {d}, {a}, {b}, {c};", ["i32"], ["f64", "f64", "p"]
    for t in ("f16", "bf16"):
        yield f"set.lt.{t}.{t} {{d}}, {{a}}, {{b}};", [t], [t, t]
        yield f"set.lt.u16.{t} {{d}}, {{a}}, {{b}};", ["i16"], [t, t]
        yield f"set.neu.{t}x2.{t}x2 {{d}}, {{a}}, {{b}};", ["i32"], [t + "x2", t + "x2"]
        yield f"set.neu.u32.{t}x2 {{d}}, {{a}}, {{b}};", ["i32"], [t + "x2", t + "x2"]
    for f in ("", ".ftz"):
        yield f"slct{f}.f32.f32 {{d}}, {{a}}, {{b}}, {{c}};", ["f32"], ["f32"] * 3


def conversions():
    whole = ("u8", "s8") + INTS
    register = {"u8": "i32", "s8": "i32"}
    kinds = {t: register.get(t, kind(t)) for t in whole}
    for to in whole:
        for of in whole:
            if to != of:
                yield f"cvt.{to}.{of} {{d}}, {{a}};", [kinds[to]], [kinds[of]]
                if not within(of, to):
                    yield f"cvt.sat.{to}.{of} {{d}}, {{a}};", [kinds[to]], [kinds[of]]
        for of in ("f16", "bf16", "f32", "f64") if to[1:] != "8" else ("f16", "f32", "f64"):
            for r in ("rni", "rzi", "rmi", "rpi"):
                yield f"cvt.{r}.{to}.{of} {{d}}, {{a}};", [kinds[to]], [of]
            for r in ("rn", "rz", "rm", "rp"):
                yield f"cvt.{r}.{of}.{to} {{d}}, {{a}};", [of], [kinds[to]]
    yield "cvt.rzi.ftz.s32.f32 {d}, {a};", ["i32"], ["f32"]
    for to, of in (("f16", "f32"), ("f16", "f64"), ("f32", "f64"), ("bf16", "f32"), ("bf16", "f64"), ("bf16", "f16"),
                   ("f16", "bf16")):
        for r in ROUND:
            yield f"cvt.{r}.{to}.{of} {{d}}, {{a}};", [to], [of]
    for to, of in (("f32", "f16"), ("f64", "f16"), ("f64", "f32"), ("f32", "bf16"), ("f64", "bf16")):
        yield f"cvt.{to}.{of} {{d}}, {{a}};", [to], [of]
    for t in ("f16", "f32", "f64"):
        for r in ("rni", "rzi", "rmi", "rpi"):
            yield f"cvt.{r}.{t}.{t} {{d}}, {{a}};", [t], [t]
        yield f"cvt.sat.{t}.{t} {{d}}, {{a}};", [t], [t]
    yield "cvt.rn.ftz.f32.f64 {d}, {a};", ["f32"], ["f64"]
    yield "cvt.ftz.f64.f32 {d}, {a};", ["f64"], ["f32"]
    for t in ("f16", "bf16"):
        for r in ("rn", "rz"):
            for m in ("", ".relu", ".satfinite", ".relu.satfinite"):
                yield f"cvt.{r}{m}.{t}.f32 {{d}}, {{a}};", [t], ["f32"]
                yield f"cvt.{r}{m}.{t}x2.f32 {{d}}, {{a}}, {{b}};", [t + "x2"], ["f32", "f32"]
    for m in ("rna", "rn", "rz", "rn.relu", "rz.relu", "rna.satfinite"):
        yield f"cvt.{m}.tf32.f32 {{d}}, {{a}};", ["i32"], ["f32"]
    for t in ("e4m3x2", "e5m2x2"):
        for m in ("", ".relu"):
            yield f"cvt.rn.satfinite{m}.{t}.f32 {{d}}, {{a}}, {{b}};", ["i16"], ["f32", "f32"]
            yield f"cvt.rn.satfinite{m}.{t}.f16x2 {{d}}, {{a}};", ["i16"], ["f16x2"]
            yield f"cvt.rn{m}.f16x2.{t} {{d}}, {{a}};", ["i32"], [t]
    for t in ("u16", "s16"):
        yield f"cvt.pack.sat.{t}.s32 {{d}}, {{a}}, {{b}};", ["i32"], ["i32", "i32"]
    for t in ("u8", "s8", "u4", "s4", "u2", "s2"):
        yield f"cvt.pack.sat.{t}.s32.b32 {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], ["i32"] * 3


def video():
    signs = ("u32", "s32")
    i3 = ["i32"] * 3
    for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for d in signs:
            for a in signs:
                for b in signs:
                    yield f"{op}.{d}.{a}.{b} {{d}}, {{a}}.b1, {{b}}.h1;", ["i32"], ["i32", "i32"]
                    yield f"{op}.{d}.{a}.{b}.sat {{d}}, {{a}}, {{b}};", ["i32"], ["i32", "i32"]
            for second in ("add", "min", "max"):
                yield f"{op}.{d}.s32.u32.{second} {{d}}, {{a}}, {{b}}.b3, {{c}};", ["i32"], i3
                yield f"{op}.{d}.s32.u32.sat.{second} {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], i3
            for part in ("b0", "b2", "h1"):
                yield f"{op}.{d}.s32.s32.sat {{d}}.{part}, {{a}}, {{b}}, {{c}};", ["i32"], i3
    for op in ("vshl", "vshr"):
        for t in signs:
            for m in ("clamp", "wrap"):
                yield f"{op}.{t}.{t}.u32.{m} {{d}}, {{a}}, {{b}};", ["i32"], ["i32", "n"]
                yield f"{op}.{t}.{t}.u32.sat.{m} {{d}}, {{a}}.h1, {{b}}.b0;", ["i32"], ["i32", "n"]
                yield f"{op}.{t}.{t}.u32.{m}.add {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], ["i32", "n", "i32"]
    for m in ("", ".shr7", ".shr15", ".sat", ".sat.shr7", ".sat.shr15"):
        for t in signs:
            yield f"vmad.{t}.{t}.{t}{m} {{d}}, {{a}}.h0, {{b}}.h1, {{c}};", ["i32"], i3
            yield f"vmad.{t}.{t}.{t}{m} {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], i3
        yield f"vmad.s32.u32.u32{m} {{d}}, -{{a}}, {{b}}, {{c}};", ["i32"], i3
        yield f"vmad.s32.u32.u32{m} {{d}}, {{a}}, {{b}}, -{{c}};", ["i32"], i3
    yield "vmad.u32.u32.u32.po {d}, {a}, {b}, {c};", ["i32"], i3
    for c in CMP_INT:
        yield f"vset.s32.u32.{c} {{d}}, {{a}}.b1, {{b}}.b2;", ["i32"], ["i32", "i32"]
        yield f"vset2.s32.s32.{c} {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], ["i16x2", "i16x2", "i32"]
        yield f"vset4.u32.u32.{c}.add {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], ["i8x4", "i8x4", "i32"]
    for n, k in (("2", "i16x2"), ("4", "i8x4")):
        for op in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
            for d in signs:
                for s in signs:
                    yield f"{op}{n}.{d}.{s}.{s} {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], [k, k, "i32"]
                    yield f"{op}{n}.{d}.{s}.{s}.sat {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], [k, k, "i32"]
                yield f"{op}{n}.{d}.s32.u32.add {{d}}, {{a}}, {{b}}, {{c}};", ["i32"], [k, k, "i32"]
        part = "h0" if n == "2" else "b20"
        yield f"vadd{n}.s32.s32.s32 {{d}}.{part}, {{a}}, {{b}}, {{c}};", ["i32"], [k, k, "i32"]


def lanes():
    """Instructions for the lanes of a warp. {w} is the number of the lane."""
    full = "0xffffffff"
    for mode in ("up", "down", "bfly", "idx"):
        yield (f"shfl.sync.{mode}.b32 {{d}}|{{d1}}, {{a}}, {{b}}, {{c}}, {full};", ["i32", "p"], ["i32", "n", "i32"])
        for clamp in ("0", "0x1f", "0x181f", "0x1c1f", "0x1010"):
            yield (f"shfl.sync.{mode}.b32 {{d}}|{{d1}}, {{a}}, {{b}}, {clamp}, {full};", ["i32", "p"], ["i32", "n"])
    for op in ("all", "any", "uni"):
        yield f"vote.sync.{op}.pred {{d}}, {{a}}, {full};", ["p"], ["p"]
        yield f"setp.ne.u32 %p7, {{w}}, 99; vote.sync.{op}.pred {{d}}, %p7, {full};", ["p"], []
    yield f"vote.sync.ballot.b32 {{d}}, {{a}}, {full};", ["i32"], ["p"]
    yield f"and.b32 %r7, {{a}}, 3; match.any.sync.b32 {{d}}, %r7, {full};", ["i32"], ["i32"]
    yield f"and.b64 %d7, {{a}}, 3; match.any.sync.b64 {{d}}, %d7, {full};", ["i32"], ["i64"]
    yield f"match.all.sync.b32 {{d}}|{{d1}}, {{a}}, {full};", ["i32", "p"], ["i32"]
    yield f"mov.b32 %r7, 5; match.all.sync.b32 {{d}}|{{d1}}, %r7, {full};", ["i32", "p"], []
    for op in ("add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"):
        yield f"redux.sync.{op} {{d}}, {{a}}, {full};", ["i32"], ["i32"]
    yield f"elect.sync {{d}}|{{d1}}, {full};", ["i32", "p"], []
    # Lanes that part: each half with a mask of its own.
    half = "setp.lt.u32 %p7, {w}, 13; @%p7 bra $low; "
    for text, results, operands in (
            ("redux.sync.add.s32 {{d}}, {{a}}, {mask};", ["i32"], ["i32"]),
            ("elect.sync {{d}}|{{d1}}, {mask};", ["i32", "p"], []),
            ("activemask.b32 {{d}};", ["i32"], []),
            ("shfl.sync.idx.b32 {{d}}|{{d1}}, {{a}}, 15, 0x1f, {mask};", ["i32", "p"], ["i32"]),
            ("vote.sync.ballot.b32 {{d}}, {{a}}, {mask};", ["i32"], ["p"])):
        yield ("{{ " + half + text.format(mask="0xffffe000").replace("{{", "{").replace("}}", "}") + " bra $end; $low: " +
               text.format(mask="0x1fff").replace("{{", "{").replace("}}", "}") + " $end: }}", results, operands)


def atomics():
    """{m}: an address of 8 bytes of this lane's own in {space}; what is there afterwards is the second result."""
    def forms(space):
        for t, k in (("u32", "i32"), ("s32", "i32"), ("u64", "i64"), ("s64", "i64")):
            for op in ("add", "min", "max") if t != "s64" else ("min", "max"):
                yield f"{op}.{t}", k
        for t, k in (("b32", "i32"), ("b64", "i64")):
            for op in ("and", "or", "xor", "exch"):
                yield f"{op}.{t}", k
        yield "inc.u32", "i32"
        yield "dec.u32", "i32"
        yield "add.f32", "f32"
        yield "add.f64", "f64"
        for t in ("f16", "f16x2", "bf16", "bf16x2"):
            yield f"add.noftz.{t}", t

    widths = {"i32": "b32", "f32": "b32", "i64": "b64", "f64": "b64", "f16": "b16", "bf16": "b16", "f16x2": "b32",
              "bf16x2": "b32"}
    for space in ("global", "shared"):
        for op, k in forms(space):
            w = widths[k]
            yield (f"st.{space}.{w} [{{{space}}}], {{a}}; atom.{space}.{op} {{d}}, [{{{space}}}], {{b}}; "
                   f"ld.{space}.{w} {{d1}}, [{{{space}}}];", [k, k], [k, k])
        for w, k in (("b16", "i16"), ("b32", "i32"), ("b64", "i64")):
            yield (f"st.{space}.{w} [{{{space}}}], {{a}}; atom.{space}.cas.{w} {{d}}, [{{{space}}}], {{b}}, {{c}}; "
                   f"atom.{space}.cas.{w} {{d1}}, [{{{space}}}], {{a}}, {{c}};", [k, k], [k, k, k])
    for op, k in forms("global"):
        if not op.startswith("exch"):
            w = widths[k]
            yield (f"st.global.{w} [{{global}}], {{a}}; red.global.{op} [{{global}}], {{b}}; "
                   f"ld.global.{w} {{d}}, [{{global}}];", [k], [k, k])


def all_forms():
    out = []
    for family in (integers, words, floats, comparisons, conversions, video, lanes, atomics):
        out += [(text, d, s) for text, d, s in family()]
    return out
