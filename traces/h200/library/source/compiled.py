"""torch.compile (Inductor's Triton kernels) and flex attention."""
import math

import torch
import torch.nn.functional as F
from gemm import bf, f32, hf, r


def whole(n, high):
    return torch.randint(0, high, (n,), device="cuda")


def compiled(name, f, *shapes, dt=f32, extra=(), back=False, **options):
    def make():
        torch._dynamo.reset()
        g = torch.compile(f, dynamic=False, **options)
        xs = [r(*s, dt=dt).requires_grad_(back) for s in shapes] + [e() for e in extra]
        if not back:
            return lambda: g(*xs)
        ws = [x for x in xs if x.requires_grad]
        y = g(*xs)
        d = torch.randn_like(y)
        return lambda: torch.autograd.grad(y, ws, d, retain_graph=True)
    return "inductor_" + name, make


def rope(x, c, s):
    a, b = x.chunk(2, -1)
    return torch.cat((a * c - b * s, b * c + a * s), -1)


def swiglu(x, w):
    a, b = (x * w).chunk(2, -1)
    return F.silu(a) * b


def gelu_dropout(x, b):
    return F.dropout(F.gelu(x + b), 0.1)


def rms(x, res, w):
    h = x + res
    return h * torch.rsqrt(h.float().pow(2).mean(-1, keepdim=True) + 1e-6).to(h.dtype) * w, h


def quantise(x):
    s = x.abs().amax(-1, keepdim=True).float() / 448
    return (x.float() / s).to(torch.float8_e4m3fn), s


def adam(p, g, m, v):
    m2, v2 = m * 0.9 + g * 0.1, v * 0.999 + g * g * 0.001
    return p - 0.001 * m2 / (v2.sqrt() + 1e-8), m2, v2


def entropy(x, t):
    return F.cross_entropy(x.float(), t)


def flex(name, b, h, s, e, mod=None, mask=None, dt=bf, back=False, kv=None, queries=None):
    def make():
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        torch._dynamo.reset()
        q = r(b, h, queries or s, e, dt=dt).requires_grad_(back)
        k, v = [r(b, kv or h, s, e, dt=dt).requires_grad_(back) for _ in range(2)]
        blocks = create_block_mask(mask, None, None, queries or s, s, device="cuda") if mask else None
        g = torch.compile(flex_attention, dynamic=False)

        def f():
            return g(q, k, v, score_mod=mod, block_mask=blocks, enable_gqa=kv is not None)
        if not back:
            return f
        y = f()
        d = torch.randn_like(y)
        return lambda: torch.autograd.grad(y, (q, k, v), d, retain_graph=True)
    return "flex_" + name, make


def alibi(score, b, h, q, k):
    return score + (k - q) * 0.1


def softcap(score, b, h, q, k):
    return 30 * torch.tanh(score / 30)


def causal(b, h, q, k):
    return q >= k


def window(b, h, q, k):
    return (q >= k) & (q - k < 128)


def prefix(b, h, q, k):
    return (k < 100) | (q >= k)


