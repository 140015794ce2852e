"""Pictures of results with matplotlib, in one style.

    import heddle, heddle.plot
    heddle.plot.style()
    heddle.plot.stalls(heddle.run("traces/h200/softmax"))

style() makes all pictures look alike; without it they are as matplotlib is set up. Every function draws into `ax`, or
into a new figure, and returns the axes: change what you like afterwards. matplotlib is loaded with the first picture
(Debian's python3-matplotlib, in `tools/setup notebooks`).
"""
from __future__ import annotations

import math
from typing import Any, Dict, Iterable, List, Optional, Sequence, Union

from heddle.config import Config
from heddle.errors import Error
from heddle.host import HostResults
from heddle.results import Results, peaks

# Distinct with the common kinds of colour blindness, too (Okabe and Ito); in the order of use.
COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d31", "#7f7f7f")

# States of a warp have the same colour in every picture; others share the last ones.
STALL_COLORS = {
    "selected": "#009e73", "not_selected": "#8fd3bd", "long_scoreboard": "#0072b2", "short_scoreboard": "#56b4e9",
    "wait": "#b0b0b0", "barrier": "#cc79a7", "math_pipe_throttle": "#e69f00", "mio_throttle": "#d55e00",
    "lg_throttle": "#8c6d31", "no_instruction": "#f0e442", "branch_resolve": "#7a5195", "dispatch_stall": "#666666",
    "drain": "#a05d56", "imc_miss": "#b5bd61", "gmma": "#f58aa6", "membar": "#222222",
}
_OTHER = "#dddddd"
_INK = "#333333"

_STYLE: Dict[str, Any] = {
    "figure.figsize": (7.0, 3.6), "figure.dpi": 90, "figure.constrained_layout.use": True, "savefig.dpi": 90,
    "font.size": 9, "axes.titlesize": 10, "axes.titlelocation": "left", "axes.labelsize": 9, "legend.fontsize": 8,
    "legend.frameon": False, "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": _INK,
    "axes.axisbelow": True, "axes.grid": True, "grid.color": "#e4e4e4", "grid.linewidth": 0.7, "lines.linewidth": 1.6,
    "lines.markersize": 4.5, "svg.hashsalt": "heddle",
}

_LEVELS = {"dram": "DRAM", "l2": "L2", "l1": "L1"}
_KINDS = {"tensor": "tensor, 16 bits", "fp16": "FP16", "fp32": "FP32", "fp64": "FP64"}


def _pyplot():
    try:
        import matplotlib.pyplot as module
    except ImportError:
        raise Error("pictures need matplotlib: apt-get install python3-matplotlib") from None
    return module


def style() -> None:
    """Sets colours, sizes and grid lines for all pictures of this process that follow, one's own as well.

    Raises:
        Error: matplotlib is missing.
    """
    plt = _pyplot()
    plt.rcParams.update(_STYLE)
    plt.rcParams["axes.prop_cycle"] = plt.cycler(color=COLORS)


def _axes(ax, height: Optional[float] = None):
    if ax is not None:
        return ax
    return _pyplot().subplots(figsize=(7.0, height or 3.6), layout="constrained")[1]


def _names(index) -> List[str]:
    """Labels of launches: the trace, with its number where there are several."""
    traces = [t for t, _ in index]
    return [f"{t}/{n}" if traces.count(t) > 1 else t for t, n in index]


