"""JAX: XLA's kernels, the libraries it calls, and Pallas."""
import os

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
# Launches in CUDA graphs (command buffers) are not recorded.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_gpu_enable_command_buffer="

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

CUPY = True
KEY = jax.random.PRNGKey(0)


def m(*s, dt=jnp.float32):
    return lambda: jax.random.normal(KEY, s).astype(dt)


def whole(n, high):
    return lambda: jax.random.randint(KEY, (n,), 0, high)


def jit(name, f, *makers):
    def make():
        xs = [k() for k in makers]
        g = jax.jit(f)
        return lambda: g(*xs)
    return "jax_" + name, make


def conv(x, w):
    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def layer_norm(x, w):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * w


def mlp_loss(w, v, x):
    return (jax.nn.gelu(x @ w) @ v).astype(jnp.float32).var()


def attention(implementation, causal=False):
    return lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=causal, implementation=implementation)


def optax_adam(p, g):
    import optax
    o = optax.adam(1e-3)
    u, _ = o.update(g, o.init(p), p)
    return optax.apply_updates(p, u)


def pallas(name, kernel, *makers, out=None, grid=None, specs=None, out_spec=None):
    def make():
        from jax.experimental import pallas as pl
        from jax.experimental.pallas import triton as plt
        xs = [k() for k in makers]
        shape = jax.ShapeDtypeStruct(out or xs[0].shape, xs[0].dtype)
        block = [pl.BlockSpec(s, i) for s, i in specs]
        g = jax.jit(pl.pallas_call(kernel, out_shape=shape, grid=grid, in_specs=block, out_specs=pl.BlockSpec(*out_spec),
                                   compiler_params=plt.CompilerParams(num_warps=4)))
        return lambda: g(*xs)
    return "pallas_" + name, make


def softmax_kernel(x, y):
    v = x[...]
    e = jnp.exp(v - v.max(-1, keepdims=True))
    y[...] = e / e.sum(-1, keepdims=True)


def matmul_kernel(a, b, c):
    c[...] = jnp.dot(a[...], b[...], preferred_element_type=jnp.float32).astype(c.dtype)


def library(name, load, *makers):
    def make():
        f = jax.jit(load())
        xs = [k() for k in makers]
        return lambda: f(*xs)
    return "pallas_" + name, make


def triton_op(module, name, *args, **kw):
    def load():
        import importlib
        f = getattr(importlib.import_module("jax.experimental.pallas.ops.gpu." + module), name)
        return lambda *xs: f(*xs, *args, **kw)
    return load


def hopper(tile_m, tile_n, tile_k):
    def load():
        from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as h
        config = h.TuningConfig(tile_m=tile_m, tile_n=tile_n, tile_k=tile_k, max_concurrent_steps=4)
        return lambda a, b: h.matmul(a, b, config=config)
    return load


def mgpu_attention(**kw):
    def load():
        from jax.experimental.pallas.ops.gpu import attention_mgpu as h
        config = h.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2, **kw)
        return lambda q, k, v: h.attention(q, k, v, config)
    return load


