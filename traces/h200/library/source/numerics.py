"""cuFFT, cuSPARSE, cuSOLVER and MAGMA-like kernels through PyTorch."""
import torch
from attention import simple
from eager import on
from gemm import f32, f64, r


def positive(n, b=()):
    def make():
        x = r(*b, n, n, dt=f32)
        return x @ x.mT + n * torch.eye(n, device="cuda")
    return make


def csr(m, n, density, dt=f32):
    def make():
        x = torch.where(torch.rand(m, n, device="cuda") < density, torch.randn(m, n, device="cuda"), 0.0)
        return x.to(dt).to_sparse_csr()
    return make


def coo(m, n, density):
    def make():
        return csr(m, n, density)().to_sparse_coo().coalesce()
    return make


def ops():
    out = []
    for n, batch in ((64, 512), (100, 300), (243, 128), (1009, 16), (2048, 32), (8192, 8), (65536, 1), (300000, 1)):
        out.append(simple("fft_%dx%d" % (batch, n), lambda x: torch.fft.fft(torch.view_as_complex(x)), (batch, n, 2)))
    out += [simple("rfft_512x1024", torch.fft.rfft, (512, 1024)), simple("irfft_256x513", lambda x: torch.fft.irfft(torch.view_as_complex(x)), (256, 513, 2)), simple("fft2_256", lambda x: torch.fft.fft2(x), (4, 256, 256)),
            simple("fft3_48", lambda x: torch.fft.fftn(x), (48, 48, 48)), simple("fft_f64_1024", lambda x: torch.fft.fft(torch.view_as_complex(x)), (64, 1024, 2), dt=f64), simple("stft", lambda x: torch.stft(x, 512, 128, window=torch.ones(512, device="cuda"), return_complex=True), (4, 16000)),
            simple("fftconvolve", lambda x, y: torch.fft.irfft(torch.fft.rfft(x) * torch.fft.rfft(y)), (16, 4000), (16, 4000))]
    out += [on("cholesky_512", torch.linalg.cholesky, positive(512)), on("cholesky_batch", torch.linalg.cholesky, positive(32, (64,))), on("cholesky_solve", lambda a, b: torch.cholesky_solve(b, torch.linalg.cholesky(a)), positive(128), lambda: r(128, 32, dt=f32)),
            on("lu_256", torch.linalg.lu_factor, positive(256)), on("lu_batch", torch.linalg.lu_factor, positive(48, (32,))), on("solve_200", torch.linalg.solve, positive(200), lambda: r(200, 16, dt=f32)), on("inverse_64", torch.linalg.inv, positive(64, (16,))), on("det_batch", torch.linalg.det, positive(16, (256,))),
            on("qr_256", torch.linalg.qr, lambda: r(256, 64, dt=f32)), on("qr_batch", torch.linalg.qr, lambda: r(32, 64, 16, dt=f32)), on("eigh_64", torch.linalg.eigh, positive(64)), on("eigh_batch", torch.linalg.eigh, positive(16, (64,))), on("svd_64", lambda x: torch.linalg.svd(x, full_matrices=False), lambda: r(96, 64, dt=f32)), on("svd_batch", torch.linalg.svdvals, lambda: r(64, 16, 16, dt=f32)),
            on("triangular_256", lambda a, b: torch.linalg.solve_triangular(a.tril(), b, upper=False), positive(256), lambda: r(256, 64, dt=f32)), on("triangular_batch", lambda a, b: torch.linalg.solve_triangular(a.triu(), b, upper=True), positive(32, (64,)), lambda: r(64, 32, 8, dt=f32)), on("matrix_exp", torch.linalg.matrix_exp, lambda: r(64, 64, dt=f32) * 0.1), on("householder", lambda x, t: torch.linalg.householder_product(x, t), lambda: r(128, 32, dt=f32), lambda: r(32, dt=f32))]
    out += [on("spmm_csr_1pct", torch.mm, csr(2048, 2048, 0.01), lambda: r(2048, 64, dt=f32)), on("spmv_csr", torch.mv, csr(8192, 4096, 0.002), lambda: r(4096, dt=f32)), on("spmm_coo", torch.mm, coo(1024, 2048, 0.02), lambda: r(2048, 32, dt=f32)), on("spgemm", torch.mm, csr(512, 512, 0.02), csr(512, 512, 0.02)), on("spmm_f64", torch.mm, csr(1024, 1024, 0.01, f64), lambda: r(1024, 32, dt=f64)),
            on("sddmm", lambda c, a, b: torch.sparse.sampled_addmm(c, a, b), csr(1024, 1024, 0.01), lambda: r(1024, 64, dt=f32), lambda: r(64, 1024, dt=f32)), on("to_sparse", lambda x: x.to_sparse_csr(), lambda: csr(512, 512, 0.05)().to_dense()), on("to_dense", lambda x: x.to_dense(), csr(512, 512, 0.05)), on("coalesce", lambda x: (x + x).coalesce(), coo(512, 512, 0.05)),
            on("sparse_softmax", lambda x: torch.sparse.softmax(x, 1), coo(512, 512, 0.05)), on("bsr_mm", torch.mm, lambda: csr(1024, 1024, 0.01)().to_dense().to_sparse_bsr((16, 16)), lambda: r(1024, 64, dt=f32))]
    return out
