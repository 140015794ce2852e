"""The sections that compare launches with silicon, as lists of lines."""
import statistics

from analysis.page.families import FAMILIES, function_name
from analysis.page.launches import ACTIVE, CYCLES, by, halves, pairs, spreads
from analysis.page.measures import errors
from analysis.page.quantities import QUANTITIES
from analysis.page.sections import agreement, differences, markdown

RELATIVE_BOUND, POINTS_BOUND = 0.1, 5
FIGURES = ["launches", "mean", "bias", "median", "P90", "worst", "Pearson", "Kendall", "within {}"]
SPREAD = ["silicon's own spread: mean", "largest"]
STALL_AIM = 85  # per cent of the launches whose largest reason is to be right


def cells(found, relative):
    """Of analysis.page.measures.Errors, in the order of FIGURES."""
    def size(x, sign=""):
        return f"{100 * x:{sign}.1f} %" if relative else f"{x:{sign}.1f}"
    return [f"{found.count} (+{found.undefined})" if found.undefined else str(found.count), size(found.mean), size(found.bias, "+"),
            size(found.median), size(found.p90), f"{size(found.worst)} ({found.worst_of})",
            *("–" if c is None else f"{c:.3f}" for c in (found.pearson, found.kendall)), f"{100 * found.within / found.count:.0f} %"]


def spread_cells(quantity, group):
    found = spreads(quantity, group)
    return [f"{x:.1f}" if quantity.points else f"{100 * x:.1f} %" for x in (statistics.mean(found), max(found))] if found else ["", ""]


def error_table(heads, quantities):
    """`quantities`: each with its groups, (cells that name the group, launches). A group of which nothing was measured has no row."""
    relative = not quantities[0][0].points
    bound = RELATIVE_BOUND if relative else POINTS_BOUND
    rows = [[*label, *cells(found, relative), *spread_cells(quantity, group)] for quantity, groups in quantities for label, group in groups
            if (found := errors(pairs(quantity, group), relative, bound))]
    header = [*heads, *FIGURES, *SPREAD]
    if not any(row[-1] for row in rows):  # no repeats in the tables
        rows, header = [row[:-len(SPREAD)] for row in rows], header[:-len(SPREAD)]
    return markdown([h.format("10 %" if relative else f"{bound} points") for h in header], rows) if rows else []


def set_groups(group):
    """Every set, seen beside only scored."""
    return [([suite, half], part) for suite, of in by_suite(group) for half, part in halves(of)]


def by_suite(group):
    """In their own order."""
    return [(suite, [x for x in group if x.suite == suite]) for suite in dict.fromkeys(x.suite for x in group)]


def all_groups(group):
    tensor = [x for x in group if x.copies_tensors()]
    return [*set_groups(group), *((["all", half], part) for half, part in halves(group)), (["all", ""], group),
            *((["all with bulk or tensor copies", half], part) for half, part in halves(tensor))]


def family_groups(group):
    return [([family, half], part) for family, both in by(lambda x: x.family, group) for half, part in halves(both)]


def mean_error(quantity, group):
    found = errors(pairs(quantity, group), not quantity.points, 0)
    return f"{found.mean:.1f}" if found and quantity.points else f"{100 * found.mean:.1f} %" if found else ""


def mean_difference(reason, group):
    """Of its share of the warps' time, in points."""
    found = [abs(s - m) for m, s in (x.stalls[reason] for x in group if reason in x.stalls)]
    return f"{statistics.mean(found):.1f}" if found else ""


def glance(group):
    """The mean error of everything, a line each."""
    groups = set_groups(group)
    right = {tuple(label): share for *label, _, share in largest_rows(groups)}
    return ["## At a glance", "",
            "Mean absolute errors: of amounts relative to the measured value, of shares and of the stall reasons' shares of the warps' time in",
            "points. Empty: not measured.", "",
            *markdown(["mean error", *(f"{suite}, {half}" for (suite, half), _ in groups)],
                      [["launches", *(str(len(part)) for _, part in groups)],
                       *([q.label, *(mean_error(q, part) for _, part in groups)] for q in (CYCLES, ACTIVE, *QUANTITIES)),
                       ["largest stall reason is right", *(right.get(tuple(label), "") for label, _ in groups)],
                       *([f"stalls: {reason}", *(mean_difference(reason, part) for _, part in groups)] for reason in reasons(group))])]