def ops():
    bf, hf = jnp.bfloat16, jnp.float16
    out = [jit("softmax", lambda x: jax.nn.softmax(x), m(512, 1000)), jit("log_softmax", lambda x: jax.nn.log_softmax(x), m(128, 16384, dt=bf)), jit("layer_norm", layer_norm, m(1024, 768), m(768)), jit("gelu", jax.nn.gelu, m(1024, 1024, dt=bf)), jit("matmul_bf16", lambda a, b: a @ b, m(512, 512, dt=bf), m(512, 512, dt=bf)), jit("matmul_fp32", lambda a, b: a @ b, m(256, 512), m(512, 384)),
           jit("matmul_gelu", lambda a, b: jax.nn.gelu(a @ b), m(512, 768, dt=bf), m(768, 512, dt=bf)), jit("matmul_int8", lambda a, b: jax.lax.dot(a, b, preferred_element_type=jnp.int32), lambda: jnp.ones((512, 512), jnp.int8), lambda: jnp.ones((512, 512), jnp.int8)), jit("einsum", lambda a, b: jnp.einsum("bij,bjk->bik", a, b), m(16, 128, 64, dt=hf), m(16, 64, 128, dt=hf)), jit("mlp_grad", jax.grad(mlp_loss, (0, 1)), m(256, 512, dt=bf), m(512, 128, dt=bf), m(256, 256, dt=bf)),
           jit("conv", conv, m(8, 28, 28, 64, dt=hf), m(3, 3, 64, 64, dt=hf)), jit("conv_fp32", conv, m(2, 32, 32, 32), m(5, 5, 32, 16)), jit("max_pool", lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), m(8, 32, 32, 64)), jit("sum", jnp.sum, m(1 << 20)), jit("sum_rows", lambda x: x.sum(1), m(1000, 1000)), jit("sum_columns", lambda x: x.sum(0), m(2000, 500)), jit("argmax", lambda x: x.argmax(-1), m(256, 4000)), jit("logsumexp", lambda x: jax.nn.logsumexp(x, -1), m(512, 2048)),
           jit("var", lambda x: x.var(0), m(1024, 512)), jit("cumsum", lambda x: jnp.cumsum(x, 1), m(256, 1024)), jit("cumsum_long", jnp.cumsum, m(1 << 17)), jit("associative_scan", lambda x: jax.lax.associative_scan(jnp.multiply, x), m(4096, 32)), jit("sort", jnp.sort, m(1 << 16)), jit("sort_rows", lambda x: jnp.sort(x, 1), m(256, 500)), jit("argsort", jnp.argsort, m(20000)), jit("top_k", lambda x: jax.lax.top_k(x, 8), m(64, 4096)), jit("gather", lambda x, i: x[i], m(4096, 200), whole(1500, 4096)), jit("scatter_add", lambda x, i, y: x.at[i].add(y), m(2000, 64), whole(3000, 2000), m(3000, 64)),
           jit("segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 500), m(1 << 16), whole(1 << 16, 500)), jit("one_hot_mm", lambda i, w: jax.nn.one_hot(i, 512) @ w, whole(1000, 512), m(512, 128)), jit("transpose", lambda x: x.transpose(2, 0, 1) + 1, m(64, 128, 96)), jit("concatenate", lambda x, y: jnp.concatenate((x, y * 2), 1), m(512, 300), m(512, 200)), jit("where", lambda x: jnp.where(x > 0, jnp.sin(x), jnp.exp(x)), m(1024, 512)), jit("complex", lambda x: jnp.abs(jax.lax.complex(x, x) ** 2), m(1 << 17)), jit("erf_inv", jax.lax.erf_inv, lambda: jax.random.uniform(KEY, (1 << 18,))),
           jit("random_normal", lambda: jax.random.normal(KEY, (1 << 18,))), jit("random_bits", lambda: jax.random.bits(KEY, (1 << 19,))), jit("permutation", lambda: jax.random.permutation(KEY, 1 << 14)), jit("categorical", lambda x: jax.random.categorical(KEY, x), m(256, 500)), jit("gamma", lambda: jax.random.gamma(KEY, 2.0, (2048,))), jit("fft", jnp.fft.fft, m(128, 512)), jit("rfft2", jnp.fft.rfft2, m(4, 200, 200)), jit("cholesky", jnp.linalg.cholesky, lambda: jnp.eye(128) * 4 + 0.01), jit("qr", jnp.linalg.qr, m(96, 32)), jit("eigh", jnp.linalg.eigh, lambda: jnp.diag(jnp.arange(48.0)) + 0.1), jit("triangular", lambda a, b: jax.scipy.linalg.solve_triangular(a, b), lambda: jnp.eye(128) * 2 + 0.01, m(128, 32)),
           jit("adam", optax_adam, m(1 << 18), m(1 << 18)), jit("resize", lambda x: jax.image.resize(x, (4, 64, 64, 16), "bilinear"), m(4, 32, 32, 16)), jit("searchsorted", jnp.searchsorted, lambda: jnp.arange(2048.0), m(20000)), jit("histogram", lambda x: jnp.histogram(x, 50)[0], m(20000)), jit("vmap_mv", jax.vmap(jnp.dot), m(64, 128, 64), m(64, 64)), jit("cdist", lambda x, y: ((x[:, None] - y[None]) ** 2).sum(-1), m(200, 64), m(300, 64)), jit("convolve", lambda x, y: jnp.convolve(x, y), m(10000), m(64)), jit("f64_like_lgamma", jax.lax.lgamma, lambda: jnp.linspace(0.1, 9, 1 << 16)),
           jit("attention_xla", attention("xla"), *[m(2, 256, 4, 64, dt=bf)] * 3), jit("attention_cudnn", attention("cudnn"), *[m(2, 256, 4, 64, dt=bf)] * 3), jit("attention_cudnn_causal", attention("cudnn", True), *[m(1, 512, 4, 128, dt=hf)] * 3)]
    out += [pallas("softmax", softmax_kernel, m(512, 1024), grid=(512,), specs=[((1, 1024), lambda i: (i, 0))], out_spec=((1, 1024), lambda i: (i, 0))),
            pallas("matmul", matmul_kernel, m(512, 256, dt=bf), m(256, 512, dt=bf), out=(512, 512), grid=(8, 8), specs=[((64, 256), lambda i, j: (i, 0)), ((256, 64), lambda i, j: (0, j))], out_spec=((64, 64), lambda i, j: (i, j))),
            library("op_softmax", triton_op("softmax", "softmax"), m(128, 2000)), library("op_layer_norm", triton_op("layer_norm", "layer_norm"), m(4, 256, 512), m(512), m(512)), library("op_rms_norm", triton_op("rms_norm", "rms_norm"), m(4, 256, 512), m(512), m(512)),
            library("op_attention", triton_op("attention", "mha", None), *[m(1, 512, 4, 64, dt=hf)] * 3), library("op_decode", triton_op("decode_attention", "mqa"), m(4, 16, 64, dt=hf), m(4, 1024, 64, dt=hf), m(4, 1024, 64, dt=hf)),
            library("hopper_matmul", hopper(128, 128, 64), m(1024, 512, dt=bf), m(512, 1024, dt=bf)), library("hopper_matmul_64", hopper(64, 128, 64), m(512, 1024, dt=hf), m(1024, 512, dt=hf)), library("hopper_attention", mgpu_attention(), *[m(1, 512, 4, 64, dt=hf)] * 3)]
    return out
