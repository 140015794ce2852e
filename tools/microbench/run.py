#!/usr/bin/env python3
"""Builds and runs every micro-benchmark; writes <out>/<name>.csv, <name>.meta.json, log and (if cuobjdump is there) the SASS.

usage: run.py [--out DIR] [--name h200] [--arch 90a] [--only alu,smem] [--build-only] [--no-build] [--no-ncu] [--bin DIR]
"""
import argparse, concurrent.futures, csv, datetime, gzip, json, os, shutil, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
# program, arguments; in the order they are run
PROGRAMS = [("alu", []), ("smem", []), ("gmem", []), ("sync", []), ("mma", []), ("l2", []), ("bw", ["D"]), ("bw", ["E"]), ("icache", []), ("consts", []), ("cluster", []), ("dsm", []), ("async", []), ("place", []), ("launch", []), ("extra", []), ("sched", []), ("mem2", []), ("posted", [])]
HEADER = ["id", "parameter", "value", "unit", "conditions", "kernel", "repeats", "spread"]
LAUNCH_METRICS = "gpc__cycles_elapsed.max,sm__cycles_active.max,sm__cycles_active.avg,sm__cycles_elapsed.max,gpu__time_duration.sum"


def sh(cmd, timeout=120, env=None):
    try:
        p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, text=True, env=env)
        return p.returncode, p.stdout
    except subprocess.TimeoutExpired as e:
        out = e.stdout or b""
        return 124, out.decode(errors="replace") if isinstance(out, bytes) else out
    except OSError as e:
        return 127, str(e)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", default=os.path.join(HERE, "results"))
    ap.add_argument("--name", default="h200")
    ap.add_argument("--arch", default="90a")
    ap.add_argument("--bin", default=os.path.join(HERE, "build"))
    ap.add_argument("--only", default="")
    ap.add_argument("--build-only", action="store_true")
    ap.add_argument("--no-build", action="store_true")
    ap.add_argument("--no-ncu", action="store_true")
    ap.add_argument("--no-sass", action="store_true")
    a = ap.parse_args()
    os.makedirs(a.out, exist_ok=True)
    os.makedirs(a.bin, exist_ok=True)
    only = [x for x in a.only.split(",") if x]
    progs = [p for p in PROGRAMS if (not only or p[0] in only) and os.path.exists(os.path.join(HERE, p[0] + ".cu"))]
    names = list(dict.fromkeys(p[0] for p in progs))
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

    def build(n):
        return n, sh([nvcc, "-O3", "-std=c++17", f"-gencode=arch=compute_{a.arch},code=sm_{a.arch}", "-o", os.path.join(a.bin, n), os.path.join(HERE, n + ".cu")], 600)

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
    if not a.no_ncu and shutil.which("ncu") and "launch" in names:
        for mode in ("all", "none"):
            rc, out = sh(["ncu", "--csv", "--cache-control", mode, "--clock-control", "none", "--metrics", LAUNCH_METRICS, os.path.join(a.bin, "launch"), "ncu"], 150)
            log.write(f"## ncu {mode} rc={rc}\n{out}\n")
            lines = [l for l in out.splitlines() if l.startswith('"')]
            for r in csv.DictReader(lines):
                rows.append(["G", r.get("Metric Name", ""), r.get("Metric Value", "").replace(",", ""), r.get("Metric Unit", ""), f"{r.get('Kernel Name', '')} grid {r.get('Grid Size', '')} block {r.get('Block Size', '')} cache-control {mode}".replace(",", " "), "ncu", "1", "0"])
        with open(os.path.join(a.out, a.name + ".csv"), "w", newline="") as f:
            w = csv.writer(f, lineterminator="\n")
            w.writerow(HEADER)
            w.writerows(rows)
    if not a.no_ncu and shutil.which("ncu") and "icache" in names:
        rc, out = sh(["ncu", "--cache-control", "all", "--clock-control", "none", "--metrics", "gpc__cycles_elapsed.max", os.path.join(a.bin, "icache"), "cold"], 150)
        log.write(f"## ncu icache cold rc={rc}\n{out}\n")
        rows += [x for x in csv.reader([l[4:] for l in out.splitlines() if l.startswith("CSV,")])]
    if os.path.exists(os.path.join(a.bin, "tmpl.cubin")) and (not only or "sass" in only):
        t = time.time()
        rc, out = 0, ""
        for script in ("exp.py", "ops.py"):
            r, o = sh([sys.executable, os.path.join(HERE, "sass", script), os.path.join(a.bin, "tmpl.cubin")], 200, dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
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


if __name__ == "__main__":
    main()
