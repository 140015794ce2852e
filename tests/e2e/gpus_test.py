"""Every shipped GPU simulates kernels of the H200 without an error, and none of them is faster than its own peaks."""
import os
import unittest

from tests.e2e import shipped

ALL = os.path.join(os.getcwd(), "configs", "sweeps", "all_gpus.textproto")
OTHERS = ["ffma8", "stride32", "scan_block"]  # arithmetic, a sector for each lane, barriers and shared memory
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

    def test_a_streaming_kernel_on_every_gpu(self):
        self.ok("sweep", ALL, "--out", "all.sweep")
        found = self.launches("all.sweep")
        self.assertEqual({gpu for gpu, _ in found}, set(self.gpus()), "configs/sweeps/all_gpus.textproto names them all")
        seconds = {}
        for (gpu, _), (cycles, mhz, instructions, counters) in found.items():
            with self.subTest(gpu):
                machine = self.machine(gpu)
                peak = (float(machine["clocks.dram_mhz"]) * 1e6 * int(machine["dram.channels"]) *
                        float(machine["dram.bytes_per_cycle"]))
                self.assertEqual(instructions, 655360)
                read, written = counters["dram__bytes_read.sum"], counters["dram__bytes_write.sum"]
                self.assertGreaterEqual(read, 8 * VECADD_ELEMENTS)
                # A little is fetched for the launch; what is left in L2 at the end is not written.
                self.assertLess(read, 8.5 * VECADD_ELEMENTS)
                self.assertLess(written, 4.5 * VECADD_ELEMENTS)
                seconds[gpu] = cycles / (mhz * 1e6)
                self.assertLess(read + written, peak * seconds[gpu])
                # Neither is it far below: launch and ramp take about 4 us, and no GPU needs three times as long.
                self.assertLess(seconds[gpu], 10e-6 + 3 * 12 * VECADD_ELEMENTS / peak)
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
                # Eight chains of multiply-adds: no more in a cycle than there are lanes.
                lanes = {60: 2, 70: 2, 72: 2, 75: 2, 80: 2}.get(int(machine["limits.compute_capability"]), 4)
                cycles, _, instructions, _ = found[gpu, "ffma8"]
                self.assertLessEqual(instructions, 1.5 * sms * lanes * cycles)


if __name__ == "__main__":
    unittest.main()
