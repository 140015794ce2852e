#!/usr/bin/env python3
"""What Nsight Compute counts for the kernels of counts.cu: runs them under ncu and writes one CSV row per launch.

usage: counts.py --bin FILE --out counts.csv [sections of counts.cu...]
Columns: name, table (global:shared byte offset per lane, where there is one), then the metrics. `sh`, `wf` and `t` stand for l1tex__data_pipe_lsu_wavefronts_mem_shared, l1tex__data_pipe_lsu_wavefronts and l1tex__t.
"""
import argparse, csv, io, subprocess, sys

PIPES = "alu fma fmaheavy fmalite fp16 fp64 xu lsu adu cbu uniform tensor tex".split()
SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
GLOBAL = "pipe_lsu_mem_global_op_"
METRICS = {"inst": "smsp__inst_executed.sum", "cycles": "sm__cycles_active.max"}
METRICS.update({p: f"sm__inst_executed_pipe_{p}.sum" for p in PIPES})
METRICS.update({"wf": "l1tex__data_pipe_lsu_wavefronts.sum", "sh": SHARED + ".sum", "sh_ld": SHARED + "_op_ld.sum", "sh_st": SHARED + "_op_st.sum"})
METRICS.update({"c_" + o: f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{o}.sum" for o in ("ld", "st")})
METRICS.update({f"{k[0]}_{o}": f"l1tex__t_{k}_{GLOBAL}{o}.sum" for k in ("requests", "sectors") for o in ("ld", "st", "red", "atom")})
METRICS.update({"t": "l1tex__t_sectors.sum", "bank_reads": "l1tex__data_bank_reads.sum", "bank_writes": "l1tex__data_bank_writes.sum", "l2_red": "lts__t_sectors_op_red.sum", "l2_atom": "lts__t_sectors_op_atom.sum", "l2_read": "lts__t_sectors_op_read.sum"})
METRICS.update({"arb": "l1tex__data_bank_conflicts_type_arbitration.sum", "c_all": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "c_misc": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_misc.sum", "sh_misc": SHARED + "_op_misc.sum", "sh_atom": SHARED + "_op_atom.sum", "sh_gmma": SHARED + "_op_gmma.sum", "wf_read": "l1tex__data_pipe_lsu_wavefronts_cmd_read.sum", "wf_write": "l1tex__data_pipe_lsu_wavefronts_cmd_write.sum"})


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True)
    ap.add_argument("--out", required=True)
    ap.add_argument("sections", nargs="*")
    a = ap.parse_args()
    cmd = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--cache-control", "none", "--clock-control", "none", "--metrics", ",".join(METRICS.values()), a.bin] + a.sections
    p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    launches = [l.split(",", 3)[2:] for l in p.stdout.splitlines() if l.startswith("LAUNCH,")]
    rows = [r for r in csv.DictReader(io.StringIO("\n".join(l for l in p.stdout.splitlines() if l.startswith('"')))) if r["ID"]]
    if len(launches) != len(rows) or not rows:
        sys.exit(f"{len(launches)} launches, {len(rows)} profiles:\n{p.stdout[-3000:]}")
    with open(a.out, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["name", "table"] + list(METRICS))
        for (name, table), r in zip(launches, rows):
            w.writerow([name, table.strip()] + [(r.get(m) or "").replace(",", "") for m in METRICS.values()])
    print(len(rows), "rows")


if __name__ == "__main__":
    main()
