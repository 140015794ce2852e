"""Attention, convolutions, recurrent layers, normalisation and pooling: cuDNN, FlashAttention, CUTLASS, PyTorch."""
import torch
import torch.nn.functional as F
from gemm import bf, f32, hf, r, SHORT

CL = torch.channels_last


def sdpa(b, h, s, e, backend, dt=bf, causal=False, keys=None, kv=None, back=False):
    def make():
        kind = getattr(torch.nn.attention.SDPBackend, backend)
        q = r(b, h, s, e, dt=dt).requires_grad_(back)
        k, v = [r(b, kv or h, keys or s, e, dt=dt).requires_grad_(back) for _ in range(2)]

        def f():
            with torch.nn.attention.sdpa_kernel(kind):
                return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=kv is not None)
        if not back:
            return f
        y = f()
        g = torch.randn_like(y)
        return lambda: torch.autograd.grad(y, (q, k, v), g, retain_graph=True)
    name = "sdpa_%s%s_%dx%dx%dx%d_%s%s%s" % (backend.split("_")[0].lower(), "_back" if back else "", b, h, s, e, SHORT[dt],
                                             "_causal" if causal else "", "_keys%d" % keys if keys else "")
    return name, make


def varlen():
    ends = torch.tensor([0, 100, 400, 768], device="cuda", dtype=torch.int32)
    q, k, v = [r(768, 8, 64) for _ in range(3)]
    return lambda: torch.ops.aten._flash_attention_forward(q, k, v, ends, ends, 368, 368, 0.0, True, False)


