"""Records what generate.py's forms give on an H200.

usage: collect.py compile FOLDER         (of generate.py; needs nvcc and ptxas: modules, record and tables, refused.txt)
       collect.py record FOLDER OUT      (where the GPU is; OUT: results.bin.xz, faults.txt, tables/)

Forms that ptxas refuses are left out of their module, and named in refused.txt with its words; results of these, and of forms
that fault, are zeros.
"""
import concurrent.futures
import lzma
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def compile_module(folder, number):
    """Leaves out kernels until ptxas takes the rest; (form, message) of those."""
    path = f"{folder}/{number:02}.ptx"
    with open(path, encoding="ascii") as f:
        head, *kernels = f.read().split(".visible .entry ")
    refused = []
    while True:
        text = head
        starts = []
        for k in kernels:
            starts.append(text.count("\n") + 1)
            text += ".visible .entry " + k
        trial = path.replace(".ptx", ".trial.ptx")
        with open(trial, "w", encoding="ascii") as f:
            f.write(text)
        p = subprocess.run(["ptxas", "-arch=sm_90a", "-O1", "-w", trial, "-o", f"{folder}/{number:02}.cubin"], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
        if p.returncode == 0:
            return refused
        bad = {}
        for line, message in re.findall(r", line (\d+); error\s*: (.*)", p.stdout):
            at = max(i for i, s in enumerate(starts) if s <= int(line))
            bad.setdefault(at, message)
        if not bad:
            return refused + [(-1, f"module {number}: {p.stdout[:2000]}")]
        refused += [(int(re.match(r"f(\d+)", kernels[i])[1]), m) for i, m in bad.items()]
        kernels = [k for i, k in enumerate(kernels) if i not in bad]


def compile_all(folder):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tools = [pool.submit(subprocess.run, ["nvcc", "-O1", "-std=c++17", "-arch=sm_90a", f"{HERE}/{t}.cu", "-lcuda", "-o",
                                              f"{folder}/{t}"], check=True) for t in ("record", "tables")]
        refused = [r for rs in pool.map(lambda n: compile_module(folder, n), range(32)) for r in rs]
        for t in tools:
            t.result()
    with open(folder + "/refused.txt", "w", encoding="utf-8") as f:
        for number, message in sorted(refused):
            f.write(f"{number} {message}\n")
    print(len(refused), "forms refused")


def record(folder, out):
    os.makedirs(out + "/tables", exist_ok=True)
    with open(folder + "/manifest.txt", encoding="ascii") as f:
        last = f.read().splitlines()[-1].split()
    results = out + "/results.bin"
    with open(results, "wb") as f:
        f.truncate(int(last[6]) + int(last[7]))
    first, faults = 0, []
    while len(faults) < 40:
        p = subprocess.run([folder + "/record", folder, str(first), results], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True)
        failed = re.search(r"failed (\d+)", p.stdout)
        if not failed:
            print(p.stdout[-300:], flush=True)
            break
        faults.append(failed[1])
        first = int(failed[1]) + 1
    with open(out + "/faults.txt", "w", encoding="ascii") as f:
        f.write("\n".join(faults + [""]))
    with open(results, "rb") as f, lzma.open(results + ".xz", "wb", preset=2) as x:
        x.write(f.read())
    os.remove(results)
    print("faults", faults, "tables", subprocess.run([folder + "/tables", out + "/tables"]).returncode)


if __name__ == "__main__":
    if sys.argv[1] == "compile":
        compile_all(sys.argv[2])
    else:
        record(sys.argv[2], sys.argv[3])
