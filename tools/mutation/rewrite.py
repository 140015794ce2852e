"""A file with its mutants compiled in."""


def rewrite(text, mutations):
    """`mutations`: (number, Mutation) of this file. Lines stay where they are."""
    edits = []
    for number, m in mutations:
        for start, end, new, other in m.edits:
            # At one place: what closes comes first, the inner one before the outer; then what opens, outer first.
            closes = start == end and other and other < start
            order = (start, 0, -other) if closes else (start, 1, -other if start == end else 0)
            edits.append((order, start, end, new.replace("#", str(number))))
    out, done = [], 0
    for _, start, end, new in sorted(edits):
        out += [text[done:start], new]
        done = max(done, end)
    return "".join(out) + text[done:]
