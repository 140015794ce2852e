// Operations per second over operations per byte, both logarithmic: bandwidths are slopes, pipes are ceilings.
const LEVELS = [["dram", "DRAM"], ["l2", "L2"], ["l1", "L1"]];
const KINDS = { fp64: "FP64", fp32: "FP32", fp16: "FP16", tensor: "tensor" };

// Bytes that the launch moved at each level.
function traffic(l) {
  const c = l.counters;
  return { dram: l.dram_bytes, l2: 32 * c["lts__t_sectors.sum"], l1: 32 * c["l1tex__t_sectors.sum"] };
}

function roofline(run, launches, current, pick) {
  const points = launches.flatMap((l) => {
    const flop = sum(Object.values(l.flop)), bytes = traffic(l);
    return flop ? LEVELS.filter(([level]) => bytes[level] > 0).map(([level, name]) =>
      ({ l, level, name, x: flop / bytes[level], y: flop / l.seconds })) : [];
  });
  const peaks = run.peaks;
  if (!peaks || !points.length) {
    return null;
  }
  const kinds = Object.keys(KINDS).filter((k) => peaks[k] > 0);
  const W = 400, H = 290, L = 44, R = 66, T = 18, B = 36;
  const top = Math.max(...kinds.map((k) => peaks[k])) * 2;
  const low = Math.min(...points.map((p) => p.y), top / 1e4) / 2;
  const left = Math.min(...points.map((p) => p.x), 0.05) / 1.5, right = Math.max(...points.map((p) => p.x), 2 * top / peaks.dram) * 1.5;
  const x = (v) => L + (W - L - R) * Math.log(v / left) / Math.log(right / left);
  const y = (v) => H - B - (H - T - B) * Math.log(v / low) / Math.log(top / low);
  const root = svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": "roofline" });
  const decades = (a, b) => {
    const out = [];
    for (let e = Math.ceil(Math.log10(a)); e <= Math.floor(Math.log10(b)); ++e) {
      out.push(10 ** e);
    }
    return out;
  };
  for (const t of decades(low, top)) {
    root.append(svg("line", { x1: L, x2: W - R, y1: y(t), y2: y(t), class: "grid-line" }),
      svg("text", { x: L - 8, y: y(t) + 4, "text-anchor": "end" }, quantity(t, "").replace("\u2009", "\u00a0")));
  }
  const across = decades(left, right), skip = Math.ceil(across.length / 6);
  for (const t of across) {
    root.append(svg("line", { x1: x(t), x2: x(t), y1: T, y2: H - B, class: "grid-line" }),
      svg("text", { x: x(t), y: H - B + 16, "text-anchor": "middle" }, across.indexOf(t) % skip ? "" : t >= 1 ? quantity(t, "").replace("\u2009", "").replace(/\.00?/, "") : String(t)));
  }
  root.append(svg("text", { x: (L + W - R) / 2, y: H - 4, "text-anchor": "middle" }, "operations per byte"),
    svg("text", { x: 0, y: T - 8, "text-anchor": "start" }, "operations per second"));
  const highest = Math.max(...kinds.map((k) => peaks[k]));
  for (const [level, name] of LEVELS) {
    const meets = highest / peaks[level], from = Math.max(left, low / peaks[level]);
    if (meets <= from) {
      continue;
    }
    root.append(svg("line", { x1: x(from), y1: y(from * peaks[level]), x2: x(meets), y2: y(highest), class: "roof",
      tip: `${name}: ${quantity(peaks[level], "B/s")}` }),
      svg("text", { x: x(from) + 4, y: y(from * peaks[level]) - (level === "dram" ? -14 : 6),
        transform: `rotate(${-Math.atan2(y(from * peaks[level]) - y(highest), x(meets) - x(from)) * 180 / Math.PI} ${x(from)} ${y(from * peaks[level])})` }, name));
  }
  for (const k of kinds) {
    root.append(svg("line", { x1: x(Math.max(left, peaks[k] / peaks.l1)), x2: W - R, y1: y(peaks[k]), y2: y(peaks[k]), class: "roof",
      tip: `${KINDS[k]}: ${quantity(peaks[k], "FLOP/s")}` }));
  }
  // Ceilings that coincide share a label.
  const labels = new Map();
  kinds.forEach((k) => labels.set(Math.round(y(peaks[k]) / 6), [...(labels.get(Math.round(y(peaks[k]) / 6)) || []), k]));
  for (const same of labels.values()) {
    root.append(svg("text", { x: W - R + 6, y: y(peaks[same[0]]) + 4 }, same.map((k) => KINDS[k]).join(", ")));
  }
  const shape = { dram: "var(--memory)", l2: "var(--compute)", l1: "var(--sync)" };
  for (const p of points.sort((a, b) => (a.l === current) - (b.l === current))) {
    root.append(svg("circle", { cx: x(p.x), cy: y(p.y), r: p.l === current ? 5.5 : 3.5, fill: shape[p.level], class: "point",
      opacity: p.l === current ? 1 : 0.35, style: "cursor:pointer", onclick: () => pick(p.l),
      tip: `${p.l.trace} ${p.l.launch}\n${quantity(p.y, "FLOP/s")}\n${quantity(p.x, "FLOP")} per byte of ${p.name}` }));
  }
  return el("div", { class: "card" }, el("h3", {}, "Roofline"),
    el("div", { class: "legend" }, LEVELS.map(([level, name]) =>
      el("span", {}, el("i", { style: `background:${shape[level]};border-radius:50%` }), `per byte of ${name}`))),
    root, el("p", { class: "note" }, "Large points are this launch, small ones the run's others with a profile. " +
      "Additions and products count one, fused multiply-adds two, matrix products 2\u00b7M\u00b7N\u00b7K."));
}
