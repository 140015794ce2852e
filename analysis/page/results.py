"""What the validation page is made from: the measured table, and the simulated results of one database."""
import csv
import sqlite3

# What a kernel's program and addresses determine, whatever the timing.
EXACT = {
    "warp instructions": "smsp__inst_executed.sum",
    "global load sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global store sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared load bank conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared store bank conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "occupancy limit": "sm__maximum_warps_per_active_cycle_pct",
}


def table(path, key="name"):
    """The rows of a CSV file by their name."""
    with open(path, newline="", encoding="utf-8") as f:
        return {r[key]: r for r in csv.DictReader(f)}


class Results:
    """The last run of a database."""

    def __init__(self, db):
        c = sqlite3.connect(f"file:{db}?mode=ro", uri=True)
        run = c.execute("SELECT max(id) FROM runs").fetchone()[0]
        self.revision, self.config, self.product = c.execute(
            "SELECT revision, config_hash, product FROM runs WHERE id = ?", (run,)).fetchone()
        self.cycles, self.active, self.instructions, self.wall, self.memory = {}, {}, {}, {}, {}
        for name, cycles, active, instructions, wall, memory in c.execute(
                "SELECT trace, cycles, sm_active_cycles, warp_instructions, wall_seconds, max_rss_bytes "
                "FROM launches JOIN host_timing ON launch_id = launches.id WHERE run_id = ?", (run,)):
            self.cycles[name], self.active[name], self.instructions[name] = cycles, active, instructions
            self.wall[name], self.memory[name] = wall, memory
        self.counters = {}
        for name, metric, value in c.execute(
                "SELECT trace, name, value FROM counters JOIN launches ON launch_id = launches.id WHERE run_id = ?",
                (run,)):
            self.counters.setdefault(name, {})[metric] = value
        c.close()

    def rate(self):
        return sum(self.instructions.values()) / sum(self.wall.values())

    def error(self, measured, name):
        return self.cycles[name] / float(measured[name]["cycles_median"]) - 1

    def active_error(self, measured, name):
        return self.active[name] / float(measured[name]["sm_active_cycles_max_median"]) - 1

    def pairs(self, measured, metric):
        """(kernel, measured, simulated) of the kernels that have `metric` on both sides."""
        return [(n, float(row[metric]), self.counters[n][metric]) for n, row in measured.items()
                if row.get(metric) and self.counters[n].get(metric) is not None]

    def differences(self, measured, metric):
        """How many kernels have `metric`, and those whose value is not the measured one (to Nsight's two decimals)."""
        pairs = self.pairs(measured, metric)
        return len(pairs), [n for n, m, s in pairs if abs(s - m) >= 0.0051]
