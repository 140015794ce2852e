"""The kernels that cases.h names, one instruction each: a module in PTX on the standard output.

Every thread executes it once, at the coordinates x, y, z (f32) or i, j, k (s32) with the layer n and the level w, and leaves
r0 to r3; stores take these from `values`.
"""

HEAD = """.version 8.8
.target sm_90a
.address_size 64
"""

ENTRY = """
.visible .entry {name}(.param .u64 t, .param .u64 floats, .param .u64 wholes, .param .u64 values, .param .u64 out)
{{
.reg .b64 %t, %d, %a; .reg .b32 %r<4>, %i, %j, %k, %n, %id; .reg .b16 %h<4>; .reg .f32 %x, %y, %z, %w, %v; .reg .pred %p;
mov.u32 %id, %tid.x;
ld.param.u64 %t, [t];
ld.param.u64 %a, [floats]; mad.wide.u32 %a, %id, 16, %a; ld.global.v4.f32 {{%x, %y, %z, %w}}, [%a];
ld.param.u64 %a, [wholes]; mad.wide.u32 %a, %id, 16, %a; ld.global.v4.b32 {{%i, %j, %k, %n}}, [%a];
ld.param.u64 %a, [values]; mad.wide.u32 %a, %id, 16, %a; ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%a];
ld.param.u64 %a, [out]; mad.wide.u32 %a, %id, 16, %a;
{body}
ret;
}}
"""

FLOAT_AT = {"1d": "[%t, {%x}]", "a1d": "[%t, {%n, %x}]", "2d": "[%t, {%x, %y}]", "a2d": "[%t, {%n, %x, %y, %y}]",
            "3d": "[%t, {%x, %y, %z, %z}]", "cube": "[%t, {%x, %y, %z, %z}]", "acube": "[%t, {%n, %x, %y, %z}]"}
WHOLE_AT = {"1d": "[%t, {%i}]", "a1d": "[%t, {%n, %i}]", "2d": "[%t, {%i, %j}]", "a2d": "[%t, {%n, %i, %j, %j}]",
            "3d": "[%t, {%i, %j, %k, %k}]"}
R = "{%r0, %r1, %r2, %r3}"
STORE = "\nst.global.v4.b32 [%a], {%r0, %r1, %r2, %r3};"


def kernels():
    for end, kind in (("f", "f32"), ("u", "u32")):
        for g, at in FLOAT_AT.items():
            yield f"tex_{g}_{end}", f"tex.{g}.v4.{kind}.f32 {R}, {at};"
        for g, at in WHOLE_AT.items():
            yield f"texi_{g}_{end}", f"tex.{g}.v4.{kind}.s32 {R}, {at};"
        yield f"texo_2d_{end}", f"tex.2d.v4.{kind}.f32 {R}, {FLOAT_AT['2d']}, {{3, -2}};"
        for c in "rgba":
            for g in ("2d", "a2d", "cube") if c == "r" else ("2d",):
                yield f"tld4{c}_{g}_{end}", f"tld4.{c}.{g}.v4.{kind}.f32 {R}, {FLOAT_AT[g]};"
    for g in ("1d", "2d", "3d", "a2d", "cube"):
        yield f"texl_{g}_f", f"tex.level.{g}.v4.f32.f32 {R}, {FLOAT_AT[g]}, %w;"
    half = "mul.f32 %v, %w, 0f3F000000; "
    yield "texg_1d_f", f"tex.grad.1d.v4.f32.f32 {R}, {FLOAT_AT['1d']}, {{%w}}, {{%w}};"
    yield "texg_2d_f", f"{half}tex.grad.2d.v4.f32.f32 {R}, {FLOAT_AT['2d']}, {{%w, %v}}, {{%v, %v}};"
    yield "texg_3d_f", f"{half}tex.grad.3d.v4.f32.f32 {R}, {FLOAT_AT['3d']}, {{%w, %v, %v, %v}}, {{%v, %v, %w, %v}};"
    yield "texh_2d", f"mov.b32 %r2, 0; mov.b32 %r3, 0; tex.2d.v2.f16x2.f32 {{%r0, %r1}}, {FLOAT_AT['2d']};"
    for op in ("txq", "suq"):
        for name, what in (("size", ["width", "height", "depth"]), ("layers", ["array_size"]),
                           ("type", ["channel_data_type", "channel_order"])):
            yield f"{op}_{name}", queries(op, what)
    for what in ("normalized_coords", "num_mipmap_levels", "num_samples"):
        yield f"txq_{what}", queries("txq", [what])
    for mode in ("zero", "clamp"):
        yield from surfaces(mode)


def queries(op, what):
    """The first thread's, one after the other."""
    lines = ["setp.ne.u32 %p, %id, 0; @%p ret;"]
    for i, word in enumerate(what):
        lines.append(f"{op}.{word}.b32 %r0, [%t]; st.global.b32 [%a+{4 * i}], %r0;")
    return "\n".join(lines)


def surfaces(mode):
    zero = "mov.b32 %r0, 0; mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %r3, 0;\n"
    # bits: registers, out of them, into them
    widths = {"b8": ("%h0", "cvt.u32.u16 %r0, %h0;", "cvt.u16.u32 %h0, %r0;"),
              "b16": ("%h0", "cvt.u32.u16 %r0, %h0;", "cvt.u16.u32 %h0, %r0;"),
              "b32": ("%r0", "", ""),
              "b64": ("%d", "mov.b64 {%r0, %r1}, %d;", "mov.b64 %d, {%r0, %r1};"),
              "v2.b8": ("{%h0, %h1}", "cvt.u32.u16 %r0, %h0; cvt.u32.u16 %r1, %h1;",
                        "cvt.u16.u32 %h0, %r0; cvt.u16.u32 %h1, %r1;"),
              "v4.b16": ("{%h0, %h1, %h2, %h3}", "mov.b32 %r0, {%h0, %h1}; mov.b32 %r1, {%h2, %h3};",
                         "mov.b32 {%h0, %h1}, %r0; mov.b32 {%h2, %h3}, %r1;"),
              "v2.b32": ("{%r0, %r1}", "", ""),
              "v4.b32": (R, "", "")}
    for g, at in WHOLE_AT.items():
        for width, (registers, after, before) in widths.items():
            if g != "2d" and width != "b32":
                continue
            name = f"{g}_{width.replace('.', '')}_{mode}"
            yield f"suld_{name}", f"{zero}suld.b.{g}.{width}.{mode} {registers}, {at}; {after}"
            yield f"sust_{name}", f"{before} sust.b.{g}.{width}.{mode} {at}, {registers};"
    at = WHOLE_AT["2d"]
    yield f"sustp_2d_v4b32_{mode}", f"sust.p.2d.v4.b32.{mode} {at}, {R};"
    for op, kind in (("add", "u32"), ("min", "s32"), ("max", "u32"), ("and", "b32"), ("or", "b32")):
        yield f"sured_2d_b_{op}_{kind}_{mode}", f"sured.b.{op}.2d.{kind}.{mode} {at}, %r0;"
    yield f"sured_2d_b_add_u64_{mode}", f"mov.b64 %d, {{%r0, %r1}}; sured.b.add.2d.u64.{mode} {at}, %d;"
    for op in ("add", "min", "and"):
        yield f"sured_2d_p_{op}_b32_{mode}", f"sured.p.{op}.2d.b32.{mode} {at}, %r0;"


def main():
    print(HEAD, end="")
    for name, body in kernels():
        print(ENTRY.format(name=name, body=body + ("" if name[:4] in ("sust", "sure", "txq_", "suq_") else STORE)), end="")


if __name__ == "__main__":
    main()