def overview(group):
    lines = ["## Every set", "",
             "Seen: somebody may have looked at a launch's error and changed the model. Only scored: nobody has. Mean (MAPE), median, 90th "
             "percentile and", "worst are of the absolute errors relative to the measured value, the bias is the mean of the signed ones; "
             "Pearson's and Kendall's (tau-b)", "coefficients are of the logarithms. Silicon's own spread: largest less smallest of the "
             "repeats, over their median; tables without that", "column are of counters whose repeats were not kept.", ""]
    for quantity in (CYCLES, ACTIVE):
        lines += error_table(["error of the " + quantity.label, "half"], [(quantity, all_groups(group))]) + [""]
    return lines[:-1]


def families(group):
    lines = ["## Families", "",
             "The error of the cycles. A kernel's family follows from its name alone, by [these rules](COUNTERS.md#families).", ""]
    for suite, part in by_suite(group):
        lines += error_table([suite, "half"], [(CYCLES, family_groups(part))]) + [""]
    return lines[:-1]


def family_rules():
    return ["## Families", "",
            "The first rule (a regular expression, upper and lower case alike) that fits the function's name, without its arguments:", "",
            *markdown(["family", "rule"], [[name, "`" + rule.replace("|", "\\|") + "`"] for name, rule in FAMILIES])]


def counter_tables(groups, head):
    """Amounts, then shares; a counter's groups stand one below the other."""
    return [error_table(["share" if points else "amount", head, "half"],
                        [(q, [([q.label, *label], group) for label, group in groups]) for q in QUANTITIES if q.points == points])
            for points in (False, True)]


def not_measured(group):
    """A sentence on every set that lacks some quantity."""
    lines = []
    for suite, part in by_suite(group):
        having = [q.label for q in QUANTITIES if pairs(q, part)]
        lacking = [q.label for q in QUANTITIES if q.label not in having]
        if lacking:
            what = f"all but {', '.join(having)}" if len(lacking) > len(having) else ", ".join(lacking)
            lines.append(f"Not measured of {suite}: {what}.")
    return lines


def counters(group):
    amounts, shares = counter_tables(set_groups(group), "set")
    lines = ["## Counters", "",
             "Amounts, relative to the measured value, of the launches that have any on silicon; (+n): n others have none there and some "
             "here.", "By family, and what each is: [COUNTERS.md](COUNTERS.md).", "", *amounts, "",
             "Shares, in points: differences of percentages. No share can exceed 100 %: the L2 hit rate is hits of all look-ups of the L1s'",
             "sectors (hits and misses, in both partitions), not Nsight's `lts__t_sector_hit_rate.pct`, whose hits include memory barriers",
             "that are no look-ups (silicon has 201 % for `chase_l1`).", "", *shares]
    missing = not_measured(group)
    return lines + (["", *missing] if missing else [])


def agreeing(group):
    """Launches whose largest stall reason is the measured one, and all that have stalls."""
    largest = [x.largest_stalls() for x in group if x.stalls]
    return sum(m == s for m, s in largest), len(largest)


def largest_rows(groups):
    counted = [(label, *agreeing(group)) for label, group in groups]
    return [[*label, f"{right} of {n}", f"{100 * right / n:.0f} %"] for label, right, n in counted if n]


def reasons(group):
    """Those that one side has at least."""
    return sorted({reason for x in group for reason, shares in x.stalls.items() if any(shares)})


def reason_table(groups, head):
    """Per reason and group: mean shares, then the differences in points."""
    rows = []
    for reason in reasons(x for _, group in groups for x in group):
        for label, group in groups:
            both = [(x.name, *x.stalls[reason]) for x in group if reason in x.stalls]
            if both:
                count, *others = cells(errors(both, False, POINTS_BOUND), False)
                rows.append([reason, *label, count, *(f"{statistics.mean(p[i] for p in both):.1f}" for i in (1, 2)), *others])
    heads = ["reason", head, "half", "launches", "measured", "simulated", *FIGURES[1:]]
    return markdown([h.format(f"{POINTS_BOUND} points") for h in heads], rows)


