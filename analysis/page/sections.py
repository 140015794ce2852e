"""The sections of traces/h200/VALIDATION.md, as lists of lines."""
import statistics

from analysis.page.launches import ACTIVE, pairs
from analysis.page.measures import percentile
from analysis.page.quantities import EXACT

SUMMARY = ["kernels", "mean", "median", "90th percentile", "largest", "within 10 %", "within 20 %"]
SPLIT_LIMIT = 3  # points


def summary(errors):
    """Cells of a markdown row: count, mean, median, 90th percentile, largest, within 10 and 20 %."""
    a = [abs(e) for e in errors]
    share = [f"{sum(x <= limit for x in a)}" for limit in (0.1, 0.2)]
    figures = [statistics.mean(a), statistics.median(a), percentile(a, 0.9), max(a)]
    return " | ".join([str(len(a)), *(f"{100 * x:.1f} %" for x in figures), *share])


def markdown(header, rows):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header),
            *("| " + " | ".join(row) + " |" for row in rows)]


def different(quantity, group):
    """(launch, measured, simulated) whose value is not the measured one, to Nsight's two decimals."""
    return [p for p in pairs(quantity, group) if abs(p[2] - p[1]) >= 0.0051]


def agreement(group):
    """How many launches have exactly the measured counts."""
    return markdown(["counts that must be exact", "kernels compared", "equal to silicon"],
                    [[q.label, str(len(pairs(q, group))), str(len(pairs(q, group)) - len(different(q, group)))] for q in EXACT])


def differences(group):
    return markdown(["count", "kernel", "measured", "simulated"],
                    [[q.label, n, f"{m:,.10g}", f"{s:,.10g}"] for q in EXACT for n, m, s in different(q, group)])


def split(group, refit):
    """`refit`: what tools/split-check wrote, or nothing."""
    halves = {"kernels 1, 3, 5, ...": group[::2], "kernels 2, 4, 6, ...": group[1::2]}
    rows, means = [], []
    for label, half in halves.items():
        active = [abs(x.error(ACTIVE)) for x in half]
        errors = [x.error() for x in half]
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


def provenance(flat, gpu="H200"):
    """`flat`: `heddle config show GPU --flat`."""
    kinds, assumed = {}, []
    for line in flat.splitlines():
        value, _, comment = line.partition("#")
        for kind in ("DOCUMENTED", "MEASURED", "DERIVED", "PUBLISHED", "FITTED", "MODEL", "ASSUMED"):
            before, found, source = comment.partition(kind + ", ")
            if found and (not before.strip() or before.rstrip().endswith(";")):
                kinds[kind] = kinds.get(kind, 0) + 1
                # What was fitted to the host's rows no kernel by itself feels.
                if kind == "ASSUMED" or (kind == "FITTED" and not value.startswith("host.")):
                    assumed.append([f"`{value.strip()}`", kind.lower(), source])
                break
    total = sum(kinds.values())
    return ["## What the values rest on", "",
            f"Of the {total} values of the {gpu}: " + ", ".join(f"{n} {k.lower()}" for k, n in kinds.items()) +
            " ([configs](../../configs/README.md) says what these mean). Assumed, and fitted to kernels, are:", "",
            *markdown(["value", "kind", "why"], sorted(assumed, key=lambda a: (a[1], a[0])))]
