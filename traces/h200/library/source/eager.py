"""PyTorch's own kernels and CUB's through it: pointwise, reductions, scans, sorts, indexing, losses, optimisers, random numbers."""
import torch
import torch.nn.functional as F
from attention import back, simple
from gemm import bf, f32, f64, hf, r


def whole(n, high=1 << 30, dt=torch.int64):
    return torch.randint(0, high, (n,), device="cuda", dtype=dt)


def on(name, f, *makers):
    def make():
        xs = [m() for m in makers]
        return lambda: f(*xs)
    return name, make


def optimiser(name, kind, sizes, dt=f32, **options):
    def make():
        ps = [torch.nn.Parameter(r(n, dt=dt)) for n in sizes]
        for p in ps:
            p.grad = torch.randn_like(p)
        return getattr(torch.optim, kind)(ps, **options).step
    return name, make


def pointwise():
    m = (1024, 1024)
    out = [simple("exp", torch.exp, m), simple("tanh_fp16", torch.tanh, m, dt=hf), simple("erf", torch.erf, (512, 1024)), simple("sin_f64", torch.sin, (256, 1024), dt=f64),
           simple("pow3", lambda x: x ** 3, m), simple("pow_tensor", lambda x, y: x.abs() ** y, (512, 512), (512, 512)), simple("div_bf16", lambda x, y: x / y, m, m, dt=bf),
           simple("add_strided", lambda x, y: x[:, ::2] + y[::2].t(), (512, 1024), (1024, 512)), simple("add_row", lambda x, y: x + y, m, (1024,), dt=bf),
           simple("add_column", lambda x, y: x + y, (1000, 999), (1000, 1)), simple("fma_addcmul", torch.addcmul, m, m, m), simple("lerp", lambda x, y: torch.lerp(x, y, 0.3), m, m),
           simple("clamp", lambda x: x.clamp(-1, 1), m, dt=hf), simple("to_half", lambda x: x.half(), m), simple("to_float", lambda x: x.float(), m, dt=bf),
           simple("to_fp8", lambda x: x.to(torch.float8_e4m3fn), m, dt=bf), simple("glu", F.glu, m, dt=hf), simple("mish", F.mish, (512, 1024)), simple("hardswish", F.hardswish, m, dt=bf),
           back("gelu_back", F.gelu, m, dt=bf), simple("complex_mul", lambda x, y: torch.view_as_complex(x) * torch.view_as_complex(y), (1 << 18, 2), (1 << 18, 2)),
           simple("lgamma", torch.lgamma, (256, 1024)), simple("bessel_j0", torch.special.bessel_j0, (256, 512)), simple("isnan", torch.isnan, m),
           on("bitwise_and", torch.bitwise_and, lambda: whole(1 << 19, dt=torch.int32), lambda: whole(1 << 19, dt=torch.int32)),
           on("remainder_int", torch.remainder, lambda: whole(1 << 18), lambda: whole(1 << 18, 1000) + 1), simple("foreach_mul", lambda *x: torch._foreach_mul(x, 2.0), *[(4096 * i,) for i in range(1, 12)]),
           simple("stack", lambda x, y, z: torch.stack((x, y, z), 2), (256, 512), (256, 512), (256, 512)), simple("flip", lambda x: x.flip(1), (512, 1000)), simple("roll", lambda x: x.roll(100, 0), (512, 1000)),
           simple("permute_copy", lambda x: x.permute(2, 0, 1).contiguous(), (64, 128, 96), dt=hf), simple("transpose_small", lambda x: x.t().contiguous(), (512, 512)), simple("fill", lambda x: x.fill_(1), (1 << 20,)),
           simple("repeat_interleave", lambda x: x.repeat_interleave(3, 0), (300, 512)), simple("linspace", lambda: torch.linspace(0, 1, 1 << 19, device="cuda"))]
    return out


