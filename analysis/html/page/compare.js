// Runs side by side. A few: kernels by runs. Many, as a sweep leaves them: a row per run, for one kernel or the mean
// of all. Ratios are cycles over those of the run chosen as the base.
const MANY_RUNS = 6;
const launchKey = (l) => `${l.trace}/${l.launch}`;
const overrides = (run) => run.overrides.trim().split("\n").join(", ");
const ratioText = (v) => (v === null ? "" : el("span", { class: v > 1.005 ? "bad" : v < 0.995 ? "good" : "soft" }, fixed(3)(v)));

function geometricMean(values) {
  const logs = values.filter((v) => v !== null).map(Math.log);
  return logs.length ? Math.exp(sum(logs) / logs.length) : null;
}

function compare() {
  if (DATA.runs.length < 2) {
    return;
  }
  const names = [...new Set(DATA.runs.flatMap((r) => r.launches.map(launchKey)))];
  const found = DATA.runs.map((r) => new Map(r.launches.map((l) => [launchKey(l), l])));
  const launch = (i, name) => found[i].get(name) || null;
  const ratio = (i, base, name) => (launch(i, name) && launch(base, name) ? launch(i, name).cycles / launch(base, name).cycles : null);
  const mean = (i, base) => geometricMean(names.map((name) => ratio(i, base, name)));
  const state = { base: 0, kernel: "" };
  const place = el("div");
  const many = DATA.runs.length > MANY_RUNS;
  const draw = () => place.replaceChildren((many ? runRows : kernelRows)().node);

  function kernelRows() {
    const columns = [{ title: "kernel", key: (r) => r, show: (r) => r, text: true, foot: "geometric mean" }];
    DATA.runs.forEach((run, i) => {
      const cycles = (name) => (launch(i, name) ? launch(i, name).cycles : null);
      columns.push({ title: `run ${run.id}`, tip: `run ${run.id}: ${run.gpu} ${run.fidelity}\n${overrides(run)}`, key: cycles,
        show: (name) => (cycles(name) === null ? "" : whole(cycles(name))), foot: "" });
      if (i !== state.base) {
        columns.push({ title: "ratio", tip: `cycles over those of run ${DATA.runs[state.base].id}`, key: (name) => ratio(i, state.base, name),
          show: (name) => ratioText(ratio(i, state.base, name)), foot: ratioText(mean(i, state.base)) });
      }
    });
    return sortableTable(columns, names, { id: "runs", tall: names.length > 18 });
  }
  function runRows() {
    const rows = DATA.runs.map((run, i) => ({ run, i, l: state.kernel ? launch(i, state.kernel) : null,
      ratio: state.kernel ? ratio(i, state.base, state.kernel) : mean(i, state.base) }));
    const of = (key, show) => ({ key: ({ l }) => (l ? l[key] : null), show: ({ l }) => (l && l[key] !== null ? show(l[key]) : "") });
    const columns = [
      { title: "run", key: (r) => r.run.id, show: (r) => r.run.id },
      { title: "GPU", key: (r) => r.run.gpu, show: (r) => r.run.gpu, text: true },
      { title: "changed", key: (r) => overrides(r.run), show: (r) => overrides(r.run) || "\u2013", text: true },
      { title: "ratio", key: (r) => r.ratio, show: (r) => ratioText(r.ratio),
        tip: `cycles over those of run ${DATA.runs[state.base].id}${state.kernel ? "" : ", geometric mean of the kernels"}` },
      ...(state.kernel ? [
        { title: "cycles", ...of("cycles", whole) },
        { title: "bound by", ...of("bound", (v) => v || "\u2013"), text: true },
        { title: "occupancy", ...of("occupancy", fixed(1)) },
        { title: "L1 hit", ...of("l1_hit", fixed(1)) },
        { title: "L2 hit", ...of("l2_hit", fixed(1)) },
        { title: "DRAM", ...of("dram_rate", (v) => quantity(v, "B/s")) },
      ] : [
        { title: "kernels", key: (r) => r.run.launches.length, show: (r) => r.run.launches.length },
        { title: "time in all", key: (r) => sum(r.run.launches.map((l) => l.seconds)), show: (r) => seconds(sum(r.run.launches.map((l) => l.seconds))) },
      ]),
    ];
    return sortableTable(columns, rows, { id: "runs", tall: rows.length > 18, sort: 3, down: false });
  }

  const choose = (id, options, change) => el("select", { id, onchange: (e) => { change(e.target.value); draw(); } },
    options.map(([value, text]) => el("option", { value }, text)));
  document.getElementById("compare").append(el("h2", {}, `${DATA.runs.length} runs compared`),
    el("label", {}, "cycles, and ratios to ", choose("base", DATA.runs.map((r, i) => [i, `run ${r.id}: ${r.gpu}${overrides(r) ? ", " + overrides(r) : ""}`]),
      (v) => { state.base = Number(v); })), " ",
    many ? el("label", {}, "of ", choose("of", [["", "all kernels"], ...names.map((n) => [n, n])], (v) => { state.kernel = v; })) : "", place);
  draw();
}