def stalls(results: Results, least: float = 2.0, ax=None):
    """Where the warps' time went: a bar per launch, from 0 to 100 %.

    Args:
        results: of heddle.run() or heddle.open().
        least: states below so many per cent in every launch are drawn together as "other".
        ax: matplotlib axes; a new figure if not given.

    Returns:
        The axes.

    Raises:
        Error: matplotlib is missing.
    """
    shares = results.stall_shares
    shown = [c for c in shares.mean().sort_values(ascending=False).index if (shares[c] >= least).any()]
    frame = shares[shown].assign(other=100 - shares[shown].sum(axis=1)).iloc[::-1]
    ax = _axes(ax, 1.5 + 0.3 * len(frame))
    labels, left = _names(frame.index), 0.0
    for column in frame.columns:
        if column == "other" and (frame[column] < 0.05).all():
            continue
        ax.barh(labels, frame[column], left=left, height=0.7, color=STALL_COLORS.get(column, _OTHER), label=column)
        left = left + frame[column].to_numpy()
    ax.set(xlim=(0, 100), xlabel="share of the warps' time, %")
    ax.grid(axis="y", visible=False)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=5, columnspacing=1.2, handlelength=1.2)
    return ax


def peak_shares(results: Results, units: int = 8, ax=None):
    """How busy the units of the machine were, in per cent of their peaks: a group of bars per launch.

    Args:
        results: of heddle.run() or heddle.open().
        units: so many, those that are busiest anywhere.
        ax: matplotlib axes; a new figure if not given.

    Returns:
        The axes.

    Raises:
        Error: matplotlib is missing.
    """
    frame = results.peak_shares
    frame = frame[frame.max().sort_values(ascending=False).index[:units]]
    ax = _axes(ax)
    width = 0.8 / len(frame)
    for i, (name, row) in enumerate(zip(_names(frame.index), frame.to_numpy())):
        ax.bar([x + (i - (len(frame) - 1) / 2) * width for x in range(len(row))], row, width, label=name,
               color=COLORS[i % len(COLORS)])
    ax.set_xticks(range(len(frame.columns)), frame.columns)
    ax.set(ylabel="% of the unit's peak", ylim=(0, max(100, ax.get_ylim()[1])))
    ax.grid(axis="x", visible=False)
    if len(frame) > 1:
        ax.legend()
    return ax


def roofline(results: Results, gpu: Union[str, Config] = "h200", level: str = "dram", ax=None):
    """Operations per second over operations per byte, with the machine's limits: a point per launch.

    Args:
        results: of a run with profile=True, which counts operations.
        gpu: whose limits; that of the run.
        level: whose bytes: "dram", "l2" or "l1".
        ax: matplotlib axes; a new figure if not given.

    Returns:
        The axes. Launches without floating-point operations have no point.

    Raises:
        ResultsError: there is no profile.
        Error: no such level, or matplotlib is missing.
    """
    if level not in _LEVELS:
        raise Error(f"level={level!r}; legal values: {', '.join(_LEVELS)}")
    counters, launches, limits = results.counters, results.launches, peaks(gpu)
    flop = results.instructions["flop"].groupby(level=["trace", "launch"]).sum().reindex(launches.index, fill_value=0)
    if level == "dram":
        moved = counters["dram__bytes_read.sum"] + counters["dram__bytes_write.sum"]
    else:
        moved = 32 * counters["lts__t_sectors.sum" if level == "l2" else "l1tex__t_sectors.sum"]
    there = (flop > 0) & (moved > 0)
    x, y = (flop / moved)[there], (flop / launches["seconds"])[there]
    ax = _axes(ax, 4.2)
    kinds = [k for k in _KINDS if limits[k] > 0]
    top, slope = max(limits[k] for k in kinds), limits[level]
    low = min([0.02, *x]) / 2
    high = max([4 * top / slope, *x]) * 2
    ax.loglog([low, top / slope], [low * slope, top], color=_INK)
    for limit in dict.fromkeys(limits[k] for k in kinds):
        ax.loglog([limit / slope, high], [limit] * 2, color=_INK)
        ax.text(high, limit, ", ".join(_KINDS[k] for k in kinds if limits[k] == limit) + "  ", ha="right", va="bottom", fontsize=8,
                color=_INK)
    for i, (name, a, b) in enumerate(zip(_names(x.index), x, y)):
        ax.loglog([a], [b], "o", color=COLORS[i % len(COLORS)], markersize=7, label=name)
    ax.set(xlim=(low, high), xlabel=f"operations per byte of {_LEVELS[level]}", ylabel="operations per second")
    ax.text(0.01, 0.98, f"{_LEVELS[level]}: {slope / 1e12:.1f} TB/s", transform=ax.transAxes, va="top", fontsize=8, color=_INK)
    if len(x):
        ax.legend(loc="lower right")
    return ax


