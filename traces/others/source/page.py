"""Writes traces/others/OTHERS.md. For tools/others-check."""
import collections
import re
import statistics

import program

INTRO = """# PyTorch's operators on seven other GPUs, against silicon

`tools/others-check` writes this page. Nobody here has had these GPUs: their configurations rest on what others published (`heddle config
show NAME` says where each value is from), and the times compared are the public data set of NeuSight (ASPLOS 2025; github
sitar-lab/NeuSight, scripts/asplos/data/dataset, MIT licence): PyTorch 2.1.0, fp32, `add` of two tensors and `softmax` of rows.
Each operator is [written anew](source/ops.cu) with ATen's algorithm, grid and block, compiled by nvcc 13.0, and executed from its machine
code while it is simulated (`heddle run FILE.cubin`).

Which rows are seen and which only scored was [drawn](split.py) before anything was simulated. No value of a configuration was fitted
to any row; the seen half was looked at for which mechanisms matter.

## Errors of the times

{errors}

{all_rows}

{estimates}

By kernel, both halves:

{operators}

## What was replayed, and what the configurations rest on

{machines}

Values of a configuration by their provenance, as `heddle config check` counts them. P100, P4 and V100 run code of 7.5: nvcc 13.0 makes none for them,
so instruction counts and registers are of another compiler and instruction set there. On P100 and P4 registers are tracked instead of the code's stall counts, and
two instructions issue together where code that was not ordered for it lets them; the P4's L1s keep only what that code loads as read-only.

## Times

- **Of the measurements.** They are not a profiler's durations of kernels, although the set is described so: over the seen rows of `add` the time is a line in
  the number of bytes with 12 to 23 us at no bytes, on GPUs of very different speed (2 us on the L4, which has large tensors only). Timing single PyTorch operators
  with CUDA events does just that: on an H200 (PyTorch 2.11, 2026-11-24; `add`, `mul`, `softmax` and `relu` of 8.7 and 33.6 million elements) the mean of the five shortest of
  180 event times is 13.1 to 16.1 us above the profiler's duration of the kernel, mostly about 14, and their median 15 to 20 us. So {events} us are added to every
  simulated time. That was measured on another GPU and host, but only after the seen rows had shown that something is missing. Errors without it stand beside.
- **Of the kernel.** Simulated cycles less `launch.start_cycles` and `launch.end_cycles`, which are what Nsight Compute's `gpc__cycles_elapsed` has besides the
  blocks' own time, at `clocks.core_mhz`. Silicon's clocks were left free; ours are one stated figure for each GPU.
- **Warm.** The data set's launches follow each other, so the L2 is full of what the one before left. A grid's rate is taken where the L2 has been filled and
  what is written leaves it. Nothing that the launch before left is found again, which is wrong where a whole operator fits into the L2 (the smallest
  rows of the A100s).
- **Cut grids.** The tensors have up to 39 GB. A grid is simulated until it has moved twice what the L2 holds (once where both halves of the L2 keep the same lines), and
  for three waves of blocks more; the starts of the blocks of the last two give the rate, and that the time of all blocks. All sizes of `add` are on one
  line, each number of columns of `softmax` has its own. {coverage}

## What the seen half says is missing

- **Rows that are no whole sectors.** `softmax_warp_forward` of rows of n x 32 bytes moves (mean of the rows, less 15 us) 722 GB/s on V100, of other rows 604; T4 209 and 189, P4
  139 and 133, P100 480 and 386. Loads are as many, but stores fill sectors in part. On an H200 these kernels are within 9 % and such rows cost DRAM almost nothing
  (tools/microbench/FINDINGS.md 62): what it is on P100 and V100, whose times are too short, is not known.
- **Kernels that wait** (`cunn_SoftMaxForward`): code of another compiler has other registers and so other numbers of blocks on an SM, and whether rows stay in the
  L1 and L2 between the three passes depends on that.

## Not here

GPUs' clocks falling under load; the true host overhead of each machine (12 to 23 us by the
seen rows of `add`). Pointer chases and streams of shared/reference/other-gpus.md: [CURVES.md](CURVES.md).
"""


def percentile(values, p):
    return sorted(values)[min(len(values) - 1, int(p * len(values)))]


def figures(rows, key="error_percent"):
    errors = [r[key] for r in rows]
    sizes = [abs(e) for e in errors]
    return statistics.mean(sizes), statistics.mean(errors), statistics.median(sizes), percentile(sizes, 0.9), max(sizes)


