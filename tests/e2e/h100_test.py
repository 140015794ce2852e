"""The H100's configuration against what an H100 measured (traces/h100): some of the launches that are shipped."""
import csv
import os
import unittest

from tests.e2e import shipped

TABLES = os.path.join(shipped.ROOT, "traces", "h100")
# What bounds them is not the same: DRAM, L2, DSM and fences, shared memory, pipes, latency.
LAUNCHES = {
    "suite": ["vecadd", "stride32", "transpose_smem", "bank8", "ffma8", "dgemm", "chase_l1", "softmax"],
    "second": ["ring", "fill", "radix", "cpasync", "gemv", "philox"],
    "library": ["gelu", "layer_norm", "mm_skinny", "gather", "embedding", "sum"],
    "jax/suite": ["jax_softmax", "jax_layer_norm", "jax_gelu", "jax_gather"],
}
TRACES = {"suite": shipped.TRACES, "second": os.path.join(shipped.TRACES, "second"), "library": os.path.join(shipped.TRACES, "library"), "jax/suite": os.path.join(TABLES, "jax")}


class H100(shipped.HeddleTest):
    def errors(self, table):
        with open(os.path.join(TABLES, table + ".csv"), newline="", encoding="utf-8") as f:
            rows = [r for r in csv.DictReader(f) if r["name"] in LAUNCHES[table]]
        self.assertEqual(len(rows), len(LAUNCHES[table]))
        name = os.path.basename(os.path.dirname(table)) or table
        reference = self.path(name + ".csv")
        with open(reference, "w", newline="", encoding="utf-8") as f:
            w = csv.DictWriter(f, rows[0])
            w.writeheader()
            w.writerows(rows)
        out = self.path(name + "-out.csv")
        self.ok("validate", "--reference", reference, "--traces", TRACES[table], "--gpu", "h100", "--csv", out)
        with open(out, newline="", encoding="utf-8") as f:
            return {r["name"]: float(r["relative_error"]) for r in csv.DictReader(f) if r["metric"] == "cycles"}

    def test_cycles(self):
        found = {name: e for table in LAUNCHES for name, e in self.errors(table).items()}
        self.assertEqual(len(found), 24)
        for name, e in found.items():
            self.assertLess(abs(e), 0.25, name)
        self.assertLess(sum(map(abs, found.values())) / len(found), 0.08, found)


if __name__ == "__main__":
    unittest.main()
