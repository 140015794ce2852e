// Everything about one launch.
const nameOf = (l) => `${l.trace} ${l.launch}`;
const shortKernel = (l) => l.kernel.replace(/^void /, "").replace(/\(.*$/, "");

// Without namespaces where it is long: the end tells kernels apart.
const briefKernel = (l) => (shortKernel(l).length > 30 ? shortKernel(l).replace(/^(\w+::)+/, "") : shortKernel(l));

function fact(label, value, tip) {
  return el("div", { tip }, el("span", {}, label), el("b", {}, value));
}

function factStrip(l) {
  const c = l.counters;
  return el("div", { class: "facts" },
    fact("time", seconds(l.seconds), `${whole(l.cycles)} cycles at ${whole(l.core_mhz)} MHz, launch cost included`),
    fact("cycles", whole(l.cycles), `SM-active: ${whole(l.sm_active)} on the busiest SM`),
    fact("bound by", l.bound.replace(/ \(.*/, "") || "\u2013", `${l.bound}\nlatency: no unit above ${DATA.bound_pct} % of its peak`),
    fact("occupancy", percent(l.occupancy), `theoretical ${percent(l.occupancy_max)}: ${l.blocks_per_sm} blocks per SM, limited by ${l.limiter}`),
    fact("IPC", fixed(2)(l.ipc), `warp instructions per SM and active cycle; ${percent(l.issue_pct)} of the issue slots`),
    fact("L1 hits", l.l1_hit === null ? "\u2013" : percent(l.l1_hit), `${whole(c["l1tex__t_sectors_lookup_hit.sum"])} of ${whole(c["l1tex__t_sectors.sum"])} sectors`),
    fact("L2 hits", l.l2_hit === null ? "\u2013" : percent(l.l2_hit), `${whole(c["lts__t_sectors_srcunit_tex_lookup_hit.sum"])} of ${whole(c["lts__t_sectors_srcunit_tex.sum"])} sectors that the SMs asked for`),
    fact("DRAM", quantity(l.dram_rate, "B/s"), `${quantity(c["dram__bytes_read.sum"], "B")} read, ${quantity(c["dram__bytes_write.sum"], "B")} written`));
}

function launchLine(l) {
  const parts = [`grid ${l.grid}`, `block ${l.block}`];
  if (l.cluster !== "1 \u00d7 1 \u00d7 1") {
    parts.push(`cluster ${l.cluster}`);
  }
  parts.push(`${l.registers} registers per thread`, `${whole(l.shared)} bytes of shared memory per block`,
    `${fixed(2)(l.waves)} waves`, `${whole(l.instructions)} warp instructions`);
  if (!l.control_bits) {
    parts.push("dependences by register scoreboard");
  }
  if (l.sampling) {
    parts.push(l.sampling);
  }
  return el("p", { class: "run" }, parts.join(" \u00b7 "));
}

function roofCard(l) {
  // A kernel that hardly uses the GPU gets its busiest units all the same.
  const used = l.roofs.filter(([, v]) => v > 0), busy = used.filter(([, v]) => v >= 0.5);
  const share = (v) => (v >= 0.1 ? percent(v) : `${v.toLocaleString("en-US", { maximumSignificantDigits: 1 })}\u2009%`);
  const rows = (busy.length ? busy : used.slice(0, 5)).map(([name, v]) => ({
    name, value: v, label: share(v), colour: v > DATA.bound_pct ? "var(--memory)" : "var(--compute)",
    tip: `${name}: ${share(v)} of what it can do in all cycles of the launch` }));
  return el("div", { class: "card", id: "roofs" }, el("h3", {}, "Use of each unit, % of its peak"), barList(rows, DATA.bound_pct),
    el("p", { class: "note" }, rows.length ? `The line marks ${DATA.bound_pct} %: where nothing gets beyond it, latency is the limit.`
      : "Not known: the run's configuration is of another version."));
}

function stallCard(l) {
  const total = sum(Object.values(l.stalls));
  const rows = Object.entries(l.stalls).sort((a, b) => b[1] - a[1]).filter(([, v]) => v / total >= 0.0005).map(([r, v]) => ({
    name: r, value: 100 * v / total, label: percent(100 * v / total), colour: colour(familyOf(r)),
    tip: `${r}: ${DATA.stalls[r][1]}\n${whole(v)} warp-cycles` }));
  return el("div", { class: "card" }, el("h3", {}, "Where the warps' time goes, % of warp-cycles"), barList(rows));
}

function overTime(run, l) {
  const samples = l.series.cycle.length;
  if (!samples) {
    return null;
  }
  // A chart is some 300 pixels wide: neighbours are drawn as one.
  const together = Math.ceil(samples / 256);
  const ends = l.series.cycle.filter((_, i) => i % together === together - 1 || i === samples - 1);
  const merged = (values) => ends.map((_, i) => sum(values.slice(i * together, (i + 1) * together)));
  const cycles = ends.map((c, i) => c - (i ? ends[i - 1] : 0));
  const growth = (values, scale) => merged(values).map((v, i) => v * scale / cycles[i]);
  const rate = (name, scale) => growth(l.series[name], scale);
  const less = (a, b) => a.map((v, i) => Math.max(0, v - b[i]));
  const shares = (a, b) => a.map((v, i) => (b[i] ? 100 * v / b[i] : null));
  const perSecond = l.core_mhz * 1e6, sms = run.sms || 1;
  const l1 = rate("l1tex__t_sectors.sum", 32 * perSecond), l1Hits = rate("l1tex__t_sectors_lookup_hit.sum", 32 * perSecond);
  // The memory barriers of a launch's end are look-ups without data, and more hits than look-ups: they are left out of the
  // last interval, where all of them are counted.
  const barriers = l.counters["lts__t_sectors_op_membar.sum"] || 0;
  const data = (name) => l.series[name].map((v, i) => (i === samples - 1 ? Math.max(0, v - barriers) : v));
  const lookUps = data("lts__t_sectors.sum"), found = data("lts__t_sectors_lookup_hit.sum").map((v, i) => Math.min(v, lookUps[i]));
  const l2 = growth(lookUps, 32 * perSecond), l2Hits = growth(found, 32 * perSecond);
  return el("div", {}, el("h2", {}, "Over time"), el("div", { class: "grid" },
    timeChart("Warps on an SM, mean over all SMs", ends,
      [{ name: "active warps", values: rate("sm__warps_active.sum", 1 / sms), colour: "var(--compute)", fill: true }]),
    timeChart("Warp instructions per cycle and SM", ends,
      [{ name: "issued", values: rate("smsp__inst_executed.sum", 1 / sms), colour: "var(--issue)", fill: true }]),
    timeChart("DRAM", ends,
      [{ name: "read", values: rate("dram__bytes_read.sum", perSecond), colour: "var(--memory)", fill: true },
       { name: "written", values: rate("dram__bytes_write.sum", perSecond), colour: "var(--fetch)", fill: true }], "B/s"),
    timeChart("L2", ends,
      [{ name: "hits", values: l2Hits, colour: "var(--sync)", fill: true }, { name: "misses", values: less(l2, l2Hits), colour: "var(--memory)" }], "B/s"),
    timeChart("L1", ends,
      [{ name: "hits", values: l1Hits, colour: "var(--sync)", fill: true }, { name: "misses", values: less(l1, l1Hits), colour: "var(--memory)" }], "B/s"),
    timeChart("Hits, % of the sectors", ends,
      [{ name: "L1", values: shares(l1Hits, l1), colour: "var(--compute)" }, { name: "L2", values: shares(l2Hits, l2), colour: "var(--sync)" }])),
  el("p", { class: "note" }, `Against core cycles of the launch; ${samples} intervals${together > 1 ? `, drawn ${together} at a time` : ""}. Traffic counts when the SM has sent it.`));
}

function sourceOf(r) {
  return r.line ? (r.file ? `${r.file.split("/").pop()}:${r.line}` : `line ${r.line}`) : "";
}

function hotSpots(l) {
  if (!l.code.length) {
    return null;
  }
  const cost = (r) => sum(Object.values(r.stalls));
  const total = sum(l.code.map(cost)) || 1, most = Math.max(1, ...l.code.map(cost));
  const topOf = (r) => Object.entries(r.stalls).filter(([n]) => n !== "selected").sort((a, b) => b[1] - a[1])[0];
  const share = (part, of, show) => (of ? show(part / of) : "");
  const columns = [
    { title: "PC", key: (r) => r.pc, show: (r) => r.pc.toString(16).padStart(4, "0"), className: "mono dim", tip: "byte offset in the kernel's code" },
    { title: "SASS", key: (r) => r.sass, show: (r) => r.sass, text: true, className: "mono sass" },
    ...(l.code.some((r) => r.line) ? [{ title: "source", key: (r) => (r.line ? sourceOf(r) : "~"), show: sourceOf, text: true, className: "mono dim", tip: "line of the program's source" }] : []),
    { title: "% of time", key: cost, show: (r) => (cost(r) / total >= 0.0005 ? fixed(1)(100 * cost(r) / total) : ""), tip: "share of all warp-cycles, spent waiting to issue this instruction or issuing it" },
    { title: "stalls", key: cost, show: (r) => stallStack(r.stalls, most), text: true, tip: "widest: the instruction that costs most" },
    { title: "largest", key: (r) => (topOf(r) || [""])[0], show: (r) => (topOf(r) && cost(r) / total >= 0.001 ? topOf(r)[0] : ""), text: true },
    { title: "executed", key: (r) => r.executed, show: (r) => (r.executed ? whole(r.executed) : ""), tip: "by warps" },
    { title: "threads", key: (r) => (r.executed ? r.threads / r.executed : null), show: (r) => share(r.threads, r.executed, fixed(1)), tip: "with a true predicate, mean of 32" },
    { title: "sectors/req", key: (r) => (r.requests ? r.sectors / r.requests : null), show: (r) => share(r.sectors, r.requests, fixed(1)), tip: "32-byte sectors at L1 per request" },
    { title: "L1 hit %", key: (r) => (r.sectors ? r.hits / r.sectors : null), show: (r) => share(100 * r.hits, r.sectors, fixed(0)) },
    { title: "wavefronts", key: (r) => r.wavefronts || null, show: (r) => (r.wavefronts ? whole(r.wavefronts) : ""), tip: "passes through shared memory" },
    { title: "conflicts", key: (r) => (r.wavefronts ? r.conflicts : null), show: (r) => (r.wavefronts ? whole(r.conflicts) : ""), tip: "of these, more than without bank conflicts" },
  ];
  const table = sortableTable(columns, l.code, { sort: 0, down: false, tall: true, id: "code" });
  const hottest = l.code.filter(cost).sort((a, b) => cost(b) - cost(a)).slice(0, 6);
  return el("div", {}, el("h2", {}, "Instructions"),
    el("p", { class: "hottest" }, "Hottest:", hottest.map((r) => el("button", { type: "button", onclick: () => table.reveal(r), tip: r.sass },
      el("span", { class: "mono" }, `${r.pc.toString(16).padStart(4, "0")} ${r.op}`), ` ${percent(100 * cost(r) / total)}`))),
    familyLegend(), table.node,
    el("p", { class: "note" }, "A wait is charged to the instruction that the warp waits to issue: behind a load, that is the first use of its value."));
}

function counterTable(l) {
  const rows = Object.entries(l.counters).filter(([, v]) => v !== null).map(([name, value]) =>
    ({ name, value, unit: DATA.metrics[name][0], meaning: DATA.metrics[name][1] }));
  let wanted = "";
  const table = sortableTable([
    { title: "counter", key: (r) => r.name, show: (r) => r.name, text: true, className: "mono" },
    { title: "value", key: (r) => r.value, show: (r) => (r.value % 1 ? fixed(2)(r.value) : whole(r.value)) },
    { title: "unit", key: (r) => r.unit, show: (r) => r.unit, text: true },
    { title: "meaning", key: (r) => r.meaning, show: (r) => r.meaning, text: true },
  ], rows, { sort: 0, down: false, tall: true, id: "counters", filter: (r) => `${r.name} ${r.meaning}`.toLowerCase().includes(wanted) });
  const search = el("input", { type: "search", placeholder: "filter", "aria-label": "filter counters",
    oninput: (e) => { wanted = e.target.value.toLowerCase(); table.redraw(); } });
  return el("details", {}, el("summary", {}, `All ${rows.length} counters`), search, table.node);
}

function showKernel(run, l, pick) {
  const profiled = l.code.length || l.series.cycle.length;
  const flat = (nodes) => nodes.filter((n) => n);
  document.getElementById("kernel").replaceChildren(...flat([
    el("h2", { id: "picked" }, `${nameOf(l)}${DATA.runs.length > 1 ? `, run ${run.id}` : ""}: ${l.kernel}`), launchLine(l), el("div", { style: "height:12px" }), factStrip(l),
    el("div", { class: "grid" }, ...flat([roofCard(l), stallCard(l), roofline(run, run.launches, l, pick)])),
    overTime(run, l), hotSpots(l),
    profiled ? null : el("p", { class: "note", style: "margin-top:16px" }, "With heddle run --profile there are hot spots, a roofline and charts over time here."),
    counterTable(l)]));
}