def line(title, half, rows):
    if not rows:
        return f"| {title} | {half} | 0 | | | | | | |"
    mean, bias, median, p90, worst = figures(rows)
    without = figures(rows, "error_kernel_percent")[0]
    return (f"| {title} | {half} | {len(rows)} | {mean:.1f} % | {bias:+.1f} % | {median:.1f} % | {p90:.1f} % | {worst:.1f} % | {without:.1f} % |")


HEAD = ("| GPU | half | rows | mean | bias | median | 90th percentile | worst | mean without the {} us |\n"
        "|---|---|--:|--:|--:|--:|--:|--:|--:|")


def errors_table(machines, compared, events):
    out = [HEAD.format(events)]
    groups = [(m.name, [r for r in compared if r["gpu"] == g]) for g, m in machines.items()] + [("**all**", compared)]
    for name, rows in groups:
        for half in ("seen", "scored"):
            out.append(line(name, "only scored" if half == "scored" else half, [r for r in rows if r["half"] == half]))
    return "\n".join(out)


def operators_table(machines, compared, events):
    out = [HEAD.format(events).replace("half", "kernel")]
    for g, m in machines.items():
        kernels = sorted({(r["op"], r["kernel"]) for r in compared if r["gpu"] == g})
        for op, kernel in kernels:
            out.append(line(m.name, kernel, [r for r in compared if (r["gpu"], r["op"], r["kernel"]) == (g, op, kernel)]))
    return "\n".join(out)


def estimates_table(machines, rows, compared):
    """Means over all rows, those of each kernel with the mean of the ones compared."""
    out = ["| GPU | rows | of them compared | mean |", "|---|--:|--:|--:|"]
    totals = [0.0, 0, 0]
    for g, m in machines.items():
        total = known = number = 0
        for kernel in sorted({r["kernel"] for r in rows if r["gpu"] == g}):
            n = sum(r["gpu"] == g and r["kernel"] == kernel for r in rows)
            errors = [abs(r["error_percent"]) for r in compared if r["gpu"] == g and r["kernel"] == kernel]
            if errors:
                total += n * statistics.mean(errors)
                known += n
            number += len(errors)
        if known:
            out.append(f"| {m.name} | {known} | {number} | {total / known:.1f} % |")
            totals = [totals[0] + total, totals[1] + known, totals[2] + number]
    out.append(f"| **all** | {totals[1]:,} | {totals[2]:,} | {totals[0] / max(1, totals[1]):.1f} % |")
    return "\n".join(out)


def provenance(machine):
    """Values by kind, from `heddle config show`."""
    text = program.heddle("config", "show", machine.name, "--flat")
    kinds = collections.Counter(m[1] for m in re.finditer(r"#.*?\b([A-Z]+), ", text))
    return ", ".join(f"{n} {k.lower()}" for k, n in kinds.most_common())


def machines_table(machines):
    out = ["| GPU | configuration | code | core, L2, memory clock in MHz | `dram.efficiency` | values of the configuration |",
           "|---|---|---|---|--:|---|"]
    for g, m in machines.items():
        v = m.values
        clocks = ", ".join(f"{float(v['clocks.' + c]):g}" for c in ("core_mhz", "l2_mhz", "dram_mhz"))
        out.append(f"| {g} | `{m.name}` | sm_{m.code} | {clocks} | {v['dram.efficiency']} | {provenance(m)} |")
    return "\n".join(out)


def write(machines, rows, compared, seconds, events):
    missing = len(rows) - len(compared)
    all_rows = ("Over all rows, both halves together:" if not missing else
                "Each number of columns of `softmax` costs a simulation, so not all rows are compared. If each kernel's mean below stands for all "
                "of\nthat kernel's rows, the mean over all rows, both halves together, would be:")
    coverage = (f"All {len(rows):,} rows are compared." if not missing else
                f"Compared are {len(compared):,} of {len(rows):,} rows: those whose shapes were drawn, with a fixed seed, within\n  the host's time (`--shapes 4`, once for all GPUs and once for P4, T4, P100 and V100). Some long ones had not finished.")
    return INTRO.format(errors=errors_table(machines, compared, events), operators=operators_table(machines, compared, events),
                        all_rows=all_rows, estimates=estimates_table(machines, rows, compared),
                        machines=machines_table(machines), events=events, coverage=coverage)