def conv(n, c, h, o, ks, st=1, dt=hf, cl=True, groups=1, dil=1, dims=2, back=False, transposed=False):
    def make():
        f = getattr(F, "conv_transpose%dd" % dims if transposed else "conv%dd" % dims)
        x = r(n, c, *[h] * dims, dt=dt)
        w = r(c, o // groups, *[ks] * dims, dt=dt) if transposed else r(o, c // groups, *[ks] * dims, dt=dt)
        if cl:
            form = {2: CL, 3: torch.channels_last_3d}[dims]
            x, w = x.to(memory_format=form), w.to(memory_format=form)
        x.requires_grad_(back)
        w.requires_grad_(back)

        def run():
            return f(x, w, stride=st, padding=dil * (ks // 2), groups=groups, dilation=dil)
        if not back:
            return run
        y = run()
        g = torch.randn_like(y)
        return lambda: torch.autograd.grad(y, (x, w), g, retain_graph=True)
    name = "conv%dd%s%s_%dx%dx%d_%dk%ds%d_%s%s%s%s" % (dims, "t" if transposed else "", "_back" if back else "", n, c, h, o, ks, st, SHORT[dt],
                                                       "_cl" if cl else "", "_g%d" % groups if groups > 1 else "", "_d%d" % dil if dil > 1 else "")
    return name, make


def rnn(kind, hidden, dt):
    def make():
        m = getattr(torch.nn, kind)(hidden, hidden, device="cuda", dtype=dt)
        x = r(4, 32, hidden, dt=dt)

        def f():
            with torch.no_grad():
                return m(x)
        return f
    return "%s_%d_%s" % (kind.lower(), hidden, SHORT[dt]), make


def back(name, f, *shapes, dt=f32, cl=False):
    def make():
        xs = [r(*s, dt=dt) for s in shapes]
        if cl:
            xs[0] = xs[0].to(memory_format=CL)
        xs = [x.requires_grad_() for x in xs]
        y = f(*xs)
        g = torch.randn_like(y)
        return lambda: torch.autograd.grad(y, xs, g, retain_graph=True)
    return name, make


def simple(name, f, *shapes, dt=f32, cl=False):
    def make():
        xs = [r(*s, dt=dt) for s in shapes]
        if cl:
            xs[0] = xs[0].to(memory_format=CL)
        return lambda: f(*xs)
    return name, make


def ctc():
    logits = r(50, 16, 32, dt=f32).log_softmax(2)
    targets = torch.randint(1, 32, (16 * 10,), device="cuda", dtype=torch.int32)
    lengths, sizes = [torch.full((16,), n, device="cuda", dtype=torch.int32) for n in (50, 10)]
    return lambda: F.ctc_loss(logits, targets, lengths, sizes)


def ops():
    out = [sdpa(2, 8, 512, 32, "FLASH_ATTENTION"), sdpa(1, 8, 768, 96, "FLASH_ATTENTION", hf, True), sdpa(1, 4, 512, 256, "FLASH_ATTENTION"),
           sdpa(2, 16, 1, 128, "FLASH_ATTENTION", keys=2048), sdpa(1, 16, 512, 64, "FLASH_ATTENTION", kv=4),
           sdpa(1, 4, 512, 64, "FLASH_ATTENTION", back=True), sdpa(1, 2, 512, 128, "FLASH_ATTENTION", causal=True, back=True),
           ("flash_varlen", varlen),
           sdpa(1, 8, 512, 64, "EFFICIENT_ATTENTION", f32), sdpa(1, 4, 384, 128, "EFFICIENT_ATTENTION", hf, True),
           sdpa(1, 4, 256, 64, "EFFICIENT_ATTENTION", back=True),
           sdpa(1, 8, 512, 128, "CUDNN_ATTENTION"), sdpa(2, 4, 768, 64, "CUDNN_ATTENTION", hf, True), sdpa(4, 16, 1, 64, "CUDNN_ATTENTION", keys=1024),
           sdpa(1, 8, 300, 64, "CUDNN_ATTENTION"), sdpa(1, 16, 512, 64, "CUDNN_ATTENTION", kv=4), sdpa(1, 4, 512, 64, "CUDNN_ATTENTION", back=True),
           sdpa(1, 2, 512, 128, "CUDNN_ATTENTION", causal=True, back=True), sdpa(1, 4, 256, 64, "MATH")]
    out += [conv(8, 64, 28, 64, 3), conv(8, 64, 28, 128, 3, 2, bf), conv(4, 256, 14, 512, 1), conv(16, 3, 64, 64, 7, 2),
            conv(4, 32, 56, 32, 5, 1, bf), conv(2, 96, 28, 96, 7, 1, f32, False, 96), conv(8, 128, 28, 128, 3, 1, hf, True, 32),
            conv(4, 64, 32, 64, 3, 1, f32, False), conv(4, 64, 32, 64, 3, 1, hf, False, 1, 2), conv(2, 16, 16, 32, 3, 1, bf, True, dims=3),
            conv(8, 64, 512, 128, 3, 1, hf, False, dims=1), conv(4, 64, 16, 32, 4, 2, hf, True, transposed=True),
            conv(4, 64, 28, 64, 3, back=True), conv(4, 128, 14, 128, 1, 1, bf, back=True), conv(2, 32, 28, 32, 3, 1, f32, False, back=True),
            conv(2, 64, 28, 64, 3, 1, f32, False, 64, back=True), conv(8, 24, 50, 40, 3, 1, hf, False)]
    out += [rnn("LSTM", 256, f32), rnn("GRU", 128, hf), rnn("RNN", 256, f32), ("ctc_loss", ctc)]
    out += [simple("batch_norm_train_cl", lambda x: F.batch_norm(x, None, None, training=True), (8, 64, 32, 32), dt=hf, cl=True),
            simple("batch_norm_eval", lambda x: F.batch_norm(x, torch.zeros(64, device="cuda"), torch.ones(64, device="cuda")), (4, 64, 32, 32)),
            back("batch_norm_back", lambda x: F.batch_norm(x, None, None, training=True), (8, 64, 28, 28)),
            simple("instance_norm", F.instance_norm, (8, 32, 32, 32)), back("group_norm_back", lambda x: F.group_norm(x, 8), (8, 64, 28, 28)),
            simple("local_response_norm", lambda x: F.local_response_norm(x, 5), (4, 32, 28, 28)),
            back("layer_norm_back", lambda x, w, b: F.layer_norm(x, (768,), w, b), (512, 768), (768,), (768,)),
            simple("layer_norm_fp16", lambda x: F.layer_norm(x, (1024,)), (777, 1024), dt=hf), back("rms_norm_back", lambda x, w: F.rms_norm(x, (1024,), w), (512, 1024), (1024,), dt=bf),
            simple("max_pool_cl", lambda x: F.max_pool2d(x, 3, 2), (8, 64, 32, 32), dt=hf, cl=True), back("max_pool_back", lambda x: F.max_pool2d(x, 2), (4, 64, 32, 32)),
            back("avg_pool_back", lambda x: F.avg_pool2d(x, 2), (4, 64, 32, 32)), simple("adaptive_avg_pool", lambda x: F.adaptive_avg_pool2d(x, 7), (8, 64, 30, 30)),
            simple("interpolate_nearest", lambda x: F.interpolate(x, scale_factor=2), (4, 32, 32, 32)), simple("interpolate_bicubic", lambda x: F.interpolate(x, size=(50, 50), mode="bicubic"), (2, 16, 32, 32)),
            simple("grid_sample", lambda x, g: F.grid_sample(x, g.tanh(), align_corners=False), (2, 16, 64, 64), (2, 64, 64, 2)),
            simple("unfold", lambda x: F.unfold(x, 3, padding=1), (2, 32, 32, 32)), simple("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), (4, 64, 32, 32), dt=hf),
            simple("reflection_pad", lambda x: F.pad(x, (2, 2, 2, 2), mode="reflect"), (4, 32, 32, 32))]
    return out
