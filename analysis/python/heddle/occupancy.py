"""How many blocks fit on an SM, without a simulation."""
from __future__ import annotations

import dataclasses
from typing import List, Optional, Sequence, Tuple, Union

from heddle._checks import integer
from heddle._native import native, pandas
from heddle.config import Config, as_config
from heddle.errors import Error


@dataclasses.dataclass(frozen=True)
class Occupancy:
    """Residency of a kernel on one SM; limits are Nsight Compute's launch__occupancy_limit_*.

    Attributes:
        blocks, warps: resident on an SM.
        percent: warps of the most that an SM holds.
        limiter: "registers", "shared+warps", ...
        limit_blocks, limit_registers, limit_shared, limit_warps: blocks per SM that each resource allows.
        shared_carveout: bytes of the L1 array that are shared memory.
        l1: bytes of it that are L1 cache.
        shared_per_block: bytes allocated, rounded up and with the reserved part.
        clusters: that the device holds at once; None without clusters. For the GPCs of the configuration; cards differ.
    """
    blocks: int
    warps: int
    percent: float
    limiter: str
    limit_blocks: int
    limit_registers: int
    limit_shared: int
    limit_warps: int
    shared_carveout: int
    l1: int
    shared_per_block: int
    clusters: Optional[int]

    def _rows(self) -> List[Tuple[str, str]]:
        limits = ", ".join(f"{n} {getattr(self, f'limit_{n}')}" for n in ("blocks", "registers", "shared", "warps"))
        rows = [("resident on an SM", f"{self.blocks} blocks, {self.warps} warps, {self.percent:.1f} %"),
                ("limited by", self.limiter), ("blocks allowed by", limits),
                ("shared memory", f"{self.shared_per_block:,} bytes a block, of a carve-out of {self.shared_carveout:,}"),
                ("L1", f"{self.l1:,} bytes")]
        return rows + ([("clusters on the device", str(self.clusters))] if self.clusters is not None else [])

    def __str__(self) -> str:
        return "\n".join(f"{name:24}{value}" for name, value in self._rows())

    def _repr_html_(self) -> str:
        return "<table>" + "".join(f"<tr><th>{n}</th><td>{v}</td></tr>" for n, v in self._rows()) + "</table>"


@dataclasses.dataclass(frozen=True)
class Point:
    """Residency at one value of a resource.

    Attributes:
        value: threads per block, registers per thread or bytes of shared memory.
        blocks, warps: resident on an SM; 0: the launch is refused.
        percent: warps of the most that an SM holds.
        limiter: as in Occupancy; empty when refused.
    """
    value: int
    blocks: int
    warps: int
    percent: float
    limiter: str


def _needs(registers, block, smem, dynamic_smem, cluster, carveout):
    needs = native.BlockNeeds()
    needs.carveout_percent = {"driver": -1, "max": 100}.get(carveout, carveout)
    if not isinstance(needs.carveout_percent, int) or not -1 <= needs.carveout_percent <= 100:
        raise Error(f"carveout={carveout!r}; legal values: driver, max or a percentage from 0 to 100")
    for name, value, low in (("block", block, 1), ("registers", registers, 0), ("smem", smem, 0),
                             ("dynamic_smem", dynamic_smem, 0), ("cluster", cluster, 1)):
        integer(name, value, low, 2**31 - 1)
    needs.threads, needs.registers, needs.cluster = block, registers, cluster
    needs.static_shared, needs.dynamic_shared = smem, dynamic_smem
    return needs


def _carveout(carveout):
    if carveout in ("driver", "max") or type(carveout) is int and 0 <= carveout <= 100:
        return carveout
    raise Error(f"carveout={carveout!r}; legal values: driver, max or a percentage from 0 to 100")


def occupancy(gpu: Union[str, Config] = "h200", *, registers: int, block: int = 256, smem: int = 0,
              dynamic_smem: int = 0, cluster: int = 1, carveout: Union[str, int] = "driver",
              set: Sequence[str] = ()) -> Occupancy:
    """How many blocks of a kernel an SM holds, and what limits them. Simulates nothing.

    Args:
        gpu: a name, the path of a configuration file, or a Config.
        registers: per thread, as the compiler reports them.
        block: threads per block.
        smem, dynamic_smem: static and dynamic shared memory per block, bytes.
        cluster: blocks per cluster.
        carveout: shared memory of the SM: "driver" (its choice, as Nsight Compute sees it), "max" (as the CUDA occupancy
            functions assume), or the per cent that the program prefers.
        set: overrides "path=value".

    Returns:
        Occupancy. With carveout "max", `blocks` is what cudaOccupancyMaxActiveBlocksPerMultiprocessor says (equal in 1344
        of 1344 cases asked of an H200).

    Raises:
        ConfigError: the configuration is wrong.
        Error: the launch does not fit, with the resource and its limit, or an argument is out of range.
    """
    config = as_config(gpu, None, set)
    needs = _needs(registers, block, smem, dynamic_smem, cluster, _carveout(carveout))
    return Occupancy(**native.occupancy(config._draft, needs))


def occupancy_curve(gpu: Union[str, Config] = "h200", resource: str = "block", *, registers: int, block: int = 256,
                    smem: int = 0, dynamic_smem: int = 0, cluster: int = 1, carveout: Union[str, int] = "driver",
                    set: Sequence[str] = ()) -> pandas.DataFrame:
    """Residency over all values of one resource, one allocation unit apart.

    Args:
        gpu: a name, the path of a configuration file, or a Config.
        resource: "block" (threads per block), "regs" (registers per thread) or "smem" (bytes per block).
        registers, block, smem, dynamic_smem, cluster, carveout, set: as of occupancy(); the resource's own value is
            replaced.

    Returns:
        DataFrame with the index named like the resource and the columns blocks, warps, percent, limiter; 0 blocks where the
        launch is refused.

    Raises:
        ConfigError: the configuration is wrong.
        Error: no such resource, or an argument is out of range.
    """
    if resource not in ("block", "regs", "smem"):
        raise Error(f"resource={resource!r}; legal values: block, regs, smem")
    config = as_config(gpu, None, set)
    needs = _needs(registers, block, smem, dynamic_smem, cluster, _carveout(carveout))
    points = native.occupancy_curve(config._draft, needs, resource)
    frame = pandas().DataFrame(points, columns=[resource, "blocks", "warps", "percent", "limiter"])
    return frame.set_index(resource)


def suggest_block_size(gpu: Union[str, Config] = "h200", *, registers: int, smem: int = 0, dynamic_smem: int = 0,
                       carveout: Union[str, int] = "driver", set: Sequence[str] = ()) -> Point:
    """The block size, a multiple of a warp, with the most resident warps; of several the largest.

    Args:
        gpu: a name, the path of a configuration file, or a Config.
        registers, smem, dynamic_smem, carveout, set: as of occupancy().

    Returns:
        Point whose `value` is the block size: with carveout "max" that of cudaOccupancyMaxPotentialBlockSize (64 of 64
        cases asked of an H200).

    Raises:
        ConfigError: the configuration is wrong.
        Error: no size fits, or an argument is out of range.
    """
    config = as_config(gpu, None, set)
    needs = _needs(registers, 32, smem, dynamic_smem, 1, _carveout(carveout))
    return Point(*native.best_block(config._draft, needs))
