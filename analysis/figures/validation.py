#!/usr/bin/python3
"""Draws validation.svg, the picture of the front page: simulated against measured cycles, and the error by kernel.

usage: analysis/figures/validation.py VALIDATION.csv [OUT.svg]

VALIDATION.csv is what `heddle validate --csv` writes. Only the standard library is needed.
"""
import csv
import math
import os
import statistics
import sys
from xml.sax.saxutils import escape

INK, GRID, ACCENT, OVER, UNDER = "#24292f", "#d8dee4", "#57606a", "#c2410c", "#1d4ed8"
FONT = "font-family=\"Helvetica, Arial, sans-serif\""


def text(x, y, s, size=12, anchor="start", color=INK, extra=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}" {FONT} {extra}>'
            f"{escape(s)}</text>")


def line(x1, y1, x2, y2, color=GRID, width=1.0, extra=""):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
            f'stroke-width="{width}" {extra}/>')


def scatter(points, left, top, size):
    """Log-log, with the line of equality and a band of 20 % on both sides."""
    low = math.floor(2 * math.log10(min(min(p[1:]) for p in points))) / 2
    high = math.ceil(2 * math.log10(max(max(p[1:]) for p in points))) / 2
    scale = size / (high - low)

    def at(measured, simulated):
        return left + (math.log10(measured) - low) * scale, top + size - (math.log10(simulated) - low) * scale

    out = [f'<rect x="{left}" y="{top}" width="{size}" height="{size}" fill="none" stroke="{GRID}"/>',
           f'<clipPath id="plot"><rect x="{left}" y="{top}" width="{size}" height="{size}"/></clipPath>']
    for decade in range(math.ceil(low), math.floor(high) + 1):
        v = 10.0 ** decade
        x, y = at(v, v)
        label = f"{v:,.0f}"
        out += [line(x, top, x, top + size), line(left, y, left + size, y),
                text(x, top + size + 16, label, 11, "middle", ACCENT), text(left - 6, y + 4, label, 11, "end", ACCENT)]
    first, last = 10 ** low, 10 ** high
    for factor in (0.8, 1.0, 1.2):
        (x1, y1), (x2, y2) = at(first, first * factor), at(last, last * factor)
        dash = "" if factor == 1.0 else 'stroke-dasharray="4 4"'
        out.append(line(x1, y1, x2, y2, ACCENT, 1.0, f'clip-path="url(#plot)" {dash}'))
    for name, measured, simulated in points:
        x, y = at(measured, simulated)
        color = OVER if simulated > measured else UNDER
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}" fill-opacity="0.75">'
                   f"<title>{escape(name)}: {simulated:,.0f} of {measured:,.0f}</title></circle>")
    out += [text(left + size / 2, top + size + 38, "measured on the H200, cycles", 12, "middle"),
            text(left - 62, top + size / 2, "simulated, cycles", 12, "middle",
                 extra=f'transform="rotate(-90 {left - 62:.1f} {top + size / 2:.1f})"'),
            text(left + 12, top + 22, "dashed: 20 % off", 11, color=ACCENT)]
    return out


def bars(errors, left, top, width, height):
    limit = 10 * math.ceil(max(max(abs(e) for _, e in errors) * 100, 20) / 10)
    names = 108
    centre = left + names + (width - names) / 2
    scale = (width - names) / 2 / limit
    row = height / len(errors)
    out = []
    step = 10 if limit <= 40 else 20 if limit <= 80 else 50
    for tick in range(-limit // step * step, limit + 1, step):
        if abs(tick) <= limit:
            x = centre + tick * scale
            out += [line(x, top, x, top + height, ACCENT if tick == 0 else GRID),
                    text(x, top + height + 16, f"{tick:+d} %" if tick else "0", 10, "middle", ACCENT)]
    for i, (name, e) in enumerate(errors):
        y = top + i * row
        length = abs(e) * 100 * scale
        x = centre if e >= 0 else centre - length
        size = min(10.0, row)
        out += [text(left + names - 6, y + row / 2 + size * 0.36, name, f"{size:.1f}", "end"),
                f'<rect x="{x:.1f}" y="{y + row * 0.14:.1f}" width="{max(length, 0.5):.1f}" '
                f'height="{row * 0.72:.1f}" fill="{OVER if e > 0 else UNDER}" fill-opacity="0.75">'
                f"<title>{escape(name)}: {100 * e:+.1f} %</title></rect>"]
    out.append(text(centre, top + height + 38, "error of the simulated cycles", 12, "middle"))
    return out


def draw(rows):
    """`rows`: (kernel, measured cycles, simulated cycles)."""
    errors = sorted(((n, s / m - 1) for n, m, s in rows), key=lambda e: -e[1])
    absolute = [abs(e) for _, e in errors]
    title = (f"Heddle and silicon: {len(rows)} kernels on the NVIDIA H200, mean error "
             f"{100 * statistics.mean(absolute):.1f} %, median {100 * statistics.median(absolute):.1f} %")
    height = max(520, 10.5 * len(errors))
    total = height + 110
    body = [f'<rect width="1040" height="{total:.0f}" fill="#ffffff"/>', text(24, 32, title, 17, extra='font-weight="bold"')]
    body += scatter(rows, 92, 56, 430)
    body += bars(errors, 570, 56, 440, height)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1040 {total:.0f}" role="img" '
            f'aria-label="{escape(title)}">\n' + "\n".join(body) + "\n</svg>\n")


def read(path):
    with open(path, newline="", encoding="utf-8") as f:
        return [(r["name"], float(r["measured"]), float(r["simulated"])) for r in csv.DictReader(f)
                if r["metric"] == "cycles" and r["simulated"]]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    rows = read(sys.argv[1])
    if not rows:
        sys.exit(f"{sys.argv[1]}: no kernels")
    out = sys.argv[2] if len(sys.argv) == 3 else os.path.join(os.path.dirname(__file__), "validation.svg")
    with open(out, "w", encoding="utf-8") as f:
        f.write(draw(rows))


if __name__ == "__main__":
    main()
