"""The shipped kernels against the H200 that ran them: counts that must be equal, and the error of the cycles."""
import csv
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import unittest

from tests.e2e import shipped

# Mean absolute error of the cycles over the shipped kernels: 6.4 % now (median 3.2 %; over all 57 kernels about
# 5.7 %). It only stops the model from getting worse unnoticed: the goal is below 8 %, the noise of the
# measurements 3.6 %. Lower it as the model improves.
MEAN_CYCLE_ERROR_BOUND = 0.12

# Simulating one kernel must not need more, however long its trace.
MEMORY_BOUND = 1 << 30

# What a program and its addresses determine, whatever the timing.
EXACT = [
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
]

# On the GPU these two kernels' shared wavefronts also count collisions between sub-cores and with the
# tensor units, other ones in every run.
ARBITRATED = {("dgemm", "op_ld"), ("wgmma", "op_st")}

OCCUPANCY = [
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
    "launch__waves_per_multiprocessor",
    "sm__maximum_warps_per_active_cycle_pct",
    "launch__shared_mem_config_size",
    "launch__registers_per_thread",
    "launch__block_size",
    "launch__grid_size",
]


def is_arbitrated(kernel, metric):
    return "mem_shared" in metric and (kernel, metric.split("mem_shared_")[1].removesuffix(".sum")) in ARBITRATED


def text_of(kernel):
    return os.path.join(shipped.TRACES, kernel, "kernel-1.traceg.zst")


def instructions_in_trace(kernel):
    count, rest = 0, b""
    for piece in shipped.unzstd(text_of(kernel)):
        text, _, rest = (rest + piece).rpartition(b"\n")
        count += sum(map(int, re.findall(rb"\ninsts = ([0-9]+)", b"\n" + text)))
    return count


