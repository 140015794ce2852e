"""What is compared beside the cycles, and how."""
import dataclasses
from typing import Tuple


@dataclasses.dataclass(frozen=True)
class Quantity:
    """A sum of metrics of the catalogue, or 100 times its share in another such sum, which it cannot exceed."""
    label: str
    of: Tuple[str, ...]
    over: Tuple[str, ...] = ()
    points: bool = False  # shares are compared in points, all others relative to the measured value

    def value(self, metric):
        """`metric` gives a metric's value or None. None where one is missing, or for a share of nothing."""
        part, whole = ([metric(m) for m in names] for names in (self.of, self.over))
        if None in part or None in whole or (self.over and not sum(whole)):
            return None
        return 100 * sum(part) / sum(whole) if self.over else sum(part)

    def definition(self):
        text = " + ".join(f"`{m}`" for m in self.of)
        return f"{text} of {' + '.join(f'`{m}`' for m in self.over)}" if self.over else text


def _amount(label, *metrics):
    return Quantity(label, metrics)


_TEX = "lts__t_sectors_srcunit_tex"
QUANTITIES = [
    _amount("warp instructions", "smsp__inst_executed.sum"),
    _amount("thread instructions", "smsp__thread_inst_executed.sum"),
    _amount("L1 sectors", "l1tex__t_sectors.sum"),
    _amount("L1 sectors, global loads", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    _amount("L1 sectors, global stores", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    _amount("shared wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"),
    Quantity("L1 hit rate", ("l1tex__t_sector_hit_rate.pct",), points=True),
    _amount("L2 sectors", "lts__t_sectors.sum"),
    _amount("L2 sectors, reads", "lts__t_sectors_op_read.sum"),
    _amount("L2 sectors, writes", "lts__t_sectors_op_write.sum"),
    _amount("L2 sectors, reductions and atomics", "lts__t_sectors_op_red.sum", "lts__t_sectors_op_atom.sum"),
    _amount("L2 sectors from the L1", _TEX + ".sum"),
    _amount("L2 sectors from the other partition", "lts__t_sectors_srcunit_ltcfabric.sum"),
    # Not Nsight's lts__t_sector_hit_rate.pct, whose hits are not all look-ups.
    Quantity("L2 hit rate", (_TEX + "_lookup_hit.sum",), (_TEX + "_lookup_hit.sum", _TEX + "_lookup_miss.sum"), points=True),
    _amount("DRAM bytes", "dram__bytes_read.sum", "dram__bytes_write.sum"),
    _amount("DRAM bytes read", "dram__bytes_read.sum"),
    _amount("DRAM bytes written", "dram__bytes_write.sum"),
    Quantity("achieved occupancy", ("sm__warps_active.avg.pct_of_peak_sustained_active",), points=True),
    Quantity("issue slots used", ("smsp__issue_active.avg.pct_of_peak_sustained_active",), points=True),
]

# What a kernel's program and addresses determine, whatever the timing.
EXACT = [
    _amount("warp instructions", "smsp__inst_executed.sum"),
    _amount("global load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    _amount("global store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    _amount("shared load bank conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
    _amount("shared store bank conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
    _amount("occupancy limit", "sm__maximum_warps_per_active_cycle_pct"),
]
