// Elements, numbers and the tooltip. Text only ever becomes text nodes.
const SVG = "http://www.w3.org/2000/svg";

function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}
function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "tip") {
      withTip(node, value);
    } else if (name.startsWith("on")) {
      node.addEventListener(name.slice(2), value);
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
  return node;
}

const tipBox = document.getElementById("tip");
function showTip(text, x, y) {
  tipBox.textContent = text;
  tipBox.hidden = false;
  const box = tipBox.getBoundingClientRect();
  tipBox.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
  tipBox.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 18) + "px";
}
function hideTip() {
  tipBox.hidden = true;
}
function withTip(node, text) {
  const say = (e) => showTip(typeof text === "function" ? text(e) : text, e.clientX, e.clientY);
  node.addEventListener("mousemove", say);
  node.addEventListener("mouseleave", hideTip);
}

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const whole = (v) => grouped.format(v);
const fixed = (digits) => (v) => v.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const percent = (v) => fixed(1)(v) + "\u2009%";
// Three significant digits with a decimal prefix.
function quantity(value, unit) {
  if (!value) {
    return "0 " + unit;
  }
  const steps = ["p", "n", "\u00b5", "m", "", "k", "M", "G", "T", "P"];
  let i = 4 + Math.floor(Math.log10(Math.abs(value)) / 3 + 1e-12);
  i = Math.max(0, Math.min(steps.length - 1, i));
  const scaled = value / 10 ** (3 * (i - 4));
  return scaled.toLocaleString("en-US", { maximumSignificantDigits: 3, minimumSignificantDigits: Math.abs(scaled) >= 1 ? 3 : 1 }) +
    "\u2009" + steps[i] + unit;
}
const seconds = (v) => quantity(v, "s");
const sum = (values) => values.reduce((a, b) => a + b, 0);
