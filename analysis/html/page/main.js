// The page: heading, all kernels, runs compared, one kernel.
const DATA = JSON.parse(document.getElementById("data").textContent);

function heading() {
  const launches = sum(DATA.runs.map((r) => r.launches.length));
  document.title = `${DATA.source} \u2013 Heddle`;
  document.getElementById("top").append(el("h1", {}, DATA.source),
    ...DATA.runs.slice(0, 8).map((r) => el("p", { class: "run" },
      `${DATA.runs.length > 1 ? `run ${r.id}: ` : ""}${r.product} \u00b7 ${r.launches.length} of ${r.planned} launches \u00b7 fidelity ${r.fidelity}` +
      `${r.overrides.trim() ? " \u00b7 " + r.overrides.trim().split("\n").join(", ") : ""} \u00b7 configuration ${r.config} \u00b7 revision ${r.revision}`)),
    DATA.runs.length > 8 ? el("p", { class: "run" }, `and ${DATA.runs.length - 8} more runs, ${launches} launches in all`) : "");
}

let picked = null;
let kernelTable = null;
function pick(run, l) {
  picked = l;
  showKernel(run, l, (other) => pick(run, other));
  kernelTable.redraw();
}

function kernels() {
  const rows = DATA.runs.flatMap((run) => run.launches.map((l) => ({ run, l })));
  const top = (l) => Object.entries(l.stalls).filter(([n]) => n !== "selected").sort((a, b) => b[1] - a[1])[0];
  const rate = (key, show) => ({ key: ({ l }) => l[key], show: ({ l }) => (l[key] === null ? "" : show(l[key])) });
  const columns = [
    ...(DATA.runs.length > 1 ? [{ title: "run", key: (r) => r.run.id, show: (r) => r.run.id }] : []),
    { title: "trace", key: ({ l }) => l.trace, show: ({ l }) => l.trace, text: true },
    { title: "#", key: ({ l }) => l.launch, show: ({ l }) => l.launch, className: "dim" },
    { title: "kernel", key: ({ l }) => shortKernel(l), show: ({ l }) => el("span", { tip: l.kernel }, shortKernel(l).slice(0, 48)), text: true },
    { title: "time", ...rate("seconds", seconds) },
    { title: "cycles", ...rate("cycles", whole) },
    { title: "bound by", key: ({ l }) => l.bound, show: ({ l }) => l.bound || "\u2013", text: true, tip: `the unit that is closest to its peak; latency when none is above ${DATA.bound_pct} %` },
    { title: "IPC", ...rate("ipc", fixed(2)), tip: "warp instructions per SM and active cycle" },
    { title: "occupancy", ...rate("occupancy", fixed(1)), tip: "achieved, % of the SM's warps" },
    { title: "L1 hit", ...rate("l1_hit", fixed(1)), tip: "%" },
    { title: "L2 hit", ...rate("l2_hit", fixed(1)), tip: "%" },
    { title: "DRAM", ...rate("dram_rate", (v) => quantity(v, "B/s")) },
    { title: "warps' time", key: ({ l }) => (top(l) || ["", 0])[1], show: ({ l }) => stallStack(l.stalls, sum(Object.values(l.stalls)) || 1), text: true, tip: "stalls by family; sorts by warp-cycles of the largest" },
    { title: "largest stall", key: ({ l }) => (top(l) || [""])[0], show: ({ l }) => (top(l) || ["\u2013"])[0], text: true },
  ];
  kernelTable = sortableTable(columns, rows, { id: "all", tall: rows.length > 18, pick: ({ run, l }) => {
    pick(run, l);
    document.getElementById("picked").scrollIntoView({ behavior: "smooth" });
  }, picked: ({ l }) => l === picked });
  document.getElementById("kernels").append(el("h2", {}, rows.length === 1 ? "Kernel" : `${rows.length} kernels`), familyLegend(), kernelTable.node,
    rows.length > 1 ? el("p", { class: "note" }, "A click on a row shows the kernel below; a click on a title sorts.") : "");
}

// Kernels by runs: cycles, and the ratio to the run that is chosen as the base.
function compare() {
  if (DATA.runs.length < 2) {
    return;
  }
  const key = (l) => `${l.trace}/${l.launch}`;
  const names = [...new Set(DATA.runs.flatMap((r) => r.launches.map(key)))];
  const rows = names.map((name) => ({ name, of: DATA.runs.map((r) => r.launches.find((l) => key(l) === name) || null) }));
  const place = el("div");
  function draw(base) {
    const ratio = (row, i) => (row.of[i] && row.of[base] ? row.of[i].cycles / row.of[base].cycles : null);
    const mean = (i) => {
      const logs = rows.map((r) => ratio(r, i)).filter((v) => v !== null).map(Math.log);
      return logs.length ? Math.exp(sum(logs) / logs.length) : null;
    };
    const text = (v) => el("span", { class: v > 1.005 ? "bad" : v < 0.995 ? "good" : "soft" }, fixed(3)(v));
    const columns = [{ title: "kernel", key: (r) => r.name, show: (r) => r.name, text: true, foot: "geometric mean" }];
    DATA.runs.forEach((run, i) => {
      const tip = `run ${run.id}: ${run.gpu} ${run.fidelity}\n${run.overrides.trim()}`;
      columns.push({ title: `run ${run.id}`, tip, key: (r) => (r.of[i] ? r.of[i].cycles : null), show: (r) => (r.of[i] ? whole(r.of[i].cycles) : ""), foot: "" });
      if (i !== base) {
        columns.push({ title: "ratio", tip: `cycles over those of run ${DATA.runs[base].id}`, key: (r) => ratio(r, i),
          show: (r) => (ratio(r, i) === null ? "" : text(ratio(r, i))), foot: mean(i) === null ? "" : text(mean(i)) });
      }
    });
    place.replaceChildren(sortableTable(columns, rows, { id: "runs", tall: rows.length > 18 }).node);
  }
  const choice = el("select", { id: "base", onchange: (e) => draw(Number(e.target.value)) },
    DATA.runs.map((r, i) => el("option", { value: i }, `run ${r.id}: ${r.gpu}${r.overrides.trim() ? ", " + r.overrides.trim().split("\n").join(", ") : ""}`)));
  document.getElementById("compare").append(el("h2", {}, "Runs compared, cycles"),
    el("label", {}, "ratios to ", choice), place);
  draw(0);
}

heading();
kernels();
compare();
const first = DATA.runs.find((r) => r.launches.length);
if (first) {
  pick(first, first.launches.reduce((a, b) => (b.seconds > a.seconds ? b : a)));
}