def ops():
    tune = {"mode": "max-autotune-no-cudagraphs"}
    return [compiled("softmax", lambda x: (x * 0.5).softmax(-1), (512, 1024)), compiled("softmax_online", lambda x: x.float().softmax(-1), (64, 32768), dt=bf), compiled("layer_norm", lambda x, w, b: F.layer_norm(x, (768,), w, b), (1024, 768), (768,), (768,), dt=hf),
            compiled("layer_norm_back", lambda x, w, b: F.layer_norm(x, (512,), w, b), (1024, 512), (512,), (512,), back=True), compiled("rms_residual", rms, (512, 2048), (512, 2048), (2048,), dt=bf), compiled("gelu_dropout", gelu_dropout, (512, 2048), (2048,), dt=bf), compiled("swiglu", swiglu, (512, 4096), (4096,), dt=bf),
            compiled("swiglu_back", swiglu, (512, 2048), (2048,), dt=bf, back=True), compiled("rope", rope, (4, 8, 256, 64), (256, 32), (256, 32), dt=bf), compiled("quantise_rows", quantise, (512, 2048), dt=bf), compiled("adam", adam, *[(1 << 19,)] * 4), compiled("cross_entropy", entropy, (256, 8192), dt=bf, extra=(lambda: whole(256, 8192),)),
            compiled("cross_entropy_back", lambda x: entropy(x, torch.arange(128, device="cuda")), (128, 16384), dt=bf, back=True), compiled("sum_all", lambda x: (x * x).sum(), (1 << 20,)), compiled("mean_columns", lambda x: x.mean(0), (4096, 256)), compiled("var_rows", lambda x: torch.var_mean(x, -1), (1000, 1000)), compiled("argmax", lambda x: x.argmax(-1), (256, 5000)),
            compiled("cumsum", lambda x: x.cumsum(-1), (512, 1024)), compiled("cumsum_long", lambda x: x.cumsum(0), (1 << 18,)), compiled("transpose_add", lambda x, y: x.t() + y, (1024, 512), (512, 1024)), compiled("permute_cast", lambda x: x.permute(0, 2, 3, 1).to(torch.float16).contiguous(), (4, 64, 32, 32)), compiled("gather_scale", lambda x, i: x[i] * 2, (4096, 256), extra=(lambda: whole(2000, 4096),)),
            compiled("scatter_add", lambda x, y, i: x.index_add(0, i, y), (1000, 128), (4000, 128), extra=(lambda: whole(4000, 1000),)), compiled("embedding_norm", lambda w, g, i: F.rms_norm(F.embedding(i, w), (256,), g), (8000, 256), (256,), dt=bf, extra=(lambda: whole(2000, 8000),)), compiled("max_pool", lambda x: F.max_pool2d(x, 2) + 1, (8, 32, 32, 32)), compiled("bilinear", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (4, 16, 32, 32)),
            compiled("batch_norm_relu", lambda x, w, b: F.relu(F.batch_norm(x, None, None, w, b, training=True)), (16, 64, 16, 16), (64,), (64,)), compiled("group_norm_silu", lambda x: F.silu(F.group_norm(x, 8)), (4, 64, 32, 32), dt=hf), compiled("random", lambda x: torch.rand_like(x) * x, (1 << 18,)), compiled("sort_small", lambda x: x.sort(-1)[0], (512, 128)), compiled("where_mask", lambda x: torch.where(x > 0, x.exp(), x.sin()), (512, 1024)), compiled("cat_pad", lambda x, y: F.pad(torch.cat((x, y), 1), (1, 2)), (512, 300), (512, 200)),
            compiled("attention_scores", lambda q, k: ((q @ k.mT) / math.sqrt(64)).softmax(-1), (8, 256, 64), (8, 256, 64), dt=bf), compiled("mlp", lambda x, w, v: F.gelu(x @ w) @ v, (256, 512), (512, 1024), (1024, 512), dt=bf), compiled("complex_norm", lambda x: (x[..., 0] ** 2 + x[..., 1] ** 2).sqrt().sum(-1), (512, 1000, 2)), compiled("loss_huber", lambda x, y: F.huber_loss(x, y), (1 << 19,), (1 << 19,)),
            compiled("mm_tuned", lambda a, b: F.relu(a @ b), (512, 768), (768, 1024), dt=bf, **tune), compiled("bmm_tuned", lambda a, b: torch.bmm(a, b) * 2, (8, 256, 64), (8, 64, 256), dt=hf, **tune), compiled("mm_tuned_fp32", lambda a, b: a @ b + 1, (256, 512), (512, 256), **tune),
            flex("plain", 1, 8, 512, 64), flex("causal", 1, 8, 768, 64, mask=causal), flex("window", 1, 4, 1024, 128, mask=window), flex("alibi", 1, 8, 512, 64, alibi, dt=hf), flex("softcap", 1, 4, 512, 128, softcap), flex("prefix", 2, 4, 512, 64, mask=prefix), flex("gqa", 1, 16, 512, 64, mask=causal, kv=4), flex("decode", 4, 16, 1024, 64, kv=4, queries=1),
            flex("causal_back", 1, 4, 512, 64, mask=causal, back=True), flex("alibi_back", 1, 2, 512, 64, alibi, back=True)]
