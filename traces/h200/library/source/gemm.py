"""Matrix products: cuBLAS, cuBLASLt, CUTLASS through PyTorch."""
import torch
import torch.nn.functional as F

bf, hf, f32, f64 = torch.bfloat16, torch.float16, torch.float32, torch.float64
f8, e5 = torch.float8_e4m3fn, torch.float8_e5m2
c64, c128 = torch.complex64, torch.complex128
SHORT = {bf: "bf16", hf: "fp16", f32: "fp32", f64: "f64", c64: "c64", c128: "c128", f8: "fp8", e5: "e5m2"}


def r(*s, dt=bf):
    return torch.randn(*s, device="cuda", dtype=dt)


def mm(m, n, k, dt, ta=False, tb=False):
    def make():
        a = r(k, m, dt=dt).t() if ta else r(m, k, dt=dt)
        b = r(n, k, dt=dt).t() if tb else r(k, n, dt=dt)
        return lambda: torch.mm(a, b)
    return "mm_%s_%dx%dx%d%s%s" % (SHORT[dt], m, n, k, "_ta" if ta else "", "_tb" if tb else ""), make


def tf32(m, n, k, ta=False):
    name, make = mm(m, n, k, f32, ta)

    def tf():
        f = make()

        def g():
            torch.backends.cuda.matmul.allow_tf32 = True
            out = f()
            torch.backends.cuda.matmul.allow_tf32 = False
            return out
        return g
    return name.replace("fp32", "tf32"), tf


def bmm(b, m, n, k, dt):
    def make():
        x, y = r(b, m, k, dt=dt), r(b, k, n, dt=dt)
        return lambda: torch.bmm(x, y)
    return "bmm_%s_%dx%dx%dx%d" % (SHORT[dt], b, m, n, k), make


def fp8(m, n, k, rows=False, kind=f8):
    def make():
        a, b = r(m, k).to(kind), r(n, k).to(f8).t()
        sa = torch.ones(m, 1, device="cuda") if rows else torch.tensor(1.0, device="cuda")
        sb = torch.ones(1, n, device="cuda") if rows else torch.tensor(1.0, device="cuda")
        return lambda: torch._scaled_mm(a, b, scale_a=sa, scale_b=sb, out_dtype=bf)
    return "%s%s_%dx%dx%d" % (SHORT[kind], "_rows" if rows else "", m, n, k), make


def int8(m, n, k):
    def make():
        a = torch.randint(-8, 8, (m, k), device="cuda", dtype=torch.int8)
        b = torch.randint(-8, 8, (n, k), device="cuda", dtype=torch.int8).t()
        return lambda: torch._int_mm(a, b)
    return "int8_%dx%dx%d" % (m, n, k), make


def with_operands(name, f, *shapes, dt=bf):
    def make():
        args = [r(*s, dt=dt) for s in shapes]
        return lambda: f(*args)
    return name, make


def backward(m, n, k, dt):
    def make():
        x, w, b = [r(*s, dt=dt).requires_grad_() for s in ((m, k), (n, k), (n,))]
        y = F.linear(x, w, b)
        g = torch.randn_like(y)
        return lambda: torch.autograd.grad(y, (x, w, b), g, retain_graph=True)
    return "linear_backward_%s_%dx%dx%d" % (SHORT[dt], m, n, k), make


def grouped(sizes, n, k):
    def make():
        a, b = r(sum(sizes), k), r(len(sizes), n, k).transpose(1, 2)
        ends = torch.tensor(sizes, device="cuda").cumsum(0).to(torch.int32)
        return lambda: torch._grouped_mm(a, b, offs=ends)
    return "grouped_mm_%dx%dx%dx%d" % (len(sizes), sum(sizes), n, k), make


