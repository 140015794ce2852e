"""The same of Triton's and PyTorch's own kernels: small_parts.py under ncu; Triton's cubins are in $TRITON_CACHE_DIR. FINDINGS.md 40."""
import torch
import triton
import triton.language as tl


@triton.jit
def t_load_store(a, b, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(b + i, tl.load(a + i))


@triton.jit
def t_sum(a, b, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(b, tl.sum(tl.load(a + i), 0) * 0.5)


@triton.jit
def t_store(a, b, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(b + i, i.to(tl.float32))


def main():
    x = torch.randn(1 << 20, device="cuda")
    y = torch.zeros(1 << 20, device="cuda")
    for _ in range(6):
        for kernel in (t_store, t_load_store, t_sum):
            kernel[(1,)](x, y, 64, num_warps=2)
        torch.add(x[:64], 1, out=y[:64])
        torch.add(x[:1 << 16], y[:1 << 16], out=y[:1 << 16])
        torch.exp(x, out=y)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
