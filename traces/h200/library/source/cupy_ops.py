"""CuPy: its own kernels, CUB, Thrust, cuFFT, cuRAND, cuSPARSE, cuSOLVER."""
import functools

import cupy as cp

CUPY = True


def m(*s, dt="float32"):
    return lambda: cp.random.standard_normal(s).astype(dt)


def whole(n, high):
    return lambda: cp.random.randint(0, high, n)


def on(name, f, *makers):
    def make():
        xs = [k() for k in makers]
        return lambda: f(*xs)
    return "cupy_" + name, make


def sparse(kind, rows, columns, density):
    def make():
        from cupyx.scipy import sparse as s
        return s.random(rows, columns, density, dtype="float32").asformat(kind)
    return make


def image(f, *args, **kw):
    def g(x):
        from cupyx.scipy import ndimage
        return getattr(ndimage, f)(x, *args, **kw)
    return g


def signal(f, *args):
    def g(*xs):
        from cupyx.scipy import signal as s
        return getattr(s, f)(*xs, *args)
    return g


def special(f):
    def g(*xs):
        from cupyx.scipy import special as s
        return getattr(s, f)(*xs)
    return g


def waves(x, y):
    return cp.sqrt(x * x + y * y) + cp.sin(x)


def ops():
    out = [on("add", cp.add, m(1000, 1000), m(1000, 1000)), on("add_strided", lambda x, y: x[::2] + y[:, ::2].T, m(1000, 500), m(500, 1000)), on("fused", cp.fuse(waves), m(1 << 19), m(1 << 19)), on("hypot_f64", cp.hypot, m(1 << 17, dt="float64"), m(1 << 17, dt="float64")), on("sum", cp.sum, m(1 << 20)), on("sum_axis0", lambda x: x.sum(0), m(1000, 700)), on("max_axis1", lambda x: x.max(1), m(700, 1000)), on("argmin", cp.argmin, m(1 << 18)), on("mean_var", lambda x: x.var(1), m(512, 1000)),
           on("cumsum", cp.cumsum, m(1 << 18)), on("cumprod_axis", lambda x: cp.cumprod(x, 1), m(200, 500)), on("sort", cp.sort, m(1 << 17)), on("sort_axis", lambda x: cp.sort(x, 0), m(500, 200)), on("argsort", cp.argsort, m(1 << 16)), on("lexsort", lambda x: cp.lexsort(x), m(2, 20000)), on("partition", lambda x: cp.partition(x, 100), m(1 << 16)), on("unique", cp.unique, whole(1 << 16, 2000)), on("nonzero", lambda x: cp.nonzero(x > 1), m(1 << 18)), on("histogram", lambda x: cp.histogram(x, 100)[0], m(1 << 18)), on("bincount", cp.bincount, whole(1 << 17, 300)),
           on("take", lambda x, i: x.take(i, 0), m(5000, 64), whole(3000, 5000)), on("scatter_add", lambda x, i, y: cp.add.at(x, i, y), m(1 << 14), whole(1 << 16, 1 << 14), m(1 << 16)), on("searchsorted", lambda a, x: cp.searchsorted(a, x), lambda: cp.arange(10000.0), m(50000)), on("choose_where", lambda x: cp.where(x > 0, x, 0), m(1000, 500)), on("transpose_copy", lambda x: cp.ascontiguousarray(x.T), m(1000, 700)), on("tensordot", lambda x, y: cp.tensordot(x, y, 2), m(64, 32, 16), m(32, 16, 80)), on("percentile", lambda x: cp.percentile(x, 90), m(1 << 16)), on("interp", cp.interp, m(50000), lambda: cp.linspace(-3, 3, 500), m(500)), on("convolve", cp.convolve, m(20000), m(100)), on("roll_pad", lambda x: cp.pad(cp.roll(x, 3, 1), 2), m(500, 500))]
    g = lambda s: cp.random.Generator(s(7))  # noqa: E731
    out += [on("rand_xorwow", lambda: cp.random.random(1 << 18, dtype="float32")), on("normal_f64", lambda: cp.random.standard_normal(1 << 16)), on("philox_normal", lambda: g(cp.random.Philox4x3210).standard_normal(1 << 16)), on("mrg_uniform", lambda: g(cp.random.MRG32k3a).random(1 << 15)), on("gamma", lambda: g(cp.random.XORWOW).gamma(2.0, size=1 << 14)), on("poisson", lambda: g(cp.random.XORWOW).poisson(3.0, 1 << 14)), on("shuffle", lambda x: cp.random.shuffle(x), m(20000))]
    out += [on("fft_c2c", cp.fft.fft, m(64, 1000)), on("fft_f64", cp.fft.rfft, m(32, 4096, dt="float64")), on("fft2_prime", cp.fft.fft2, m(2, 127, 131)), on("dct", lambda x: __import__("cupyx.scipy.fft").scipy.fft.dct(x), m(128, 512))]
    out += [on("spmv_csr", lambda a, x: a @ x, sparse("csr", 10000, 10000, 0.001), m(10000)), on("spmm_csr", lambda a, x: a @ x, sparse("csr", 2000, 2000, 0.01), m(2000, 24)), on("spgemm_csr", lambda a, b: a @ b, sparse("csr", 400, 400, 0.02), sparse("csr", 400, 400, 0.02)), on("spmv_csc", lambda a, x: a @ x, sparse("csc", 4000, 4000, 0.002), m(4000)), on("csr_add", lambda a, b: a + b, sparse("csr", 2000, 2000, 0.005), sparse("csr", 2000, 2000, 0.005)), on("csr_transpose", lambda a: a.T.tocsr(), sparse("csr", 3000, 2000, 0.005)), on("coo_to_csr", lambda a: a.tocsr(), sparse("coo", 3000, 3000, 0.003)), on("csr_sum", lambda a: a.sum(1), sparse("csr", 5000, 2000, 0.005))]
    out += [on("gaussian_filter", image("gaussian_filter", 2), m(512, 512)), on("median_filter", image("median_filter", 5), m(256, 256)), on("uniform_filter", image("uniform_filter", 7), m(512, 512)), on("sobel", image("sobel"), m(512, 512)), on("grey_erosion", image("grey_erosion", 3), m(256, 256)), on("zoom", image("zoom", 1.5), m(256, 256)), on("rotate", image("rotate", 30, reshape=False, order=1), m(300, 300)), on("map_coordinates", lambda x, c: image("map_coordinates", c * 100 + 200, order=1)(x), m(400, 400), m(2, 50000)), on("label", lambda x: image("label")(x > 0.5)[0], m(200, 200)), on("distance_transform", lambda x: image("distance_transform_edt")(x > 0), m(200, 200)), on("convolve_3d", lambda x, w: image("convolve", w)(x), m(48, 48, 48), m(3, 3, 3))]
    out += [on("lfilter", lambda x: signal("lfilter")(cp.ones(3), cp.array([1.0, 0.2, 0.1]), x), m(8, 4096)), on("medfilt2d", signal("medfilt2d", 3), m(256, 256)), on("upfirdn", lambda h, x: signal("upfirdn")(h, x, 3, 2), m(61), m(1 << 15)), on("correlate2d", signal("correlate2d"), m(200, 200), m(9, 9)), on("gammaln", special("gammaln"), m(1 << 16)), on("erfinv", special("erfinv"), lambda: cp.random.random(1 << 17) * 1.9 - 0.95), on("zeta", special("zeta"), lambda: cp.random.random(1 << 13) + 2, lambda: cp.random.random(1 << 13) + 1), on("betainc", special("betainc"), lambda: cp.random.random(1 << 12) + 1, lambda: cp.random.random(1 << 12) + 1, lambda: cp.random.random(1 << 12)),
            on("pdist", lambda x: __import__("cupyx.scipy.spatial.distance").scipy.spatial.distance.cdist(x, x), m(200, 32)), on("mandelbrot", MANDELBROT, lambda: cp.zeros((256, 256), "int32")), on("life", LIFE, lambda: (cp.random.random((512, 512)) > 0.7).astype("int32"), lambda: cp.zeros((512, 512), "int32")), on("nbody", NBODY, m(2048, 4), lambda: cp.zeros((2048, 4), "float32"))]
    return out


