"""tests/MUTANTS.md: what became of the mutants, and whether it and the judgements are of the sources that there are."""

import hashlib
import re
from collections import Counter

from .draw import Draw
from .operators import candidates
from .source import Source

PAGE = "tests/MUTANTS.md"
JUDGEMENTS = "tests/mutants_equivalent.txt"
TESTS = ["tests/sim", "tests/exec"]
# What runs programs of other rooms, and silicon's records.
WITHOUT = ["/oracle/", "tests/exec/nested_test.cc"]

HEAD = """# Mutants

Made by `tools/mutate --page`; do not edit. Each mutant is the model with one small change: a comparison that
takes one more or one less, a constant one higher or lower, `+` for `-`, `min` for `max`, a condition negated, a
clause of it dropped, a statement dropped. A test that fails with it, or does not end, has killed it. One that
survives is a rule that nobody holds, or a change that makes no difference.

- Seed {seed}, {count} drawn from the {possible} possible ones in functions of `sim/` (all of it).
- Tests: {cases} cases of `tests/sim` and `tests/exec` (not `tests/exec/oracle`, which needs other rooms), built
  with assertions, as under the sanitizers. The suites of recorded traces, `tests/metamorphic` and the other rooms'
  tests are not used: they would kill more, with less to say why.
- Test cases of more than 2 s try only mutants that at most 20 cases see.
- Not drawn: messages of assertions, what the compiler computes, reservations of memory and hints for caches.
- The longest verdict took {longest:.0f} s.
"""
DRAWN = "<!-- Drawn, for `tools/mutate --check`: {} -->"
# Of what is drawn today, as much may be unknown to the page.
MOST_UNKNOWN = 0.1


def judgements(root):
    """{name: reason} of the mutants that are equivalent."""
    out = {}
    path = root / JUDGEMENTS
    for line in path.read_text().splitlines() if path.exists() else []:
        if line and not line.startswith("#"):
            name, reason = line.rsplit("  # ", 1)
            out[name.strip()] = reason
    return out


def name(m):
    """As tests/mutants_equivalent.txt has it."""
    return f"{m.path}: {m.change()}" + (f" ({m.nth})" if m.nth > 1 else "")


def _model(root):
    return sorted(p for p in (root / "sim").rglob("*") if p.suffix in (".h", ".cc"))


def of_nothing(root, equivalent):
    """[message] of the judgements whose change the sources do not have."""
    texts = {str(p.relative_to(root)): p.read_text() for p in _model(root)}
    paths = {n.split(": ", 1)[0] for n in equivalent}
    names = {name(m) for path in paths & texts.keys() for m in candidates(Source(path, texts[path]))}
    out = []
    for n in sorted(equivalent.keys() - names):
        change = re.sub(r" \(\d+\)$", "", n.split(": ", 1)[1])
        # As far as the text was not cut short, or made of several lines.
        was = change.rsplit(" -> ", 1)[0].split("...")[0].split("(")[-1].strip()
        also = [path for path, text in texts.items() if len(was) > 3 and was in text]
        now = f"; `{was}` is in {', '.join(also)}" if 0 < len(also) <= 5 else ""
        out.append(f"{JUDGEMENTS}: {n}: the sources have no such change (FILE: WAS -> NOW, (N) for the N-th of a file){now}")
    return out


def _digest(m):
    return hashlib.sha256(repr(m.key()).encode()).hexdigest()[:6]


def unknown(root):
    """How many of the drawn the page does not know, and how many are drawn."""
    page = (root / PAGE).read_text()
    known = re.search(DRAWN.replace("{}", "([0-9a-f ]*)"), page)
    seed, count = re.search(r"^- Seed (\d+), (\d+) drawn", page, re.M).groups()
    known = set(known[1].split()) if known else set()
    drawn = Draw(root, [str(p.relative_to(root)) for p in _model(root)], int(seed)).take(int(count), set())
    return sum(_digest(m) not in known for m in drawn.values()), len(drawn)


def place(m):
    return f"{m.path}:{m.line}"


def verdict(m, results, equivalent):
    v = results[m.key()]["verdict"]
    return "equivalent" if v == "survived" and name(m) in equivalent else v


def summary(drawn, results, equivalent):
    n = Counter(verdict(m, results, equivalent) for m in drawn.values() if m.key() in results)
    others = n["killed"] + n["survived"]
    share = 100 * n["killed"] / others if others else 0
    return (
        f"{n['killed']} killed, {n['survived']} survived: {share:.1f} % of {others}; {n['equivalent']} equivalent, "
        f"{n['none']} would not compile"
    )


def _room(m):
    parts = m.path.split("/")
    return "/".join(parts[: 3 if parts[1] in ("host",) and len(parts) > 3 else 2])


def _table(title, of, drawn, results, equivalent):
    rows = {}
    for m in drawn.values():
        rows.setdefault(of(m), Counter())[verdict(m, results, equivalent)] += 1
    out = [f"| {title} | killed | survived | equivalent | % |", "|---|--:|--:|--:|--:|"]
    for key in sorted(rows):
        n = rows[key]
        others = n["killed"] + n["survived"]
        share = f"{100 * n['killed'] / others:.0f}" if others else ""
        out.append(f"| {key} | {n['killed']} | {n['survived']} | {n['equivalent']} | {share} |")
    return "\n".join(out) + "\n"


def _code(text):
    return "`" + text.replace("|", "\\|").replace("`", "'") + "`"


def misjudged(drawn, results, equivalent):
    """[message] of the judgements that a test contradicts."""
    out = []
    for m in drawn.values():
        r = results.get(m.key(), {})
        if name(m) in equivalent and r.get("verdict") == "killed":
            out.append(f"{JUDGEMENTS}: {name(m)}: it makes a difference, seen by {r['by']}")
    return out


def text(a, draw, drawn, without, results, equivalent, cases, sources):
    """`without`: keys of those that do not compile, `sources`: digest of the model that the program was made of."""
    by = {}
    for m in drawn.values():
        by.setdefault(verdict(m, results, equivalent), []).append(m)
    for ms in by.values():
        ms.sort(key=lambda m: (m.path, m.line))
    longest = max(results[m.key()]["seconds"] for m in drawn.values())
    earlier = sum(results[m.key()].get("sources") != sources for m in drawn.values())
    out = [
        HEAD.format(seed=a.seed, count=len(drawn), possible=len(draw), cases=cases, longest=longest)
        + (f"- {earlier} verdicts are of earlier sources (`--survivors`).\n" if earlier else ""),
        f"**{summary(drawn, results, equivalent)}.**\n",
        _table("change", lambda m: m.kind, drawn, results, equivalent),
        _table("room", _room, drawn, results, equivalent),
    ]
    out.append("## Survivors\n\n| where | change | |\n|---|---|---|")
    for m in by.get("survived", []):
        out.append(f"| {place(m)} | {_code(m.change())} | {results[m.key()]['by']} |")
    out.append("\n## Equivalent\n\n| where | change | why |\n|---|---|---|")
    for m in by.get("equivalent", []):
        out.append(f"| {place(m)} | {_code(m.change())} | {equivalent[name(m)]} |")
    undrawn = equivalent.keys() - {name(m) for m in drawn.values()}
    if undrawn:
        out.append("\nJudged too, but not drawn:\n")
        out += [f"- {_code(n)}: {equivalent[n]}" for n in sorted(undrawn)]
    known = sorted({_digest(m) for m in draw.order if m.key() in without} | {_digest(m) for m in drawn.values()})
    out.append("\n" + DRAWN.format(" ".join(known)))
    return "\n".join(out) + "\n"
