"""Which launch each row of the measurements was: kernel of ops.cu, grid, block, arguments. For tools/others-check."""
import lzma
import os
import tempfile

KEY = ("gpu", "op", "rows", "cols")
# The csv's name: configuration, and the machine code that is replayed on it.
MACHINES = {
    "P100-PCIE-16GB": ("p100", 75),
    "P4": ("p4", 75),
    "V100-PCIE-32GB": ("v100_pcie32", 75),
    "T4": ("t4", 75),
    "A100-PCIE-40GB": ("a100_pcie40", 80),
    "A100 80GB PCIe": ("a100_pcie80", 80),
    "L4": ("l4", 89),
}
SCALAR = {"add": ["1.0"]}  # arguments between the number of elements and the tensors
INPUTS = {"add": 2, "mul": 2, "div": 2, "relu": 1, "gelu": 1, "tanh": 1}
KERNEL = {"div": "divide", "tanh": "hyperbolic"}


def cubin(folder, code, program="ops"):
    """The machine code, unpacked where the system keeps temporary files."""
    packed = os.path.join(folder, f"{program}_sm_{code}.cubin.xz")
    out = os.path.join(tempfile.gettempdir(), f"heddle_{os.getuid()}_{program}_sm_{code}.cubin")
    with lzma.open(packed) as f:
        data = f.read()
    try:
        with open(out, "rb") as f:
            if f.read() == data:
                return out
    except OSError:
        pass
    with open(f"{out}.{os.getpid()}", "wb") as f:
        f.write(data)
    os.replace(f"{out}.{os.getpid()}", out)
    return out


class Elementwise:
    """A thread takes four elements; all sizes are on one line."""

    family, block, shared = "elementwise", "128", 0

    def __init__(self, op):
        self.op = self.name = op
        self.kernel = KERNEL.get(op, op)
        self.block_bytes = 2048 * (INPUTS[op] + 1)  # moved

    def blocks(self, row):
        return -(-int(row["rows"]) * int(row["cols"]) // 512)

    def arguments(self, blocks):
        tensor = f"buffer:{2048 * blocks}"
        return [512 * blocks, *SCALAR.get(self.op, []), *[tensor] * (1 + INPUTS[self.op])]


class SoftmaxWarp:
    """A warp has a row (two of up to 128 elements) in registers; four of them are a block."""

    family, shared = "softmax_warp", 0

    def __init__(self, cols):
        self.cols = cols
        self.log2 = max(5, (cols - 1).bit_length())
        self.name, self.kernel, self.block = f"softmax{cols}", f"softmax_warp_{self.log2}", "32,4"
        self.per_block = 4 * (2 if self.log2 <= 7 else 1)
        self.block_bytes = 8 * cols * self.per_block

    def blocks(self, row):
        return -(-int(row["rows"]) // self.per_block)

    def arguments(self, blocks):
        rows = blocks * self.per_block
        tensor = f"buffer:{4 * rows * self.cols}"
        return [tensor, tensor, rows, self.cols, self.cols]


class SoftmaxBlock:
    """A block has a row: as many threads as ATen takes for a quarter of half the row, at most 512."""

    family = "softmax_block"

    def __init__(self, cols):
        self.cols = cols
        most = min(cols // 4, 1024) // 2
        threads = max(32, 1 << (most - 1).bit_length())
        self.name, self.kernel, self.block, self.shared = f"softmax{cols}", "softmax_block", str(threads), 4 * threads
        self.block_bytes = 8 * cols

    def blocks(self, row):
        return int(row["rows"])

    def arguments(self, blocks):
        tensor = f"buffer:{4 * blocks * self.cols}"
        return [tensor, tensor, self.cols]


def of(row):
    """None: an operator that is not written yet."""
    if row["op"] in INPUTS:
        return Elementwise(row["op"])
    if row["op"] != "softmax":
        return None
    cols = int(row["cols"])
    return SoftmaxWarp(cols) if cols <= 1024 else SoftmaxBlock(cols)
