"""Every shipped GPU simulates kernels of the H200 without an error, and none of them is faster than its own peaks."""
import csv
import os
import unittest

from tests.e2e import shipped

ALL = os.path.join(os.getcwd(), "configs", "sweeps", "all_gpus.textproto")
OTHERS = ["stride32", "scan_block"]  # a sector for each lane; barriers and shared memory
VECADD_ELEMENTS = 4096 * 256  # two loads and a store of 4 bytes each


class Gpus(shipped.HeddleTest):
    def gpus(self):
        # The first word of each line that describes one: "h200  NVIDIA H200 ...".
        return [line.split()[0] for line in self.ok("config", "list").stdout.splitlines() if "NVIDIA" in line]

    def machine(self, gpu):
        lines = self.ok("config", "show", gpu, "--flat").stdout.splitlines()
        return dict(line.split("#")[0].strip().split("=", 1) for line in lines if "=" in line)

    def launches(self, folder):
        """By GPU and trace: cycles, core MHz, warp instructions and the counters."""
        out = {}
        for gpu, trace, launch, cycles, mhz, instructions in self.query(
                f"{folder}/results.db", "SELECT gpu, trace, launches.id, cycles, core_mhz, warp_instructions "
                "FROM launches JOIN runs ON run_id = runs.id"):
            counters = dict(self.query(f"{folder}/results.db",
                                       f"SELECT name, value FROM counters WHERE launch_id = {launch}"))
            out[gpu, trace] = (cycles, mhz, instructions, counters)
        return out

    def check_bandwidth(self, machine, seconds, counters):
        """DRAM moves no more than its peak; and kernels that do nothing else, not much less, beside launch and ramp. 0.73 is
        the lowest of the published efficiencies (P4)."""
        peak = (float(machine["clocks.dram_mhz"]) * 1e6 * int(machine["dram.channels"]) *
                float(machine["dram.bytes_per_cycle"]))
        moved = counters["dram__bytes_read.sum"] + counters["dram__bytes_write.sum"]
        self.assertLess(moved, peak * seconds)
        self.assertLess(seconds, 5e-6 + 1.7 * moved / peak)

    def check_table(self, gpus):
        out = self.ok("sweep", "table", "all.sweep", "--sort", "time", "--svg", "gpus.svg", "--csv", "gpus.csv").stdout
        with open(self.path("gpus.csv"), newline="", encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual({r["gpu"] for r in rows}, gpus)
        seconds = [float(r["seconds"]) for r in rows]
        self.assertEqual(seconds, sorted(seconds))
        self.assertEqual([line.split()[2] for line in out.splitlines()[2:]], [r["gpu"] for r in rows])
        bound = {r["gpu"]: r["bound"] for r in rows}
        self.assertRegex(bound["tx1"], r"^DRAM \d+ %$")
        with open(self.path("gpus.svg"), encoding="utf-8") as f:
            self.assertEqual(f.read().count("<title>"), len(rows))

    def test_a_streaming_kernel_on_every_gpu(self):
        self.ok("sweep", ALL, "--out", "all.sweep")
        self.check_table(set(self.gpus()))
        found = self.launches("all.sweep")
        self.assertEqual({gpu for gpu, _ in found}, set(self.gpus()), "configs/sweeps/all_gpus.textproto names them all")
        seconds = {}
        for (gpu, _), (cycles, mhz, instructions, counters) in found.items():
            with self.subTest(gpu):
                machine = self.machine(gpu)
                self.assertEqual(instructions, 655360)
                read, written = counters["dram__bytes_read.sum"], counters["dram__bytes_write.sum"]
                self.assertGreaterEqual(read, 8 * VECADD_ELEMENTS)
                # A little is fetched for the launch; what is left in L2 at the end is not written.
                self.assertLess(read, 8.5 * VECADD_ELEMENTS)
                self.assertLess(written, 4.5 * VECADD_ELEMENTS)
                seconds[gpu] = cycles / (mhz * 1e6)
                self.check_bandwidth(machine, seconds[gpu], counters)
        for slow, fast in (("tx1", "tx2"), ("gtx750ti", "gtx980"), ("gtx980", "titanx"), ("titanx", "rtx2080ti"),
                           ("rtx3060", "rtx3090"), ("rtx4060", "rtx4090"), ("orin", "rtx3060"), ("gb10", "rtx5080")):
            with self.subTest(slow=slow, fast=fast):
                self.assertGreater(seconds[slow], seconds[fast])

    def test_other_kernels_on_every_gpu(self):
        self.write("others.textproto",
                   "".join(f'trace: "{os.path.join(shipped.TRACES, t)}"\n' for t in OTHERS) +
                   "".join(f'gpu: "{g}"\n' for g in self.gpus()) + "allow_capability_mismatch: true\n")
        self.ok("sweep", "others.textproto", "--out", "others.sweep")
        found = self.launches("others.sweep")
        self.assertEqual(len(found), len(OTHERS) * len(self.gpus()))
        for gpu in self.gpus():
            with self.subTest(gpu):
                machine = self.machine(gpu)
                sms, subcores = int(machine["topology.sms"]), int(machine["sm.subcores"])
                for trace in OTHERS:
                    cycles, _, instructions, counters = found[gpu, trace]
                    h200 = found["h200", trace]
                    self.assertEqual(instructions, h200[2])
                    self.assertLessEqual(instructions, sms * subcores * cycles)  # an issue slot each
                    for exact in ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"):
                        self.assertEqual(counters[exact], h200[3][exact])
                cycles, mhz, _, counters = found[gpu, "stride32"]
                self.check_bandwidth(machine, cycles / (mhz * 1e6), counters)

    def test_multiply_adds_are_no_more_than_the_lanes(self):
        """Eight chains of them for each warp. Lanes of FP32 of an SM: table B3 of the execution model."""
        gpus = {"gtx980": 128, "titanv": 64, "rtx2080ti": 64, "a30": 64, "orin": 128, "b200": 128, "gb10": 128}
        self.write("ffma.textproto", f'trace: "{os.path.join(shipped.TRACES, "ffma8")}"\n' +
                   "".join(f'gpu: "{g}"\n' for g in gpus) + "allow_capability_mismatch: true\n")
        self.ok("sweep", "ffma.textproto", "--out", "ffma.sweep")
        found = self.launches("ffma.sweep")
        for gpu, lanes in gpus.items():
            with self.subTest(gpu):
                cycles, _, _, counters = found[gpu, "ffma8"]
                most = int(self.machine(gpu)["topology.sms"]) * lanes / 32 * cycles
                self.assertLessEqual(counters["sm__inst_executed_pipe_fma.sum"], most)
                self.assertGreater(counters["sm__inst_executed_pipe_fma.sum"], 0.5 * most)


if __name__ == "__main__":
    unittest.main()