def timeline(results: HostResults, tracks: Optional[str] = None, ax=None):
    """What a host program's threads, streams and engines did when: a row each, a bar per span, a colour per name.

    Args:
        results: of heddle.run_host().
        tracks: a regular expression: only rows that it is found in; None: all with spans.
        ax: matplotlib axes; a new figure if not given.

    Returns:
        The axes.

    Raises:
        Error: there is no such track, or matplotlib is missing.
    """
    spans = results.spans
    if tracks is not None:
        spans = spans[spans.track.str.contains(tracks)]
    if not len(spans):
        raise Error(f"tracks={tracks!r}: no spans; there are: {', '.join(results.spans.track.unique())}")
    rows = [t for t in results.tracks.track if t in set(spans.track)]
    ax = _axes(ax, 1.2 + 0.3 * len(rows))
    names = spans.name.value_counts().index  # the most frequent get a colour of their own
    for name in names:
        of = spans[spans.name == name]
        at = list(names).index(name)
        ax.barh([rows.index(t) for t in of.track], of.end_us - of.start_us, left=of.start_us, height=0.7,
                color=COLORS[at] if at < len(COLORS) else _OTHER, edgecolor="white", linewidth=0.4,
                label=name if at < len(COLORS) else None)
    ax.set_yticks(range(len(rows)), rows)
    ax.invert_yaxis()
    ax.set(xlabel="microseconds", xlim=(0, results.end_us))
    ax.grid(axis="y", visible=False)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, columnspacing=1.2, handlelength=1.2)
    return ax


def over_time(results: Results, axes=None):
    """One launch over time: resident warps, instructions per cycle, bytes of DRAM per second.

    Args:
        results: one launch of a run with profile=True.
        axes: three matplotlib axes; a new figure if not given.

    Returns:
        The three axes.

    Raises:
        ResultsError: there is no profile.
        Error: more than one launch, or matplotlib is missing.
    """
    if len(results) != 1:
        raise Error(f"one launch is needed, and there are {len(results)}: take one with select()")
    s = results.series.droplevel(["trace", "launch"])
    steps = s.index.to_series().diff().fillna(s.index[0])
    mhz = results.launches["core_mhz"].iloc[0]
    if axes is None:
        axes = _pyplot().subplots(3, 1, figsize=(7.0, 4.6), sharex=True, layout="constrained")[1]
    use = dict(where="pre")
    axes[0].step(s.index, s["sm__warps_active.sum"] / steps, color=COLORS[0], label="resident warps", **use)
    axes[0].set(ylabel="warps, whole GPU", ylim=(0, None))
    axes[1].step(s.index, s["smsp__inst_executed.sum"] / steps, color=COLORS[1], label="instructions", **use)
    axes[1].set(ylabel="warp inst. per cycle", ylim=(0, None))
    for i, (name, label) in enumerate((("dram__bytes_read.sum", "read"), ("dram__bytes_write.sum", "written"))):
        axes[2].step(s.index, s[name] / steps * mhz / 1e3, color=COLORS[2 + i], label=label, **use)
    axes[2].set(xlabel="core cycles since the launch", ylabel="DRAM, GB/s", ylim=(0, None))
    axes[2].legend()
    return axes