def stalls(group):
    lines = ["## Stall reasons", "",
             "Both sides count, per issue, the warps that wait for each reason (`smsp__average_warps_issue_stalled_REASON_per_issue_active"
             ".ratio`).", "Compared are shares of the warps' time: a reason's ratio of the sum over all states that both sides have, those "
             "that issue included.", f"The largest reason is to be right for {STALL_AIM} % of all.", ""]
    lines += markdown(["largest reason right", "half", "launches", "share"], largest_rows(all_groups(group)))
    lines += ["", "By reason: the mean share of the warps' time in per cent, and the absolute differences in points.", ""]
    lines += reason_table(set_groups(group), "set")
    wrong = {}
    for x in group:
        if x.stalls and x.largest_stalls()[0] != x.largest_stalls()[1]:
            wrong.setdefault(x.largest_stalls(), []).append(x.name)
    lines += ["", "Where the largest reason is another one ([by launch](KERNELS.md)):", ""]
    return lines + markdown(["measured", "simulated", "launches", ""],
                            [[m, s, str(len(n)), ", ".join(n)] for (m, s), n in
                             sorted(wrong.items(), key=lambda item: (-len(item[1]), item[0]))])


def heading(suite):
    return f"## {suite[0].upper()}{suite[1:]}"


def written_by(gpu):
    return "Written by `tools/update-validation" + ("`" if gpu == "H200" else f" --gpu {gpu.lower()}`")


def counters_page(group, gpu="H200"):
    """COUNTERS.md: everything by family."""
    lines = [f"# Heddle against the {gpu}, counter by counter", "",
             written_by(gpu) + "; what the columns mean: [VALIDATION.md](VALIDATION.md).", "", *family_rules(), "",
             "## Quantities", "", *markdown(["quantity", "is"], [[q.label, q.definition()] for q in QUANTITIES])]
    for suite, part in by_suite(group):
        groups = family_groups(part)
        lines += ["", heading(suite)]
        for found in counter_tables(groups, "family"):
            lines += ["", *found] if found else []
        largest = largest_rows(groups)
        if largest:
            lines += ["", *markdown(["largest stall reason right", "half", "launches", "share"], largest),
                      "", *reason_table(groups, "family")]
    return "\n".join(lines) + "\n"


def launch_row(x):
    out = [f"`{x.name}`", f"`{function_name(x.row['kernel'])}`", x.family, x.half]
    for quantity, spread in ((CYCLES, x.spread("cycles")), (ACTIVE, None)):
        m, s = quantity.value(x.measured), quantity.value(x.simulated)
        out += [f"{m:,.0f}" if m else "", f"{s:,.0f}", f"{100 * x.error(quantity):+.1f} %" if m else ""]
        if quantity == CYCLES:
            out.insert(-2, f"{spread[0]:,.0f}..{spread[1]:,.0f}" if spread else "")
    largest = x.largest_stalls()
    return out + ([f"{r} {x.stalls[r][i]:.0f} %" for i, r in enumerate(largest)] if largest else ["", ""])


def kernels_page(groups, absent, gpu="H200"):
    """KERNELS.md: every launch. `groups`: by set; `absent`: the names of those that were measured and not simulated."""
    lines = [f"# Heddle against the {gpu}, kernel by kernel", "",
             written_by(gpu) + "; in all: [VALIDATION.md](VALIDATION.md). The largest stall reasons with their share of",
             "the warps' time."]
    for suite, group in groups.items():
        lines += ["", heading(suite), "",
                  *markdown(["launch", "kernel", "family", "half", "cycles", "min..max", "simulated", "error", "SM-active", "simulated",
                             "error", "largest stall", "simulated"], [launch_row(x) for x in group])]
        if absent[suite]:
            lines += ["", f"Measured, but not simulated: {', '.join(absent[suite])}."]
        lines += ["", *agreement(group), "", "Those that differ:", "", *differences(group)]
    return "\n".join(lines) + "\n"
