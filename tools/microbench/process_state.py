"""The same small kernels at different times of one PyTorch process, under ncu: what a launch costs depends on what the process has done before.

    ncu --csv --page raw --clock-control none --cache-control all --metrics gpc__cycles_elapsed.max,sm__cycles_active.max python3 process_state.py

Rounds of nine sequences, each three times behind torch.cuda._sleep's spin_kernel, the whole twice: SEQUENCES says what they launch.
FINDINGS.md 40, results/h100_process_state.csv.
"""
import torch
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def t_sum(a, b, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(b, tl.sum(tl.load(a + i), 0) * 0.5)


@triton.jit
def t_part(a, b, N: tl.constexpr):  # each block writes 4 bytes
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(b + tl.program_id(0), tl.sum(tl.load(a + i), 0) * 0.5)


def sequences():
    x, y = (torch.randn(1 << 19, device="cuda") for _ in range(2))
    large, large_out = (torch.zeros(1 << 20, device="cuda") for _ in range(2))
    small, small_out = torch.zeros(64, device="cuda"), torch.zeros(1, device="cuda")
    huber = torch.compile(F.huber_loss)
    for _ in range(3):
        huber(x, y)

    def part(out):
        t_part[(64,)](x, out, 1024, num_warps=4)

    def total(a, out):
        t_sum[(1,)](a, out, 64, num_warps=2)

    def fresh():
        a, out = torch.empty(64, device="cuda"), torch.empty(1, device="cuda")
        part(a)
        total(a, out)

    return [
        lambda: huber(x, y),
        lambda: total(large, large_out),
        lambda: total(small, small_out),
        lambda: (part(small), total(small, small_out)),
        lambda: (part(large), total(large, large_out)),
        lambda: (small.zero_(), total(small, small_out)),
        lambda: (torch.add(x, y, out=large[:1 << 19]), total(small, small_out)),
        lambda: (part(large), total(small, small_out)),
        fresh,
    ]


def main():
    found = sequences()
    torch.cuda.synchronize()
    for _ in range(2):
        for sequence in found:
            torch.cuda._sleep(1)
            for _ in range(3):
                sequence()
            torch.cuda.synchronize()


if __name__ == "__main__":
    main()
