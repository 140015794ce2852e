// The page: heading, all kernels; then the others' parts.
const DATA = JSON.parse(document.getElementById("data").textContent);

function heading() {
  const launches = sum(DATA.runs.map((r) => r.launches.length)), shown = DATA.runs.length > 4 ? 3 : 4;
  document.title = `${DATA.source} \u2013 Heddle`;
  document.getElementById("top").append(el("h1", {}, DATA.source),
    ...DATA.runs.slice(0, shown).map((r) => el("p", { class: "run" },
      `${DATA.runs.length > 1 ? `run ${r.id}: ` : ""}${r.product} \u00b7 ${r.launches.length} of ${r.planned} launches \u00b7 fidelity ${r.fidelity}` +
      `${r.overrides.trim() ? " \u00b7 " + r.overrides.trim().split("\n").join(", ") : ""} \u00b7 configuration ${r.config} \u00b7 revision ${r.revision}`)),
    DATA.runs.length > shown ? el("p", { class: "run" }, `and ${DATA.runs.length - shown} more runs, ${launches} launches in all`) : "");
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
    { title: "trace", key: ({ l }) => l.trace, show: ({ l }) => el("span", { tip: l.trace }, l.trace), text: true, className: "name" },
    { title: "#", key: ({ l }) => l.launch, show: ({ l }) => l.launch, className: "dim" },
    { title: "kernel", key: ({ l }) => shortKernel(l), show: ({ l }) => el("span", { tip: l.kernel }, briefKernel(l)), text: true, className: "name" },
    { title: "time", ...rate("seconds", seconds) },
    { title: "cycles", ...rate("cycles", whole) },
    { title: "bound by", key: ({ l }) => l.bound, show: ({ l }) => l.bound || "\u2013", text: true, tip: `the unit that is closest to its peak; latency when none is above ${DATA.bound_pct} %` },
    { title: "IPC", ...rate("ipc", fixed(2)), tip: "warp instructions per SM and active cycle" },
    { title: "occupancy", ...rate("occupancy", fixed(1)), tip: "achieved, % of the SM's warps" },
    { title: "L1 hit", ...rate("l1_hit", fixed(1)), tip: "%" },
    { title: "L2 hit", ...rate("l2_hit", fixed(1)), tip: "% of the sectors that SMs ask for" },
    { title: "DRAM", ...rate("dram_rate", (v) => quantity(v, "B/s")) },
    { title: "warps' time", key: ({ l }) => (top(l) || ["", 0])[1], show: ({ l }) => stallStack(l.stalls, sum(Object.values(l.stalls)) || 1), text: true, tip: "stalls by family; sorts by warp-cycles of the largest" },
    { title: "largest stall", key: ({ l }) => (top(l) || [""])[0], show: ({ l }) => (top(l) || ["\u2013"])[0], text: true },
  ];
  kernelTable = sortableTable(columns, rows, { id: "all", tall: rows.length > 18, pick: ({ run, l }) => {
    pick(run, l);
    document.getElementById("picked").scrollIntoView({ behavior: "smooth" });
  }, picked: ({ l }) => l === picked });
  document.getElementById("kernels").append(el("h2", {}, rows.length === 1 ? "Kernel" : `${rows.length} ${DATA.runs.length > 1 ? "launches" : "kernels"}`), familyLegend(), kernelTable.node,
    rows.length > 1 ? el("p", { class: "note" }, "A click on a row shows the kernel below; a click on a title sorts.") : "");
}

heading();
kernels();
compare();
const first = DATA.runs.find((r) => r.launches.length);
if (first) {
  pick(first, first.launches.reduce((a, b) => (b.seconds > a.seconds ? b : a)));
}
