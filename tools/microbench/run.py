#!/usr/bin/env python3
"""Builds and runs every micro-benchmark; writes <out>/<name>.csv, <name>.meta.json, log and (if cuobjdump is there) the SASS.

usage: run.py [--out DIR] [--name h200] [--arch 90a] [--only alu,smem] [--build-only] [--shared] [--no-build] [--no-ncu] [--bin DIR] [--config FILE]

--config FILE: fill_config.py afterwards, FILE is the GPU's configuration with what was measured. --arch: as nvcc says it; without
it, of the GPU that is there. --shared: with CUDA's runtime outside the programs, so that `heddle exec` can run them (tools/microbench-check).
"""
import argparse, concurrent.futures, csv, datetime, gzip, json, os, shutil, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
# program, arguments; in the order they are run
PROGRAMS = [("props", []), ("alu", []), ("smem", []), ("gmem", []), ("sync", []), ("mma", []), ("l2", []), ("bw", ["D"]), ("bw", ["E"]), ("icache", []), ("consts", []), ("cluster", []),
            ("dsm", []), ("async", []), ("place", []), ("launch", []), ("extra", []), ("sched", []), ("mem2", []), ("posted", []), ("partial", [])]
ONLY_NCU = ["stall"]
HEADER = ["id", "parameter", "value", "unit", "conditions", "kernel", "repeats", "spread"]
LAUNCH_METRICS = "gpc__cycles_elapsed.max,sm__cycles_active.max,sm__cycles_active.avg,sm__cycles_elapsed.max,gpu__time_duration.sum"
# Clocks, and sum / avg is the number of units.
UNIT_METRICS = ",".join(f"{unit}__cycles_elapsed.{x}" for unit in ("lts", "dram", "sm", "gpc") for x in ("avg.per_second", "avg", "sum"))
STALLS = "barrier branch_resolving dispatch_stall drain gmma imc_miss lg_throttle long_scoreboard math_pipe_throttle membar mio_throttle misc no_instruction not_selected selected short_scoreboard sleeping tex_throttle wait".split()


def sh(cmd, timeout=120, env=None):
    try:
        p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, text=True, env=env)
        return p.returncode, p.stdout
    except subprocess.TimeoutExpired as e:
        out = e.stdout or b""
        return 124, out.decode(errors="replace") if isinstance(out, bytes) else out
    except OSError as e:
        return 127, str(e)


def ncu(args, metrics, cache="none"):
    """(return code, output, one dict per kernel and metric)"""
    rc, out = sh(["ncu", "--csv", "--print-units", "base", "--cache-control", cache, "--clock-control", "none", "--metrics", metrics] + args, 150)
    return rc, out, list(csv.DictReader([l for l in out.splitlines() if l.startswith('"')]))


def number(text):
    return text.replace(",", "")


def stalls(binary, path):
    """Warps per issue by stall reason, a line per kernel of stall.cu."""
    ratio = "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio"
    rc, out, found = ncu([binary], ",".join(["sm__cycles_elapsed.max"] + [ratio % r for r in STALLS]))
    kernels = {}
    for r in found:
        k = kernels.setdefault(r["ID"], {"kernel": r["Kernel Name"].split("(")[0], "threads": r["Block Size"].strip("()").split(",")[0]})
        k[r["Metric Name"]] = number(r["Metric Value"])
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["kernel", "threads", "sm_cycles"] + STALLS)
        for k in kernels.values():
            w.writerow([k["kernel"], k["threads"], k.get("sm__cycles_elapsed.max", "")] + [k.get(ratio % r, "") for r in STALLS])
    return rc, out, len(kernels)