def hot_spots(results: Results, count: int = 8, ax=None):
    """The instructions of one launch that warps waited for longest to issue, with the reasons.

    Args:
        results: one launch of a run with profile=True.
        count: so many instructions.
        ax: matplotlib axes; a new figure if not given.

    Returns:
        The axes.

    Raises:
        ResultsError: there is no profile.
        Error: more than one launch, or matplotlib is missing.
    """
    if len(results) != 1:
        raise Error(f"one launch is needed, and there are {len(results)}: take one with select()")
    waits = results.instruction_stalls.droplevel(["trace", "launch"])
    shares = waits.mul(100.0 / waits.to_numpy().sum())
    top = shares.loc[shares.sum(axis=1).nlargest(count).index[::-1]]
    text = results.instructions.droplevel(["trace", "launch"])["sass"]
    labels = [f"{pc:04x}  {text[pc].rstrip(' ;')[:34]}" for pc in top.index]
    ax = _axes(ax, 1.4 + 0.27 * len(top))
    left = 0.0
    for reason in top.sum().sort_values(ascending=False).index:
        if top[reason].max() < 0.3:
            continue
        ax.barh(labels, top[reason], left=left, height=0.7, color=STALL_COLORS.get(reason, _OTHER), label=reason)
        left = left + top[reason].to_numpy()
    ax.set_yticks(range(len(labels)), labels, family="monospace", fontsize=8)
    ax.set(xlabel="share of the warps' time, %")
    ax.grid(axis="y", visible=False)
    ax.legend(loc="lower right")
    return ax


def occupancy(curve, ax=None, label: Optional[str] = None, limiters: bool = True):
    """Resident warps over one resource, as steps.

    Args:
        curve: of heddle.occupancy_curve().
        ax: matplotlib axes; a new figure if not given.
        label: of the line, for a legend.
        limiters: colour the ground by what limits the residency.

    Returns:
        The axes.

    Raises:
        Error: matplotlib is missing.
    """
    ax = _axes(ax)
    x = list(curve.index)
    if limiters:
        kinds = [k for k in dict.fromkeys(curve["limiter"]) if k]
        ends = x[1:] + [x[-1] + (x[-1] - x[-2] if len(x) > 1 else 1)]
        drawn = set()
        for a, b, k in zip(x, ends, curve["limiter"]):
            if k:
                ax.axvspan(a, b, color=COLORS[1 + kinds.index(k) % (len(COLORS) - 1)], alpha=0.15, linewidth=0,
                           label=None if k in drawn else f"limited by {k}")
                drawn.add(k)
    ax.step(x, curve["warps"], where="post", label=label, color=None if label else COLORS[0])
    names = {"block": "threads per block", "regs": "registers per thread", "smem": "shared memory per block, bytes"}
    ax.set(xlabel=names.get(curve.index.name, curve.index.name), ylabel="resident warps per SM", ylim=(0, None))
    if label or limiters:
        ax.legend()
    return ax


def agreement(comparison, metric: str = "cycles", ax=None, label: Optional[str] = None):
    """Simulated over measured values, a point per launch, both logarithmic, with lines at 10 % of error.

    Args:
        comparison: of heddle.compare().
        metric: one of its metrics.
        ax: matplotlib axes; a new figure if not given.
        label: of the points, for a legend.

    Returns:
        The axes.

    Raises:
        Error: the comparison has no such metric above zero, or matplotlib is missing.
    """
    rows = comparison[(comparison["metric"] == metric) & (comparison["measured"] > 0) & (comparison["simulated"] > 0)]
    if rows.empty:
        raise Error(f"no values of {metric!r} above zero; there are: {', '.join(comparison['metric'].unique()[:8])}, ...")
    new = ax is None
    ax = _axes(ax, 4.2)
    ax.loglog(rows["measured"], rows["simulated"], "o", alpha=0.8, label=label)
    low = min(rows["measured"].min(), rows["simulated"].min()) / 1.5
    high = max(rows["measured"].max(), rows["simulated"].max()) * 1.5
    if new:
        ax.loglog([low / 10, high * 10], [low / 10, high * 10], color=_INK, linewidth=0.8)
        for factor in (0.9, 1.1):
            ax.loglog([low / 10, high * 10], [low / 10 * factor, high * 10 * factor], color=_INK, linewidth=0.6, linestyle=":")
    else:
        low, high = min(low, ax.get_xlim()[0]), max(high, ax.get_xlim()[1])
    unit = rows["unit"].iloc[0]
    named = metric if unit in ("", metric, metric.rstrip("s")) else f"{metric}, {unit}"
    ax.set(xlim=(low, high), ylim=(low, high), xlabel=f"measured {named}", ylabel=f"simulated {named}")
    if label:
        ax.legend()
    return ax