SOURCE = r"""
extern "C" __global__ void mandelbrot(int* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = 0;
  float cx = -2.f + 3.f * x / n, cy = -1.5f + 3.f * y / n, a = 0, b = 0;
  for (; i < 100 && a * a + b * b < 4; ++i) { float t = a * a - b * b + cx; b = 2 * a * b + cy; a = t; }
  out[y * n + x] = i;
}
extern "C" __global__ void life(const int* in, int* out, int n) {
  __shared__ int s[18][34];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, t = threadIdx.y * 32 + threadIdx.x;
  for (int i = t; i < 18 * 34; i += 512) s[i / 34][i % 34] = in[(y0 + i / 34 - 1 + n) % n * n + (x0 + i % 34 - 1 + n) % n];
  __syncthreads();
  int c = 0;
  for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; ++j) c += (i != 1 || j != 1) * s[threadIdx.y + i][threadIdx.x + j];
  out[(y0 + threadIdx.y) * n + x0 + threadIdx.x] = c == 3 || (c == 2 && s[threadIdx.y + 1][threadIdx.x + 1]);
}
extern "C" __global__ void nbody(const float4* p, float4* f, int n) {
  __shared__ float4 s[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  float4 a = p[i], r = make_float4(0, 0, 0, 0);
  for (int t = 0; t < n; t += 128) {
    s[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) {
      float dx = s[j].x - a.x, dy = s[j].y - a.y, dz = s[j].z - a.z, q = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
      q = q * q * q * s[j].w;
      r.x += dx * q; r.y += dy * q; r.z += dz * q;
    }
    __syncthreads();
  }
  f[i] = r;
}
"""


@functools.cache
def kernel(name):
    return cp.RawModule(code=SOURCE).get_function(name)


def raw(name, grid, block, *rest):
    def f(*xs):
        kernel(name)(grid, block, (*xs, *[cp.int32(v) for v in rest]))
    return f


MANDELBROT, LIFE, NBODY = raw("mandelbrot", (16, 16), (16, 16), 256), raw("life", (16, 32), (32, 16), 512), raw("nbody", (16,), (128,), 2048)
