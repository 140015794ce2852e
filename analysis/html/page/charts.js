// Bars and lines over time.
const FAMILIES = {
  memory: "L1TEX, global memory", shared: "shared memory, MIO", compute: "execution, dependences", sync: "barriers",
  fetch: "instruction supply", issue: "issued",
};
const colour = (family) => `var(--${family})`;
const familyOf = (reason) => DATA.stalls[reason][0];

function familyLegend() {
  return el("div", { class: "legend" }, Object.entries(FAMILIES).map(([f, name]) =>
    el("span", {}, el("i", { style: `background:${colour(f)}` }), name)));
}

// Reasons in the order of the families, so that bars can be compared.
function ordered(stalls) {
  const rank = Object.keys(FAMILIES);
  return Object.entries(stalls).sort((a, b) => rank.indexOf(familyOf(a[0])) - rank.indexOf(familyOf(b[0])) || b[1] - a[1]);
}
// A stacked bar; `whole` is its full width.
function stallStack(stalls, whole) {
  const total = sum(Object.values(stalls));
  const tip = Object.entries(stalls).sort((a, b) => b[1] - a[1]).slice(0, 8)
    .map(([r, v]) => `${percent(100 * v / total)}  ${r}`).join("\n");
  return el("div", { class: "stack", tip: total ? tip : null }, ordered(stalls).map(([r, v]) =>
    el("i", { style: `width:${100 * v / whole}%;background:${colour(familyOf(r))}` })));
}

// rows: {name, value (per cent of full width), label, colour, tip}
function barList(rows, mark) {
  return el("div", { class: "bars" }, rows.map((r) => [
    el("span", { tip: r.tip }, r.name),
    el("div", { class: "track", tip: r.tip }, el("i", { style: `width:${Math.min(100, r.value)}%;background:${r.colour}` }),
      mark ? el("u", { style: `left:${mark}%` }) : null),
    el("span", {}, r.label),
  ]));
}

function niceTicks(max, count = 4) {
  const raw = max / count, power = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 2.5, 5, 10].find((s) => s * power >= raw) * power;
  const out = [];
  for (let v = 0; v <= max + step * 1e-9; v += step) {
    out.push(v);
  }
  return out;
}

// Values of intervals that end at ends[i]: steps. lines: {name, values, colour, fill}; without a unit they are shown as
// plain numbers, with as many digits as tell the axis' labels apart. A value that is null leaves a gap; such lines have no fill.
function timeChart(title, ends, lines, unit) {
  const W = 400, H = 170, L = 46, R = 8, T = 8, B = 24;
  const most = Math.max(1e-12, ...lines.flatMap((l) => l.values)), ticks = niceTicks(most, 3), step = ticks[1] || most;
  const top = step * Math.ceil(most / step - 1e-9), last = ends[ends.length - 1];
  const digits = [0, 1, 2, 3, 4, 5, 6].find((n) => Math.abs(step * 10 ** n - Math.round(step * 10 ** n)) < 1e-6) ?? 6;
  const label = unit ? (v) => quantity(v, unit) : fixed(digits), show = unit ? label : fixed(digits + 1);
  const x = (c) => L + (W - L - R) * c / last, y = (v) => H - B - (H - T - B) * Math.min(v, top) / top;
  const root = svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": title });
  for (let t = 0; t <= top * 1.0001; t += step) {
    root.append(svg("line", { x1: L, x2: W - R, y1: y(t), y2: y(t), class: t ? "grid-line" : "axis" }),
      svg("text", { x: L - 6, y: y(t) + 4, "text-anchor": "end" }, label(t)));
  }
  for (const t of niceTicks(last, 4)) {
    root.append(svg("text", { x: x(t), y: H - 6, "text-anchor": t ? "middle" : "start" }, quantity(t, "").replace("\u2009", "")));
  }
  for (const l of lines) {
    let path = "", before = 0;
    l.values.forEach((v, i) => {
      if (v === null) {
        before = ends[i];
        return;
      }
      path += `${i && l.values[i - 1] !== null ? "L" : "M"}${x(before).toFixed(2)},${y(v).toFixed(2)}L${x(ends[i]).toFixed(2)},${y(v).toFixed(2)}`;
      before = ends[i];
    });
    if (l.fill) {
      root.append(svg("path", { d: `${path}L${x(last)},${y(0)}L${x(0)},${y(0)}Z`, fill: l.colour, opacity: 0.18 }));
    }
    root.append(svg("path", { d: path, fill: "none", stroke: l.colour, "stroke-width": 1.4, "stroke-linejoin": "round" }));
  }
  const cursor = svg("line", { y1: T, y2: H - B, class: "cursor", visibility: "hidden" });
  root.append(cursor);
  root.addEventListener("mousemove", (e) => {
    const box = root.getBoundingClientRect();
    const cycle = ((e.clientX - box.left) / box.width * W - L) / (W - L - R) * last;
    const i = ends.findIndex((c) => c >= cycle);
    if (cycle < 0 || i < 0) {
      return;
    }
    cursor.setAttribute("visibility", "visible");
    cursor.setAttribute("x1", x(cycle));
    cursor.setAttribute("x2", x(cycle));
    showTip(`cycles ${whole(i ? ends[i - 1] : 0)} to ${whole(ends[i])}\n` +
      lines.map((l) => `${l.name}: ${l.values[i] === null ? "\u2013" : show(l.values[i])}`).join("\n"), e.clientX, e.clientY);
  });
  root.addEventListener("mouseleave", () => {
    cursor.setAttribute("visibility", "hidden");
    hideTip();
  });
  const legend = lines.length > 1 ? el("div", { class: "legend" }, lines.map((l) =>
    el("span", {}, el("i", { style: `background:${l.colour}` }), l.name))) : null;
  return el("div", { class: "card" }, el("h3", {}, title), legend, root);
}
