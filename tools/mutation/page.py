"""tests/MUTANTS.md: what became of the mutants."""

from collections import Counter

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


def text(root, a, draw, drawn, results, cases):
    equivalent = judgements(root)
    by = {}
    for m in drawn.values():
        by.setdefault(verdict(m, results, equivalent), []).append(m)
    for ms in by.values():
        ms.sort(key=lambda m: (m.path, m.line))
    longest = max(results[m.key()]["seconds"] for m in drawn.values())
    out = [
        HEAD.format(seed=a.seed, count=len(drawn), possible=len(draw), cases=cases, longest=longest),
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
    unused = set(equivalent) - {name(m) for m in by.get("equivalent", [])}
    if unused:
        out.append(f"\nJudgements of no survivor: {', '.join(sorted(unused))}.")
    return "\n".join(out) + "\n"
