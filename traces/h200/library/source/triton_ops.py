"""Launches of triton_kernels.py."""
import torch
import triton
import triton_kernels as t
from gemm import bf, f32, hf, r, SHORT


def matmul(m, n, k, tile, dt=bf, warps=4, stages=3):
    def make():
        a, b, c = r(m, k).to(dt), r(k, n).to(dt), torch.empty(m, n, device="cuda", dtype=bf)
        grid = (triton.cdiv(m, tile[0]) * triton.cdiv(n, tile[1]),)
        return lambda: t.matmul[grid](a, b, c, m, n, k, *tile, 8, num_warps=warps, num_stages=stages)
    return "triton_mm_%s_%dx%dx%d" % (SHORT[dt], m, n, k), make


def allocator():
    triton.set_allocator(lambda size, align, stream: torch.empty(size, device="cuda", dtype=torch.int8))


def descriptors(m, n, k, tile, dt=bf, warps=4, stages=3):
    def make():
        allocator()
        a, b, c = r(m, k).to(dt), r(n, k).to(dt), torch.empty(m, n, device="cuda", dtype=bf)
        return lambda: t.matmul_descriptors[(m // tile[0], n // tile[1])](a, b, c, m, n, k, *tile, num_warps=warps, num_stages=stages)
    return "triton_mm_descriptors_%s_%dx%dx%d" % (SHORT[dt], m, n, k), make


def persistent(m, n, k, tile, specialised=False):
    def make():
        from triton.tools.tensor_descriptor import TensorDescriptor
        a, b, c = r(m, k), r(n, k), torch.empty(m, n, device="cuda", dtype=bf)
        d = [TensorDescriptor.from_tensor(x, list(s)) for x, s in ((a, (tile[0], tile[2])), (b, (tile[1], tile[2])), (c, (tile[0], tile[1])))]
        return lambda: t.matmul_persistent[(132,)](*d, m, n, k, 132, *tile, specialised, num_warps=4 if specialised else 8, num_stages=3)
    return "triton_mm_persistent%s_%dx%dx%d" % ("_ws" if specialised else "", m, n, k), make


def split(m, n, k, parts):
    def make():
        a, b, c = r(m, k, dt=hf), r(k, n, dt=hf), torch.zeros(m, n, device="cuda")
        return lambda: t.matmul_split[(m // 64, n // 64, parts)](a, b, c, m, n, k, 64, 64, 32, parts)
    return "triton_mm_split_%dx%dx%d" % (m, n, k), make


def attention(h, s, d, causal, dt=bf, warps=4):
    def make():
        q, k, v, y = [r(h, s, d, dt=dt) for _ in range(4)]
        return lambda: t.attention[(s // 64, h)](q, k, v, y, 0.18, s, causal, 64, 64, d, num_warps=warps, num_stages=3)
    return "triton_attention_%dx%dx%d%s" % (h, s, d, "_causal" if causal else ""), make


def attention_descriptors(h, s, d):
    def make():
        from triton.tools.tensor_descriptor import TensorDescriptor
        q, k, v, y = [r(h * s, d) for _ in range(4)]
        ds = [TensorDescriptor.from_tensor(x, [128 if i in (0, 3) else 64, d]) for i, x in enumerate((q, k, v, y))]
        return lambda: t.attention_descriptors[(s // 128, h)](*ds, 0.18, s, 128, 64, d, num_warps=8, num_stages=3)
    return "triton_attention_descriptors_%dx%dx%d" % (h, s, d), make


def plain(name, launch, *makers):
    def make():
        xs = [m() for m in makers]
        return lambda: launch(*xs)
    return "triton_" + name, make


def m(*s, dt=f32):
    return lambda: r(*s, dt=dt)


def ops():
    f8 = torch.float8_e4m3fn
    return [matmul(512, 512, 512, (128, 128, 64)), matmul(300, 500, 700, (64, 64, 32), hf), matmul(1024, 256, 1024, (128, 64, 64), f8, 8), matmul(256, 1024, 256, (64, 128, 32), f32), matmul(64, 2048, 1024, (16, 128, 64)),
            descriptors(512, 1024, 512, (128, 128, 64), warps=8), descriptors(1024, 256, 256, (64, 64, 64)), descriptors(512, 512, 1024, (128, 128, 128), f8, 8), persistent(2048, 1024, 256, (128, 128, 64)), persistent(1024, 1536, 256, (128, 128, 64), True), split(128, 256, 4096, 8),
            attention(8, 512, 64, False), attention(4, 1024, 128, True, warps=8), attention(16, 256, 32, True, hf), attention_descriptors(8, 512, 128), attention_descriptors(4, 1024, 64),
            plain("decode", lambda q, k, v, y: t.decode[(64,)](q, k, v, y, 512, 64, 64), m(64, 64), m(64, 512, 64, dt=hf), m(64, 512, 64, dt=hf), m(64, 64)),
            plain("softmax_781", lambda x, y: t.softmax[(1024,)](x, y, 781, 1024), m(1024, 781), m(1024, 781)), plain("softmax_8192", lambda x, y: t.softmax[(128,)](x, y, 8192, 8192, num_warps=16), m(128, 8192, dt=bf), m(128, 8192, dt=bf)),
            plain("layer_norm", lambda x, y, w, b: t.layer_norm[(777,)](x, y, w, b, 1151, 512), m(777, 1151), m(777, 1151), m(1151), m(1151)), plain("layer_norm_weights", lambda x, g, w: t.layer_norm_weights[(16,)](x, g, w, 1024, 1000, 32, 64), m(1024, 1000), m(1024, 1000), m(1000)),
            plain("vector_add", lambda x, y, z: t.vector_add[(977,)](x, y, z, 1000000, 1024), m(1000000), m(1000000), m(1000000)), plain("dropout", lambda x, y: t.dropout[(512,)](x, y, 1 << 19, 0.3, 7, 1024), m(1 << 19), m(1 << 19)), plain("transpose", lambda x, y: t.transpose[(8, 16)](x, y, 500, 1000, 64), m(500, 1000), m(1000, 500)),
            plain("scan_rows", lambda x, y: t.scan_rows[(256,)](x, y, 2000, 2048, num_warps=8), m(256, 2000), m(256, 2000)), plain("sort_rows", lambda x, y: t.sort_rows[(128,)](x, y, 512), m(128, 512), m(128, 512)), plain("histogram", lambda x, y: t.histogram[(128,)](x, y, 1 << 17, 1024, 256), lambda: torch.randint(0, 256, (1 << 17,), device="cuda", dtype=torch.int32), lambda: torch.zeros(256, device="cuda", dtype=torch.int32)),
            plain("gather_rows", lambda x, i, y: t.gather_rows[(1500,)](x, i, y, 300, 512), m(4000, 300), lambda: torch.randint(0, 4000, (1500,), device="cuda"), m(1500, 300)), plain("sum_all", lambda x, y: t.sum_all[(256,)](x, y, 1 << 19, 2048), m(1 << 19), m(1)), plain("stencil", lambda x, y: t.stencil[(400, 3)](x, y, 400, 700, 256), m(400, 700), m(400, 700))]
