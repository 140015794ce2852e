"""The sections of traces/h200/VALIDATION.md, as lists of lines."""
import statistics

from analysis.page.results import EXACT

# Metrics that are compared in points: label, metric, and the difference that is aimed at.
POINTS = [
    ("L1 hit rate", "l1tex__t_sector_hit_rate.pct", None),
    ("L2 hit rate", "lts__t_sector_hit_rate.pct", None),
    ("achieved occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", 4),
    ("issue slots used", "smsp__issue_active.avg.pct_of_peak_sustained_active", 5),
]
# Metrics that are compared relative to the measured value.
AMOUNTS = [
    ("L2 sectors", "lts__t_sectors.sum"),
    ("of reads", "lts__t_sectors_op_read.sum"),
    ("of writes", "lts__t_sectors_op_write.sum"),
    ("of reductions", "lts__t_sectors_op_red.sum"),
    ("of atomics", "lts__t_sectors_op_atom.sum"),
    ("from the L1", "lts__t_sectors_srcunit_tex.sum"),
    ("from the other partition", "lts__t_sectors_srcunit_ltcfabric.sum"),
    ("DRAM bytes read", "dram__bytes_read.sum"),
    ("DRAM bytes written", "dram__bytes_write.sum"),
]
SUMMARY = ["kernels", "mean", "median", "90th percentile", "largest", "within 10 %", "within 20 %"]
SPLIT_LIMIT, STALL_LIMIT = 3, 80  # points; per cent


def percentile(values, q):
    values = sorted(values)
    at = (len(values) - 1) * q
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def summary(errors):
    """Cells of a markdown row: count, mean, median, 90th percentile, largest, within 10 and 20 %."""
    a = [abs(e) for e in errors]
    share = [f"{sum(x <= limit for x in a)}" for limit in (0.1, 0.2)]
    figures = [statistics.mean(a), statistics.median(a), percentile(a, 0.9), max(a)]
    return " | ".join([str(len(a)), *(f"{100 * x:.1f} %" for x in figures), *share])


def markdown(header, rows):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header),
            *("| " + " | ".join(row) + " |" for row in rows)]


def cycles(r, measured):
    return ["## Cycles", "", *cycles_table(r, measured)]


def cycles_table(r, measured):
    rows = []
    for n, row in measured.items():
        low, high = float(row["cycles_min"]), float(row["cycles_max"])
        rows.append([n, f"{float(row['cycles_median']):,.0f}", f"{low:,.0f}..{high:,.0f}", f"{r.cycles[n]:,}",
                     f"{100 * r.error(measured, n):+.1f} %", f"{float(row['sm_active_cycles_max_median']):,.0f}",
                     f"{r.active[n]:,}", f"{100 * r.active_error(measured, n):+.1f} %"])
    return markdown(["kernel", "measured", "min..max", "simulated", "error", "SM-active: measured", "simulated", "error"], rows)


def agreement(r, measured):
    """How many kernels have exactly the measured counts."""
    rows = []
    for label, metric in EXACT.items():
        compared, different = r.differences(measured, metric)
        rows.append([label, str(compared), str(compared - len(different))])
    return markdown(["counts that must be exact", "kernels compared", "equal to silicon"], rows)


def counts(r, measured):
    return ["## Counts that differ", "", *counts_table(r, measured)]


def counts_table(r, measured):
    rows = [[label, n, f"{float(measured[n][metric]):,.10g}", f"{r.counters[n][metric]:,.10g}"]
            for label, metric in EXACT.items() for n in r.differences(measured, metric)[1]]
    return markdown(["count", "kernel", "measured", "simulated"], rows)