def own_arch():
    rc, out = sh(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "--id=0"])
    cap = out.strip().replace(".", "") if rc == 0 else ""
    return cap + "a" if cap == "90" else cap or "90a"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", default=os.path.join(HERE, "results"))
    ap.add_argument("--name", default="h200")
    ap.add_argument("--arch", default="")
    ap.add_argument("--bin", default=os.path.join(HERE, "build"))
    ap.add_argument("--only", default="")
    ap.add_argument("--build-only", action="store_true")
    ap.add_argument("--shared", action="store_true")
    ap.add_argument("--no-build", action="store_true")
    ap.add_argument("--no-ncu", action="store_true")
    ap.add_argument("--no-sass", action="store_true")
    ap.add_argument("--config", default="")
    a = ap.parse_args()
    a.arch = a.arch or own_arch()
    os.makedirs(a.out, exist_ok=True)
    os.makedirs(a.bin, exist_ok=True)
    only = [x for x in a.only.split(",") if x]
    progs = [p for p in PROGRAMS if (not only or p[0] in only) and os.path.exists(os.path.join(HERE, p[0] + ".cu"))]
    names = list(dict.fromkeys(p[0] for p in progs)) + [n for n in ONLY_NCU if not only or n in only]
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

    def build(n):
        return n, sh([nvcc, "-O3", "-std=c++17", f"-gencode=arch=compute_{a.arch},code=sm_{a.arch}", *(["-cudart", "shared"] if a.shared else []), "-o", os.path.join(a.bin, n), os.path.join(HERE, n + ".cu")], 600)

    if not a.no_build:
        sh([nvcc, "-O3", "-std=c++17", f"-gencode=arch=compute_{a.arch},code=sm_{a.arch}", "-cubin", "-o", os.path.join(a.bin, "tmpl.cubin"), os.path.join(HERE, "sass", "tmpl.cu")], 600)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as ex:
            for n, (rc, out) in ex.map(build, names):
                if rc:
                    print(f"build of {n} failed:\n{out}")
    if a.build_only:
        return
    q = "name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit,temperature.gpu"
    meta = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "query": q, "before": sh(["nvidia-smi", "--query-gpu=" + q, "--format=csv,noheader"])[1].strip(), "programs": {}}
    log = open(os.path.join(a.out, a.name + ".log"), "w")
    rows = []
    env = dict(os.environ)
    for n, args in progs:
        t = time.time()
        rc, out = sh([os.path.join(a.bin, n)] + args, 150, env)
        meta["programs"][n + " " + " ".join(args)] = {"rc": rc, "seconds": round(time.time() - t, 2)}
        got = [l[4:] for l in out.splitlines() if l.startswith("CSV,")]
        rows += [r for r in csv.reader(got)]
        rest = [l for l in out.splitlines() if not l.startswith("CSV,")]
        log.write(f"## {n} {args} rc={rc}\n" + "\n".join(rest) + "\n")
        print(f"{n} {args}: rc={rc} rows={len(got)} {time.time() - t:.1f}s", *rest[:3], flush=True)
        with open(os.path.join(a.out, a.name + ".csv"), "w", newline="") as f:
            w = csv.writer(f, lineterminator="\n")
            w.writerow(HEADER)
            w.writerows(rows)
    has_ncu = not a.no_ncu and shutil.which("ncu")
    if has_ncu and "launch" in names:
        for mode in ("all", "none"):
            rc, out, found = ncu([os.path.join(a.bin, "launch"), "ncu"], LAUNCH_METRICS, mode)
            log.write(f"## ncu {mode} rc={rc}\n{out}\n")
            for r in found:
                rows.append(["G", r["Metric Name"], number(r["Metric Value"]), r["Metric Unit"], f"{r['Kernel Name']} grid {r['Grid Size']} block {r['Block Size']} cache-control {mode}".replace(",", " "), "ncu", "1", "0"])
            print(f"ncu launch {mode}: rc={rc} rows={len(found)}", flush=True)
    if has_ncu and "props" in names:
        rc, out, found = ncu([os.path.join(a.bin, "props"), "ncu"], UNIT_METRICS)
        log.write(f"## ncu props rc={rc}\n{out}\n")
        rows += [["P", r["Metric Name"], number(r["Metric Value"]), r["Metric Unit"], "reads 1 GiB", "ncu", "1", "0"] for r in found if r["Kernel Name"].startswith("k_busy")]
        print(f"ncu props: rc={rc} rows={len(found)}", flush=True)
    if has_ncu and "icache" in names:
        rc, out = sh(["ncu", "--cache-control", "all", "--clock-control", "none", "--metrics", "gpc__cycles_elapsed.max", os.path.join(a.bin, "icache"), "cold"], 150)
        log.write(f"## ncu icache cold rc={rc}\n{out}\n")
        got = [x for x in csv.reader([l[4:] for l in out.splitlines() if l.startswith("CSV,")])]
        rows += got
        print(f"ncu icache cold: rc={rc} rows={len(got)}", flush=True)
    if has_ncu and "stall" in names:
        rc, out, n = stalls(os.path.join(a.bin, "stall"), os.path.join(a.out, a.name + "_stalls.csv"))
        log.write(f"## ncu stall rc={rc}\n{out}\n")
        print(f"ncu stall: rc={rc} kernels={n}", flush=True)
    if os.path.exists(os.path.join(a.bin, "tmpl.cubin")) and (not only or "sass" in only):
        t = time.time()
        rc, out = 0, ""
        for script in ("exp.py", "ops.py"):
            r, o = sh([sys.executable, os.path.join(HERE, "sass", script), os.path.join(a.bin, "tmpl.cubin")], 200, dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
            print(f"{script}: rc={r} rows={sum(l.startswith('CSV,') for l in o.splitlines())}", flush=True)
            rc, out = rc or r, out + o
        rows += [x for x in csv.reader([l[4:] for l in out.splitlines() if l.startswith("CSV,")])]
        rest = [l for l in out.splitlines() if not l.startswith("CSV,")]
        log.write(f"## sass rc={rc}\n" + "\n".join(rest) + "\n")
        print(f"sass: rc={rc} {time.time() - t:.1f}s", *rest[:12], flush=True, sep="\n")
    with open(os.path.join(a.out, a.name + ".csv"), "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(HEADER)
        w.writerows(rows)
    meta["after"] = sh(["nvidia-smi", "--query-gpu=" + q, "--format=csv,noheader"])[1].strip()
    json.dump(meta, open(os.path.join(a.out, a.name + ".meta.json"), "w"), indent=1)
    if not a.no_sass and shutil.which("cuobjdump"):
        with gzip.open(os.path.join(a.out, a.name + ".sass.gz"), "wt") as g:
            for n in names:
                if n in ("icache",):
                    continue
                rc, out = sh(["cuobjdump", "-sass", os.path.join(a.bin, n)], 120)
                g.write(f"#### {n}\n{out}\n")
    print("rows", len(rows))
    if a.config:
        sys.exit(subprocess.run([sys.executable, os.path.join(HERE, "fill_config.py"), os.path.join(a.out, a.name + ".csv"), "--name", a.name, "-o", a.config]).returncode)


if __name__ == "__main__":
    main()