def sparse24(m, n, k):
    def make():
        w = torch.tensor([0, 0, 1, 1], device="cuda", dtype=hf).tile((m, k // 4)) * r(m, k, dt=hf)
        w, x = torch.sparse.to_sparse_semi_structured(w), r(k, n, dt=hf)
        return lambda: torch.mm(w, x)
    return "mm_sparse24_%dx%dx%d" % (m, n, k), make


def int4(m, n, k):
    def make():
        w = torch.randint(0, 255, (n, k // 2), device="cuda", dtype=torch.uint8)
        w = torch._convert_weight_to_int4pack(w, 8)
        scales, x = r(k // 128, n, 2), r(m, k)
        return lambda: torch._weight_int4pack_mm(x, w, 128, scales)
    return "int4_%dx%dx%d" % (m, n, k), make


def ops():
    out = [mm(*s, bf) for s in ((256, 256, 256), (384, 1152, 768), (1024, 512, 2048), (2048, 2048, 512), (100, 1000, 2048),
                                (1, 4096, 4096), (32, 2048, 2048), (4096, 64, 1024), (640, 640, 4096), (1531, 257, 771),
                                (128, 128, 16384), (4096, 32, 2048), (2000, 1000, 500), (512, 50257, 64))]
    out += [mm(*s, hf) for s in ((512, 1024, 512), (300, 300, 300), (192, 4096, 768), (17, 1025, 513), (2048, 16, 2048),
                                 (256, 256, 8192))]
    out += [mm(512, 768, 1024, bf, True), mm(1024, 256, 640, bf, False, True), mm(896, 1152, 256, hf, True, True)]
    out += [tf32(*s) for s in ((512, 512, 512), (1024, 256, 2048), (64, 1024, 1024), (333, 777, 555))] + [tf32(512, 256, 1024, True)]
    out += [mm(*s, f32) for s in ((128, 128, 128), (512, 512, 512), (1000, 100, 1000), (1, 1024, 1024), (64, 2048, 256))]
    out += [mm(*s, f64) for s in ((128, 128, 1024), (256, 512, 256), (100, 300, 700), (64, 1024, 64))]
    out += [fp8(256, 512, 1024), fp8(64, 4096, 1024), fp8(2048, 256, 512), fp8(512, 1024, 512, True), fp8(1024, 2048, 768, True),
            fp8(512, 512, 2048, False, e5), int8(32, 1024, 512), int8(512, 512, 512), int8(2048, 256, 1024)]
    out += [mm(128, 128, 128, c64), mm(256, 512, 128, c64), mm(128, 128, 128, c128)]
    out += [bmm(*s) for s in ((16, 128, 64, 128, bf), (4, 512, 512, 512, bf), (128, 32, 32, 32, f32), (96, 64, 64, 64, hf),
                              (8, 64, 64, 64, f64), (32, 1, 1024, 128, hf))]
    out += [backward(512, 1024, 256, bf), backward(256, 512, 512, f32)]
    out += [with_operands("addmm_gelu", lambda c, a, b: torch._addmm_activation(c, a, b, use_gelu=True), (1024,), (512, 768), (768, 1024)),
            with_operands("addmm_relu", lambda c, a, b: torch._addmm_activation(c, a, b), (512,), (1024, 512), (512, 512), dt=hf),
            with_operands("baddbmm", torch.baddbmm, (8, 256, 128), (8, 256, 64), (8, 64, 128)),
            with_operands("mv", torch.mv, (4096, 1024), (1024,), dt=f32), with_operands("mv_fp16", torch.mv, (2048, 2048), (2048,), dt=hf),
            with_operands("dot", torch.dot, (1 << 20,), (1 << 20,), dt=f32), with_operands("outer", torch.outer, (1024,), (1024,), dt=f32),
            with_operands("einsum_heads", lambda x, w: torch.einsum("btd,dhe->bhte", x, w), (4, 128, 512), (512, 8, 64))]
    out += [grouped((128, 256, 64, 64), 512, 256), grouped((16,) * 16, 256, 512), sparse24(512, 512, 1024), sparse24(256, 1024, 512),
            int4(16, 1024, 1024), int4(64, 2048, 512)]
    return out