def second(r, measured):
    """`r`, `measured`: of traces/h200/second."""
    errors = [r.error(measured, n) for n in measured]
    active = [r.active_error(measured, n) for n in measured]
    lines = ["## The second suite", "",
             f"{len(measured)} kernels of other kinds, captured after the first calibration; no value was chosen by them, but "
             "some of their errors led to mechanisms",
             "([what it is](second/README.md)).", ""]
    lines += markdown(["error of", *SUMMARY], [["the cycles", *summary(errors).split(" | ")],
                                               ["the SM-active cycles", *summary(active).split(" | ")]])
    lines += ["", *cycles_table(r, measured), "", *agreement(r, measured)]
    differ = counts_table(r, measured)
    return lines + (["", "The counts that differ:", "", *differ] if len(differ) > 2 else [])


def rates(r, measured):
    lines = ["## Rates and amounts", "", "Mean, median and largest absolute difference in points.", ""]
    rows = []
    for label, metric, limit in POINTS:
        d = [(abs(s - m), n) for n, m, s in r.pairs(measured, metric)]
        if d:
            sizes = [x for x, _ in d]
            rows.append([label, str(len(d)), f"{statistics.mean(sizes):.1f}", f"{statistics.median(sizes):.1f}",
                         f"{max(d)[0]:.1f} ({max(d)[1]})",
                         f"{sum(x <= limit for x in sizes)} within {limit}" if limit else ""])
    lines += markdown(["metric", "kernels", "mean", "median", "largest", ""], rows)
    lines += ["", "Relative to the measured value, over the kernels where it is not 0; the total is the sum over these.", ""]
    rows = []
    for label, metric in AMOUNTS:
        pairs = [p for p in r.pairs(measured, metric) if p[1] > 0]
        if pairs:
            e = [abs(s / m - 1) for _, m, s in pairs]
            total = sum(p[2] for p in pairs) / sum(p[1] for p in pairs) - 1
            rows.append([label, f"`{metric}`", str(len(e)), f"{100 * statistics.mean(e):.1f} %",
                         f"{100 * statistics.median(e):.1f} %", f"{100 * total:+.1f} %"])
    return lines + markdown(["amount", "metric", "kernels", "mean", "median", "total"], rows)


def stalls(rows):
    """`rows`: those of `heddle validate --stalls --csv`."""
    shares = {}
    for row in rows:
        if row["metric"].startswith("stall_share.") and row["simulated"]:
            shares.setdefault(row["name"], {})[row["metric"].split(".")[1]] = float(row["measured"]), float(row["simulated"])
    largest = {n: tuple(max(s, key=lambda reason, i=i, s=s: s[reason][i]) for i in (0, 1)) for n, s in shares.items()}
    differ = [n for n, (m, s) in largest.items() if m != s]
    share = 100 * (1 - len(differ) / len(largest))
    lines = ["## Stall reasons", "",
             f"The largest reason is the measured one for {len(largest) - len(differ)} of {len(largest)} kernels, "
             f"{share:.0f} % (aim: {STALL_LIMIT} %). The others, with the reason's share of the warps' time:", ""]
    lines += markdown(["kernel", "measured", "", "simulated", ""],
                      [[n, m, f"{shares[n][m][0]:.1f} %", s, f"{shares[n][s][1]:.1f} %"]
                       for n, (m, s) in largest.items() if m != s])
    lines += ["", "Shares of the warps' time by reason, means over the kernels in per cent, and the mean absolute difference in points:", ""]
    reasons = sorted({reason for s in shares.values() for reason in s})
    rows = []
    for reason in reasons:
        pairs = [s[reason] for s in shares.values() if reason in s]
        rows.append([reason, *(f"{statistics.mean(p[i] for p in pairs):.2f}" for i in (0, 1)),
                     f"{statistics.mean(abs(a - b) for a, b in pairs):.2f}"])
    return lines + markdown(["reason", "measured", "simulated", "difference"], rows)


