"""Kernels in Triton."""
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = pid // (GROUP * columns)
    first = group * GROUP
    size = min(rows - first, GROUP)
    m, n = first + (pid % (GROUP * columns)) % size, (pid % (GROUP * columns)) // size
    om, on, ok = (m * BM + tl.arange(0, BM)) % M, (n * BN + tl.arange(0, BN)) % N, tl.arange(0, BK)
    pa, pb = a + om[:, None] * K + ok[None, :], b + ok[:, None] * N + on[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(pa, mask=ok[None, :] < K - k * BK, other=0.0)
        y = tl.load(pb, mask=ok[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        pa += BK
        pb += BK * N
    om, on = m * BM + tl.arange(0, BM), n * BN + tl.arange(0, BN)
    tl.store(c + om[:, None] * N + on[None, :], acc.to(c.dtype.element_ty), mask=(om[:, None] < M) & (on[None, :] < N))


@triton.jit
def matmul_descriptors(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(da.load([m, k]), db.load([n, k]).T, acc)
    dc.store([m, n], acc.to(c.dtype.element_ty))


@triton.jit
def matmul_persistent(da, db, dc, M, N, K, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, WS: tl.constexpr):
    tiles_n = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * tiles_n, PROGRAMS, flatten=not WS, warp_specialize=WS):
        m, n = tile // tiles_n * BM, tile % tiles_n * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            acc = tl.dot(da.load([m, k * BK]), db.load([n, k * BK]).T, acc)
        dc.store([m, n], acc.to(tl.bfloat16))


@triton.jit
def matmul_split(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    om, on = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    part = K // SPLIT
    ok = tl.program_id(2) * part + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, part, BK):
        acc = tl.dot(tl.load(a + om[:, None] * K + (ok + k)[None, :]), tl.load(b + (ok + k)[:, None] * N + on[None, :]), acc)
    tl.atomic_add(c + om[:, None] * N + on[None, :], acc)


@triton.jit
def softmax(x, y, n, B: tl.constexpr):
    row, o = tl.program_id(0).to(tl.int64), tl.arange(0, B)
    v = tl.load(x + row * n + o, mask=o < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * n + o, e / tl.sum(e, 0), mask=o < n)


@triton.jit
def layer_norm(x, y, w, b, n, B: tl.constexpr):
    row = tl.program_id(0)
    s, q = tl.zeros([B], tl.float32), tl.zeros([B], tl.float32)
    for i in range(0, n, B):
        o = i + tl.arange(0, B)
        v = tl.load(x + row * n + o, mask=o < n, other=0.0).to(tl.float32)
        s += v
        q += v * v
    mean = tl.sum(s, 0) / n
    scale = tl.rsqrt(tl.sum(q, 0) / n - mean * mean + 1e-5)
    for i in range(0, n, B):
        o = i + tl.arange(0, B)
        v = tl.load(x + row * n + o, mask=o < n, other=0.0).to(tl.float32)
        tl.store(y + row * n + o, (v - mean) * scale * tl.load(w + o, mask=o < n) + tl.load(b + o, mask=o < n), mask=o < n)


@triton.jit
def layer_norm_weights(x, g, w, M, N, BM: tl.constexpr, BN: tl.constexpr):
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, M, BM):
        rows = i + tl.arange(0, BM)
        keep = (rows[:, None] < M) & (columns[None, :] < N)
        at = rows[:, None] * N + columns[None, :]
        acc += tl.load(x + at, mask=keep, other=0.0) * tl.load(g + at, mask=keep, other=0.0)
    tl.store(w + columns, tl.sum(acc, 0), mask=columns < N)


@triton.jit
def attention(q, k, v, y, scale, S, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    head, m = tl.program_id(1), tl.program_id(0)
    base = head * S * D
    om, on, od = m * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(q + base + om[:, None] * D + od[None, :])
    top, total, acc = tl.full([BM], -float("inf"), tl.float32), tl.zeros([BM], tl.float32), tl.zeros([BM, D], tl.float32)
    last = (m + 1) * BM if CAUSAL else S
    for n in range(0, last, BN):
        z = tl.dot(x, tl.load(k + base + (n + on)[None, :] * D + od[:, None])) * scale
        if CAUSAL:
            z = tl.where(om[:, None] >= (n + on)[None, :], z, -1e9)
        new = tl.maximum(top, tl.max(z, 1))
        p, old = tl.exp2(z - new[:, None]), tl.exp2(top - new)
        total = total * old + tl.sum(p, 1)
        acc = tl.dot(p.to(q.dtype.element_ty), tl.load(v + base + (n + on)[:, None] * D + od[None, :]), acc * old[:, None])
        top = new
    tl.store(y + base + om[:, None] * D + od[None, :], (acc / total[:, None]).to(y.dtype.element_ty))


@triton.jit
def attention_descriptors(dq, dk, dv, dy, scale, S, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(1) * S
    m = row + tl.program_id(0) * BM
    x = dq.load([m, 0])
    top, total, acc = tl.full([BM], -float("inf"), tl.float32), tl.zeros([BM], tl.float32), tl.zeros([BM, D], tl.float32)
    for n in range(0, S, BN):
        z = tl.dot(x, dk.load([row + n, 0]).T) * scale
        new = tl.maximum(top, tl.max(z, 1))
        p, old = tl.exp2(z - new[:, None]), tl.exp2(top - new)
        total = total * old + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.bfloat16), dv.load([row + n, 0]), acc * old[:, None])
        top = new
    dy.store([m, 0], (acc / total[:, None]).to(tl.bfloat16))


@triton.jit
def decode(q, k, v, y, S, B: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(0)
    od = tl.arange(0, D)
    x = tl.load(q + head * D + od).to(tl.float32)
    top, total, acc = -float("inf"), 0.0, tl.zeros([D], tl.float32)
    for n in range(0, S, B):
        at = head * S * D + (n + tl.arange(0, B))[:, None] * D + od[None, :]
        z = tl.sum(tl.load(k + at).to(tl.float32) * x[None, :], 1) * 0.1
        new = tl.maximum(top, tl.max(z, 0))
        p, old = tl.exp(z - new), tl.exp(top - new)
        total = total * old + tl.sum(p, 0)
        acc = acc * old + tl.sum(p[:, None] * tl.load(v + at).to(tl.float32), 0)
        top = new
    tl.store(y + head * D + od, acc / total)


@triton.jit
def vector_add(x, y, z, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(z + o, tl.load(x + o, mask=o < n) + tl.load(y + o, mask=o < n), mask=o < n)


@triton.jit
def dropout(x, y, n, p, seed, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    keep = tl.rand(seed, o) > p
    tl.store(y + o, tl.where(keep, tl.load(x + o, mask=o < n) / (1 - p), 0.0), mask=o < n)


@triton.jit
def transpose(x, y, M, N, B: tl.constexpr):
    om, on = tl.program_id(0) * B + tl.arange(0, B), tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + om[:, None] * N + on[None, :], mask=(om[:, None] < M) & (on[None, :] < N))
    tl.store(y + on[:, None] * M + om[None, :], v.T, mask=(on[:, None] < N) & (om[None, :] < M))


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def scan_rows(x, y, n, B: tl.constexpr):
    o = tl.program_id(0) * n + tl.arange(0, B)
    keep = tl.arange(0, B) < n
    tl.store(y + o, tl.associative_scan(tl.load(x + o, mask=keep, other=0.0), 0, _add), mask=keep)


@triton.jit
def sort_rows(x, y, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + o, tl.sort(tl.load(x + o)))


@triton.jit
def histogram(x, y, n, B: tl.constexpr, BINS: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(y + tl.arange(0, BINS), tl.histogram(tl.load(x + o), BINS))


@triton.jit
def gather_rows(x, i, y, D, B: tl.constexpr):
    row, o = tl.program_id(0), tl.arange(0, B)
    at = tl.load(i + row)
    tl.store(y + row * D + o, tl.load(x + at * D + o, mask=o < D), mask=o < D)


@triton.jit
def sum_all(x, y, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(y, tl.sum(tl.load(x + o, mask=o < n, other=0.0), 0))


@triton.jit
def stencil(x, y, H, W, B: tl.constexpr):
    row, o = tl.program_id(0), tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros([B], tl.float32)
    for i in tl.static_range(-2, 3):
        for j in tl.static_range(-2, 3):
            acc += tl.load(x + (row + i) * W + o + j, mask=(row + i >= 0) & (row + i < H) & (o + j >= 0) & (o + j < W), other=0.0) * (i * j + 5)
    tl.store(y + row * W + o, acc, mask=o < W)