class Silicon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.measured = shipped.measured()
        cls.dir = tempfile.mkdtemp(prefix="heddle-e2e-")
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        cls.db = os.path.join(cls.dir, "v.db")
        cls.csv = os.path.join(cls.dir, "v.csv")
        cls.process = subprocess.run(
            [shipped.HEDDLE, "validate", "--reference", shipped.SUITE, "--traces", shipped.TRACES, "--gpu", "h200",
             "--out", cls.db, "--csv", cls.csv, "--strict", "--quiet"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert cls.process.returncode == 0, cls.process.stderr
        cls.counters = {}
        for trace, name, value in shipped.rows(
                cls.db, "SELECT trace, name, value FROM counters JOIN launches ON launch_id = launches.id"):
            cls.counters.setdefault(trace, {})[name] = value

    def compare(self, metrics, skip=lambda kernel, metric: False):
        """Equal to the two decimals that Nsight Compute prints."""
        for kernel, row in self.measured.items():
            for metric in metrics:
                if metric in row and not skip(kernel, metric):
                    with self.subTest(kernel=kernel, metric=metric):
                        self.assertAlmostEqual(self.counters[kernel][metric], float(row[metric]), delta=0.0051)

    def test_all_complete_without_a_warning(self):
        self.assertGreaterEqual(len(self.measured), 12)
        launches = shipped.rows(self.db, "SELECT trace, launch FROM launches ORDER BY id")
        self.assertEqual(launches, [(name, 1) for name in self.measured])
        self.assertEqual(self.process.stderr, "")

    def test_the_size_of_what_is_shipped(self):
        size = sum(os.stat(os.path.join(d, f)).st_size for d, _, files in os.walk(shipped.TRACES) for f in files)
        self.assertLess(size, 10 << 20)

    def test_warp_instructions_equal_the_traces(self):
        texts = 0
        for trace, simulated in shipped.rows(self.db, "SELECT trace, warp_instructions FROM launches"):
            if os.path.exists(text_of(trace)):  # the others are .heddle files
                texts += 1
                with self.subTest(trace):
                    self.assertEqual(simulated, instructions_in_trace(trace))
        self.assertGreaterEqual(texts, 4)

    def test_counts_that_do_not_depend_on_time_are_exact(self):
        self.compare(EXACT, skip=is_arbitrated)

    def test_arbitrated_counts_are_a_lower_bound(self):
        for kernel, row in self.measured.items():
            for metric in EXACT:
                if is_arbitrated(kernel, metric):
                    simulated, measured = self.counters[kernel][metric], float(row[metric])
                    with self.subTest(kernel=kernel, metric=metric):
                        self.assertLessEqual(simulated, measured)

    def test_occupancy_limits_are_exact(self):
        self.compare(OCCUPANCY)

    def test_dependences_come_from_the_control_bits(self):
        self.assertEqual(shipped.rows(self.db, "SELECT DISTINCT used_control_bits FROM launches"), [(1,)])
        self.assertEqual(shipped.rows(self.db, "SELECT count(*) FROM unknown_opcodes"), [(0,)])

    def test_cycles_are_near_the_silicon(self):
        with open(self.csv, newline="") as f:
            errors = {r["name"]: float(r["relative_error"]) for r in csv.DictReader(f) if r["metric"] == "cycles"}
        self.assertEqual(set(errors), set(self.measured))
        mean = statistics.mean(map(abs, errors.values()))
        worst = sorted(errors.items(), key=lambda e: -abs(e[1]))[:3]
        self.assertLess(mean, MEAN_CYCLE_ERROR_BOUND, f"largest: {worst}")

    def test_errors_are_computed_as_documented(self):
        cycles = dict(shipped.rows(self.db, "SELECT trace, cycles FROM launches"))
        errors = []
        with open(self.csv, newline="") as f:
            for r in csv.DictReader(f):
                if r["metric"] == "cycles":
                    measured = float(self.measured[r["name"]]["cycles_median"])
                    errors.append(cycles[r["name"]] / measured - 1)
                    self.assertAlmostEqual(float(r["relative_error"]), errors[-1], places=5)
        mean = statistics.mean(map(abs, errors))
        self.assertIn(f"cycles: error of {len(errors)} kernels: mean {100 * mean:.1f} %", self.process.stdout)

    def test_the_states_of_the_warps_add_up_to_their_residency(self):
        for trace, states, residency in shipped.rows(
                self.db, "SELECT trace, (SELECT sum(warp_cycles) FROM stalls s WHERE s.launch_id = l.id), value "
                "FROM launches l JOIN counters c ON c.launch_id = l.id AND c.name = 'sm__warps_active.sum'"):
            with self.subTest(trace):
                self.assertLessEqual(abs(states - residency), 1e-9 * residency)

    def test_the_relations_between_counters_hold(self):
        p = subprocess.run([shipped.HEDDLE, "report", self.db, "--relations"], capture_output=True, text=True)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertRegex(p.stdout, rf"^\d+ relations between counters, {len(self.measured)} launches: all hold\n$")

    def test_no_share_above_100_percent_is_shown(self):
        # As on silicon: hits that are no look-ups.
        rates = {k: c["lts__t_sector_hit_rate.pct"] for k, c in self.counters.items()}
        self.assertGreater(rates["chase_l1"], 100)
        self.assertEqual(shipped.rows(self.db, """
            SELECT DISTINCT name FROM counters JOIN metrics USING (name) WHERE unit = '%' AND NOT value BETWEEN 0 AND 100"""),
                         [("lts__t_sector_hit_rate.pct",)])
        page = os.path.join(self.dir, "r.html")
        subprocess.run([shipped.HEDDLE, "report", self.db, "--html", page], check=True, capture_output=True)
        with open(page, encoding="utf-8") as f:
            data = json.loads(re.search(r'id="data">(.*?)</script>', f.read(), re.DOTALL).group(1))
        launches = data["runs"][0]["launches"]
        self.assertEqual(len(launches), len(self.measured))
        for launch in launches:
            with self.subTest(launch["trace"]):
                shares = {k: launch[k] for k in ("l1_hit", "l2_hit", "occupancy", "occupancy_max", "issue_pct")}
                shares.update(launch["roofs"])
                self.assertTrue(all(0 <= v <= 100 for v in shares.values() if v is not None), shares)
                text = subprocess.run([shipped.HEDDLE, "report", self.db, "--kernel", launch["trace"]], check=True,
                                      capture_output=True, text=True).stdout
                self.assertIn(f"L2 hits               {launch['l2_hit']:.1f} % of ", text)
                self.assertEqual([p for p in re.findall(r"([\d.]+) %", text) if float(p) > 100], [])
        table = subprocess.run([shipped.HEDDLE, "report", self.db], check=True, capture_output=True, text=True).stdout
        rows = re.findall(r"(?m)^(\w+) +1  .*% *\)? +([\d.-]+) +([\d.-]+)  +[\d.]+ k?M?B ", table)
        self.assertEqual({r[0] for r in rows}, set(self.measured))
        self.assertEqual([r for r in rows for v in r[1:] if v != "-" and float(v) > 100], [])

    def test_memory(self):
        largest = shipped.rows(self.db, "SELECT max(max_rss_bytes) FROM host_timing")[0][0]
        self.assertLess(largest, MEMORY_BOUND)


if __name__ == "__main__":
    unittest.main()