def reductions():
    m = (1024, 1024)
    return [simple("sum_rows", lambda x: x.sum(1), m), simple("sum_columns", lambda x: x.sum(0), m, dt=bf), simple("sum_middle", lambda x: x.sum(1), (64, 128, 96)), simple("sum_f64", torch.sum, (1 << 19,), dt=f64),
            simple("prod", lambda x: x.prod(1), (512, 1000)), simple("amax_all", torch.amax, (1 << 20,), dt=hf), simple("min_columns", lambda x: x.min(0), (512, 512)), simple("std", lambda x: x.std(0), (1000, 500)),
            simple("logsumexp", lambda x: torch.logsumexp(x, 1), (512, 2000)), simple("any", lambda x: (x > 3).any(1), m), simple("count_nonzero", torch.count_nonzero, (1 << 19,)), simple("norm_rows", lambda x: x.norm(dim=1), (512, 1024), dt=hf),
            simple("nansum", torch.nansum, (1 << 18,)), simple("median_rows", lambda x: x.median(1), (256, 512)), simple("kthvalue", lambda x: x.kthvalue(10, 1), (128, 1024)), simple("mode", lambda x: x.round().mode(1), (64, 512)),
            simple("cumsum_rows", lambda x: x.cumsum(1), (512, 1024)), simple("cumsum_columns", lambda x: x.cumsum(0), (1000, 256), dt=hf), simple("cummax", lambda x: x.cummax(1), (256, 512)), simple("logcumsumexp", lambda x: x.logcumsumexp(1), (256, 512)),
            simple("softmax_wide", lambda x: x.softmax(1), (64, 32000), dt=bf), simple("softmax_narrow", lambda x: x.softmax(1), (8192, 100)), simple("softmax_columns", lambda x: x.softmax(0), (256, 1024)), back("softmax_back", lambda x: x.softmax(1), (512, 1000)),
            back("log_softmax_back", lambda x: x.log_softmax(1), (256, 8192), dt=bf), simple("cdist", torch.cdist, (200, 64), (300, 64)), simple("pdist", F.pdist, (200, 64)), simple("cosine_similarity", F.cosine_similarity, (512, 512), (512, 512)),
            simple("trace", torch.trace, m), simple("aminmax", torch.aminmax, (1 << 19,)), simple("var_mean", lambda x: torch.var_mean(x, 1), (777, 1000))]


def sorts_and_indices():
    def index(n, high):
        return lambda: whole(n, high)

    def rows(*s, dt=f32):
        return lambda: r(*s, dt=dt)
    return [simple("sort_rows", lambda x: x.sort(1), (256, 1024)), simple("sort_small", lambda x: x.sort(1), (512, 128)), on("sort_int", torch.sort, lambda: whole(1 << 17, 1 << 20, torch.int32)), simple("sort_segmented", lambda x: x.sort(1), (16, 8192)),
            simple("argsort_half", torch.argsort, (1 << 15,), dt=hf), simple("topk_wide", lambda x: x.topk(50, 1), (32, 32000)), simple("topk_long", lambda x: x.topk(10), (1 << 19,)), on("unique", torch.unique, index(1 << 16, 1000)),
            on("searchsorted", torch.searchsorted, lambda: torch.arange(4096, device="cuda"), index(1 << 16, 4096)), on("bucketize", torch.bucketize, rows(1 << 17), lambda: torch.linspace(-2, 2, 64, device="cuda")), on("bincount_weights", lambda i, w: torch.bincount(i, w, 512), index(1 << 16, 512), rows(1 << 16)),
            simple("nonzero", lambda x: (x > 1).nonzero(), (512, 512)), simple("masked_select", lambda x: x.masked_select(x > 0), (1 << 17,)), simple("masked_scatter", lambda x, y: x.masked_scatter(x > 0, y), (1 << 17,), (1 << 17,)),
            on("gather_rows", lambda x, i: x[i], rows(4096, 256, dt=hf), index(2000, 4096)), on("gather_columns", lambda x, i: x[:, i], rows(512, 1024), index(300, 1024)), on("gather_2d", lambda x, i, j: x[i, j], rows(1024, 1024), index(1 << 16, 1024), index(1 << 16, 1024)), on("take", torch.take, rows(1 << 18), index(1 << 16, 1 << 18)),
            on("index_add", lambda x, i, y: x.index_add(0, i, y), rows(1000, 256), index(2000, 1000), rows(2000, 256)), on("index_put_add", lambda x, i, y: x.index_put((i,), y, accumulate=True), rows(1000, 64), index(4000, 1000), rows(4000, 64)), on("index_copy", lambda x, i, y: x.index_copy(0, i, y), rows(1000, 256), lambda: torch.randperm(1000, device="cuda"), rows(1000, 256)), on("index_fill", lambda x, i: x.index_fill(0, i, 1.0), rows(1000, 256), index(200, 1000)),
            on("scatter_reduce", lambda x, i, y: x.scatter_reduce(0, i, y, "amax"), rows(1 << 14), index(1 << 17, 1 << 14), rows(1 << 17)), on("scatter_add_half", lambda x, i, y: x.scatter_add(0, i, y), rows(1 << 14, dt=hf), index(1 << 16, 1 << 14), rows(1 << 16, dt=hf)), on("segment_reduce", lambda x, n: torch.segment_reduce(x, "sum", lengths=n), rows(4096, 32), lambda: torch.full((256,), 16, device="cuda")),
            on("embedding_bag", lambda w, i: F.embedding_bag(i, w, mode="mean"), rows(5000, 128), lambda: whole(512 * 20, 5000).view(512, 20)), on("embedding_bag_max", lambda w, i: F.embedding_bag(i, w, mode="max"), rows(5000, 64), lambda: whole(256 * 30, 5000).view(256, 30)), on("embedding_half", lambda w, i: F.embedding(i, w), rows(8000, 96, dt=hf), index(4000, 8000)),
            on("embedding_back", lambda g, i: torch.ops.aten.embedding_dense_backward(g, i, 2000, -1, False), rows(4000, 128), index(4000, 2000)), on("one_hot", lambda i: F.one_hot(i, 100), index(4000, 100)), on("randperm", lambda: torch.randperm(50000, device="cuda")), on("multinomial", lambda x: torch.multinomial(x, 4), lambda: r(64, 1000, dt=f32).abs()),
            on("combinations", lambda: torch.tril_indices(700, 700, device="cuda")), on("isin", torch.isin, index(1 << 14, 5000), index(500, 5000)), on("histogram_2", lambda x: torch.histc(x, 1000, -3, 3), rows(1 << 18))]