def errors(comparison, metric: str = "cycles", spread: Optional[Dict[str, Sequence[float]]] = None, ax=None):
    """The error of one metric, a bar per launch, the largest first.

    Args:
        comparison: of heddle.compare().
        metric: one of its metrics.
        spread: trace -> (smallest, largest) measured value, drawn as error bars.
        ax: matplotlib axes; a new figure if not given.

    Returns:
        The axes. Launches without a relative error are left out.

    Raises:
        Error: the comparison has no such metric, or matplotlib is missing.
    """
    rows = comparison[(comparison["metric"] == metric) & comparison["error"].notna()]
    if rows.empty:
        raise Error(f"no values of {metric!r}; there are: {', '.join(comparison['metric'].unique()[:8])}, ...")
    rows = rows.reindex(rows["error"].abs().sort_values().index)
    percent = 100 * rows["error"]
    labels = _names(list(zip(rows["trace"], rows["launch"])))
    ax = _axes(ax, 1.0 + 0.19 * len(rows))
    bars = None
    if spread:
        # Against the smallest value measured the error is larger, against the largest smaller.
        bounds = [[100 * (s / v - 1) for v in spread.get(t, (m, m))]
                  for t, s, m in zip(rows["trace"], rows["simulated"], rows["measured"])]
        bars = [[max(0.0, e - min(b)) for e, b in zip(percent, bounds)], [max(0.0, max(b) - e) for e, b in zip(percent, bounds)]]
    ax.barh(labels, percent, height=0.7, xerr=bars, error_kw={"elinewidth": 0.9, "ecolor": _INK},
            color=[COLORS[0] if e >= 0 else COLORS[1] for e in percent])
    ax.axvline(0, color=_INK, linewidth=0.8)
    ax.set(xlabel=f"error of {metric}, %", ylim=(-0.6, len(rows) - 0.4))
    ax.tick_params(axis="y", labelsize=8)
    ax.grid(axis="y", visible=False)
    return ax


def heat_map(frame, label: str, text: str = "{:.2f}", ax=None):
    """A table of numbers as coloured cells with their values.

    Args:
        frame: a DataFrame; the names of its axes become labels.
        label: what the numbers are, with the unit.
        text: how they are written.
        ax: matplotlib axes; a new figure if not given.

    Returns:
        The axes.

    Raises:
        Error: matplotlib is missing.
    """
    ax = _axes(ax, 1.4 + 0.4 * len(frame))
    values = frame.to_numpy(dtype=float)
    image = ax.imshow(values, aspect="auto", cmap="Blues")
    finite = [v for v in values.flat if math.isfinite(v)]
    middle = (min(finite) + max(finite)) / 2 if finite else 0
    for i, row in enumerate(values):
        for j, v in enumerate(row):
            if math.isfinite(v):
                ax.text(j, i, text.format(v), ha="center", va="center", fontsize=8, color="white" if v > middle else _INK)
    ax.set_xticks(range(len(frame.columns)), [str(c) for c in frame.columns])
    ax.set_yticks(range(len(frame.index)), [str(i) for i in frame.index])
    ax.set(xlabel=frame.columns.name, ylabel=frame.index.name)
    ax.grid(visible=False)
    ax.figure.colorbar(image, ax=ax, label=label)
    return ax


__all__: Iterable[str] = ["COLORS", "STALL_COLORS", "agreement", "errors", "heat_map", "hot_spots", "occupancy", "over_time",
                          "peak_shares", "roofline", "stalls", "style", "timeline"]