def split(r, measured, refit):
    """`refit`: what tools/split-check wrote, or nothing."""
    names = list(measured)
    halves = {"kernels 1, 3, 5, ...": names[::2], "kernels 2, 4, 6, ...": names[1::2]}
    rows, means = [], []
    for label, half in halves.items():
        active = [abs(r.active_error(measured, n)) for n in half]
        errors = [r.error(measured, n) for n in half]
        means.append(statistics.mean(abs(e) for e in errors))
        rows.append([label, *summary(errors).split(" | "), f"{100 * statistics.mean(active):.1f} %"])
    apart = 100 * abs(means[0] - means[1])
    lines = ["## Two halves", "",
             f"The means of the two halves differ by {apart:.1f} points ({'within' if apart <= SPLIT_LIMIT else 'more than'} "
             f"the {SPLIT_LIMIT} that are allowed).", ""]
    lines += markdown(["error of the cycles", *SUMMARY, "SM-active mean"], rows)
    if refit:
        changed = [f"`{p}` {a:g} -> {b:g}" for p, (a, b) in refit["values"].items() if a != b]
        lines += ["", f"`tools/split-check` chose {len(refit['values'])} of the values of the kinds {refit['kinds']} again, "
                  "by the first half alone" +
                  (f" (without its slow kernels among {', '.join(refit['skipped'])})" if refit.get("skipped") else "") +
                  (": " + ", ".join(changed) if changed else "; it kept all of them") +
                  f". Configuration {refit['config']}.", ""]
        lines += markdown(["values", "mean of the half that chose", "of the other half"], [
            [name, *(f"{100 * refit['errors'][name][h]['mean']:.2f} %" for h in ("odd", "even"))]
            for name in ("shipped", "refitted")])
    return lines


def ablation(rows):
    """`rows`: those of `heddle validate --ablate --csv`."""
    rows = list(rows)
    if not rows:
        return []
    lines = ["## Without a mechanism", "",
             f"The suite of configuration {rows[0]['config']} with one mechanism at a time switched off or in its simple form "
             "(`configs/ablations.textproto`;",
             "`heddle validate --ablate`). Points: mean error less the default's. Worse and better: kernels whose error "
             "differs from the default's",
             "by more than a point. Speed: warp instructions per second of processor time, relative to the default.", ""]
    body = []
    for x in rows:
        first = x is rows[0]
        body.append([x["ablation"], x["instead"], *(f"{100 * float(x[k]):.1f} %" for k in
                                                   ("mean", "median", "p90", "largest", "sm_active_mean")),
                     "" if first else f"{100 * float(x['difference']):+.2f}", "" if first else x["worse"],
                     "" if first else x["better"],
                     "" if first or not x["most_changed"] else
                     f"{x['most_changed']} {100 * float(x['most_changed_by']):+.1f} %",
                     f"{int(x['warp_instructions']) / float(x['cpu_seconds']) / 1e6:.1f} M", f"{float(x['rate_ratio']):.2f}"])
    return lines + markdown(["without", "instead", "mean", "median", "P90", "largest", "SM-active", "points", "worse",
                             "better", "most changed", "warp-inst/s", "speed"], body)


def provenance(flat):
    """`flat`: `heddle config show h200 --flat`."""
    kinds, assumed = {}, []
    for line in flat.splitlines():
        value, _, comment = line.partition("#")
        for kind in ("DOCUMENTED", "MEASURED", "DERIVED", "PUBLISHED", "FITTED", "MODEL", "ASSUMED"):
            before, found, source = comment.partition(kind + ", ")
            if found and (not before.strip() or before.rstrip().endswith(";")):
                kinds[kind] = kinds.get(kind, 0) + 1
                if kind in ("FITTED", "ASSUMED"):
                    assumed.append([f"`{value.strip()}`", kind.lower(), source])
                break
    total = sum(kinds.values())
    return ["## What the values rest on", "",
            f"Of the {total} values of the H200: " + ", ".join(f"{n} {k.lower()}" for k, n in kinds.items()) +
            " ([configs](../../configs/README.md) says what these mean). Fitted and assumed are:", "",
            *markdown(["value", "kind", "why"], sorted(assumed, key=lambda a: (a[1], a[0])))]