def losses_and_rest():
    many = [200000, 1000, 70000, 30, 4096, 128, 99999]

    def target(n, high):
        return lambda: whole(n, high)
    out = [on("cross_entropy_bf16", F.cross_entropy, lambda: r(256, 8000), target(256, 8000)), simple("mse", F.mse_loss, (1 << 19,), (1 << 19,)), simple("smooth_l1", F.smooth_l1_loss, (1 << 18,), (1 << 18,)), simple("bce_logits", lambda x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid()), (1 << 18,), (1 << 18,)),
           simple("kl_div", lambda x, y: F.kl_div(x, y.softmax(1)), (256, 1000), (256, 1000)), simple("triplet", F.triplet_margin_loss, (256, 128), (256, 128), (256, 128)), on("nll_2d", F.nll_loss, lambda: r(4, 21, 64, 64, dt=f32), lambda: whole(4 * 64 * 64, 21).view(4, 64, 64)), on("multi_margin", F.multi_margin_loss, lambda: r(256, 100, dt=f32), target(256, 100)),
           on("normal_half", lambda x: x.normal_(), lambda: r(1 << 18, dt=hf)), on("bernoulli", lambda x: torch.bernoulli(x), lambda: torch.full((1 << 18,), 0.3, device="cuda")), on("exponential", lambda x: x.exponential_(), lambda: r(1 << 17, dt=f32)), on("poisson", torch.poisson, lambda: r(1 << 15, dt=f32).abs()), on("gamma", lambda x: torch._standard_gamma(x), lambda: r(1 << 14, dt=f32).abs() + 0.5),
           on("randint", lambda: torch.randint(0, 99, (1 << 18,), device="cuda")), on("dropout_bf16", lambda x: F.dropout(x, 0.5), lambda: r(777, 1024)), on("multinomial_many", lambda x: torch.multinomial(x, 1000, True), lambda: r(2000, dt=f32).abs()),
           optimiser("adamw_foreach", "AdamW", many, foreach=True), optimiser("adamw_fused_bf16", "AdamW", many, bf, fused=True), optimiser("sgd_fused", "SGD", many, fused=True, momentum=0.9), optimiser("rmsprop", "RMSprop", many, foreach=True), optimiser("adagrad_fused", "Adagrad", many, foreach=True), optimiser("adam_single", "Adam", [50000], foreach=False), optimiser("lion_like_nadam", "NAdam", many, foreach=True),
           simple("clip_norm", lambda *x: torch._foreach_norm(x), *[(n,) for n in many]), on("amp_unscale", lambda x: torch._amp_foreach_non_finite_check_and_unscale_([x], torch.zeros(1, device="cuda"), torch.ones(1, device="cuda")), lambda: r(1 << 18, dt=f32)),
           on("quantize", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127), lambda: r(1 << 18, dt=f32)), on("fake_quantize_channels", lambda x: torch.fake_quantize_per_channel_affine(x, torch.ones(64, device="cuda"), torch.zeros(64, device="cuda", dtype=torch.int32), 0, -128, 127), lambda: r(64, 2048, dt=f32)),
           on("renorm", lambda x: x.renorm(2, 0, 1.0), lambda: r(512, 512, dt=f32)), on("tril_half", torch.tril, lambda: r(700, 700, dt=hf)), on("cross", torch.linalg.cross, lambda: r(1 << 16, 3, dt=f32), lambda: r(1 << 16, 3, dt=f32)), on("kron", torch.kron, lambda: r(32, 32, dt=f32), lambda: r(16, 16, dt=f32))]
    return out


def ops():
    return pointwise() + reductions() + sorts_and_indices() + losses_and_rest()
