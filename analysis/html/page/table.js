// Sortable tables. A column: {title, key(row) for sorting, show(row) -> text or element, text: left-aligned,
// tip, className, foot}. A click on a title sorts, a second one turns the order.
function sortableTable(columns, rows, options = {}) {
  const state = { column: options.sort ?? -1, down: options.down ?? true };
  const body = el("tbody");
  const heads = columns.map((c, i) =>
    el("th", { scope: "col", class: c.text ? "text" : null, tip: c.tip },
      el("button", { type: "button", onclick: () => sortBy(i) }, c.title)));
  const drawn = new Map();

  function sortBy(i) {
    // Numbers begin with the largest, names with A.
    state.down = state.column === i ? !state.down : !columns[i].text;
    state.column = i;
    draw();
  }
  function draw() {
    const order = rows.slice();
    if (state.column >= 0) {
      const key = columns[state.column].key;
      order.sort((a, b) => {
        const x = key(a), y = key(b);
        if (x === null || y === null) {
          return (x === null) - (y === null);  // what has no value comes last
        }
        const less = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
        return state.down ? -less : less;
      });
    }
    heads.forEach((h, i) => i === state.column
      ? h.setAttribute("aria-sort", state.down ? "descending" : "ascending") : h.removeAttribute("aria-sort"));
    body.replaceChildren(...order.filter((r) => !options.filter || options.filter(r)).map(rowOf));
  }
  function rowOf(r) {
    if (!drawn.has(r)) {
      const cells = columns.map((c) => el("td", { class: [c.text ? "text" : "", c.className || ""].join(" ").trim() || null },
        c.show(r)));
      const link = options.pick ? { class: "link", tabindex: "0", onclick: () => options.pick(r),
        onkeydown: (e) => { if (e.key === "Enter") { options.pick(r); } } } : {};
      drawn.set(r, el("tr", link, cells));
    }
    drawn.get(r).classList.toggle("picked", Boolean(options.picked && options.picked(r)));
    return drawn.get(r);
  }
  draw();
  const foot = columns.some((c) => c.foot !== undefined)
    ? el("tfoot", {}, el("tr", {}, columns.map((c) => el("td", { class: c.text ? "text" : null }, c.foot ?? "")))) : null;
  const table = el("table", { id: options.id }, el("thead", {}, el("tr", {}, heads)), body, foot);
  // Scrolls the table to a row and marks it for a moment.
  function reveal(r) {
    const row = rowOf(r), frame = row.closest(".scroll");
    frame.scrollTop = row.offsetTop - frame.clientHeight / 3;
    row.classList.add("picked");
    setTimeout(() => row.classList.remove("picked"), 2000);
  }
  return { reveal, node: el("div", { class: "scroll" + (options.tall ? " tall" : "") }, table), redraw: draw };
}
