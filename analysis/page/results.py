"""What the validation pages are made from: measured tables, and the simulated results of one database."""
import csv
import sqlite3

def table_rows(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def table(path, key="name"):
    """The rows of a CSV file by their name."""
    return {r[key]: r for r in table_rows(path)}


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
