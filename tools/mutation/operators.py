"""What a mutation may be: each operator finds its places in a file and says how the text changes."""

import re
from collections import Counter

# operator: (name in schemata.h, what it becomes)
INFIX = {
    "<": ("less", "<="), "<=": ("less_equal", "<"), ">": ("greater", ">="), ">=": ("greater_equal", ">"),
    "==": ("equal", "!="), "!=": ("not_equal", "=="), "+": ("plus", "-"), "-": ("minus", "+"),
    "&": ("bit_and", "|"), "|": ("bit_or", "&"), "<<": ("left_shift", ">>"), ">>": ("right_shift", "<<"),
}  # fmt: skip
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
COMPOUND = {"+=": "-=", "-=": "+=", "|=": "&=", "&=": "|="}
ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="}
NO_STATEMENT = set(
    "return if for while do switch case default break continue goto using typedef static const constexpr auto "
    "static_assert else throw try catch struct class enum union template namespace assert public private "
    "protected unsigned bool int char float double void".split()
)
# They change how fast the model is, not what it says.
ONLY_SPEED = re.compile(r"\b(reserve|shrink_to_fit|prefetch\w*|__builtin_prefetch)\(")
DECLARATION = re.compile(r"(?:[A-Za-z_]\w*(?:<.*?>)?::)*[A-Za-z_]\w*(?:<[^;=]*?>)?(?:::\w+)*\s*[&*]*\s+[&*]*[A-Za-z_]")
NUMBER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|\d[\d']*)([uUlLzZ]*)$")
REAL = re.compile(r"(\d[\d']*\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)([fF]?)$")


class Mutation:
    """`edits`: (start, end, text with # for the number, extent), `site`: of several there only one is drawn, `nth`:
    of the same changes of the file."""

    def __init__(self, source, token, kind, was, now, edits):
        self.path, self.line, self.site = source.path, source.line(token), (source.path, token.start)
        self.kind, self.was, self.now, self.edits = kind, was, now, edits
        self.nth = 1

    def key(self):
        """Stays the same when other lines change."""
        return (self.path, self.kind, self.change(), self.nth)

    def change(self):
        return f"{self.was} -> {self.now}"


def short(text):
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def _infix(s, i, t):
    if t.text not in INFIX or not t.spaced or not s.spaced_after(i) or s.at(i - 1) in ("operator", "template"):
        return
    if t.text in ("+", "<<", ">>") and _strings_near(s, i):
        return
    name, now = INFIX[t.text]
    kind = "comparison" if t.text in COMPARISONS else "arithmetic"
    tag = f"{t.text} ::heddle_mutants::tag_{name}(#) {t.text}"
    yield Mutation(s, t, kind, _around(s, i, t.text), _around(s, i, now), [(t.start, t.end, tag, 0)])


def _strings_near(s, i):
    j = i
    while j > 0 and s.at(j - 1) not in (";", "{", "}"):
        j -= 1
    end = s.end_of_statement(i)
    words = s.tokens[j:end]
    return any(t.kind == "str" or t.text in ("out", "string", "to_string", "text", "name") for t in words)


def _around(s, i, op):
    return f"{_operand(s, i, -1)} {op} {_operand(s, i, 1)}"


def _operand(s, i, way):
    """A few tokens beside token i, for people to read."""
    j, n = i, 0
    while 0 < j + way < len(s.tokens) and n < 5:
        t = s.tokens[j + way]
        if t.text in (";", "{", "}", ",", "&&", "||", "?", "=", "return"):
            break
        if t.text in (("(", "[") if way < 0 else (")", "]")):
            break
        j = t.mate if t.mate is not None and (t.mate < j) == (way < 0) else j + way
        n += 1
    lo, hi = (j, i - 1) if way < 0 else (i + 1, j)
    return short(s.text[s.tokens[lo].start : s.tokens[hi].end]) if lo <= hi else ""


def _phrase(s, i):
    """What stands before token i in its expression, and it, for people to read."""
    j = i
    while j > 0 and i - j < 6 and s.at(j - 1) not in (";", "{", "}", ",", "&&", "||", "?", ":"):
        j -= 1
        if s.at(j) in ("(", "[") and (s.tokens[j].mate or 0) > i:
            j += 1
            break
    return short(s.text[s.tokens[j].start : s.tokens[i].end])


def _template_argument(s, i):
    """Whether token i is, by itself, an argument of a template: of these brackets neither has a space before it."""
    depth = 0
    for j in range(i - 1, -1, -1):
        t = s.tokens[j]
        if t.text in (">", ">>") and not t.spaced:
            depth += len(t.text)
        elif t.text == "<" and not t.spaced:
            if depth == 0:
                return True
            depth -= 1
        elif t.kind == "op" and t.text not in (",", "::"):
            return False
    return False


def _literal(s, i, t):
    if _template_argument(s, i):
        return
    if t.text in ("true", "false"):
        now = "false" if t.text == "true" else "true"
        return (yield _literal_to(s, i, t, now))
    if t.kind != "num":
        return
    before = s.at(i - 1)
    if before == "[" and s.tokens[i - 1].mate == i + 1 and s.tokens[i - 2].kind == "id":
        if s.tokens[i - 3].kind == "id" and s.at(i - 3) != "return" or s.at(i - 3) in (">", "*", "&"):
            return  # an array's size
    if m := NUMBER.match(t.text):
        value = int(m[1].replace("'", ""), 0) if not re.fullmatch(r"0\d+", m[1]) else int(m[1], 8)
        shape = hex if m[1][:2] in ("0x", "0X") else str
        yield _literal_to(s, i, t, shape(value + 1) + m[2])
        if value >= 1:
            yield _literal_to(s, i, t, shape(value - 1) + m[2])
    elif m := REAL.match(t.text):
        yield _literal_to(s, i, t, f"{float(m[1]) + 1}{m[2]}")


def _literal_to(s, i, t, now):
    text = f"::heddle_mutants::literal(#, {t.text}, {now})"
    return Mutation(s, t, "constant", _phrase(s, i), now, [(t.start, t.end, text, 0)])


def _least_most(s, i, t):
    if t.text not in ("min", "max") or s.at(i - 1) != "::" or s.at(i - 2) != "std":
        return
    j = i + 1
    if s.at(j) == "<":
        while s.at(j) not in (">", ";"):
            j += 1
        j += 1
    if s.at(j) != "(":
        return
    name, now = ("least", "max") if t.text == "min" else ("most", "min")
    close = s.tokens[s.tokens[j].mate]
    call = short(s.text[t.start : close.end])
    yield Mutation(
        s, t, "min/max", call, now,
        [(s.tokens[i - 2].start, t.end, f"::heddle_mutants::{name}", 0), (s.tokens[j].end, s.tokens[j].end, "#, ", 0)],
    )  # fmt: skip


def _clauses(s, first, last, level):
    """Ranges of the operands of the one && or || between two tokens, and the operator; else none."""
    cuts = [j for j in range(first, last + 1) if s.tokens[j].inside == level and s.at(j) in ("&&", "||")]
    ops = {s.at(j) for j in cuts}
    if len(ops) != 1 or any(s.at(j) in ("?", "=") and s.tokens[j].inside == level for j in range(first, last + 1)):
        return [], ""
    edges = [first - 1, *cuts, last + 1]
    return [(a + 1, b - 1) for a, b in zip(edges, edges[1:])], ops.pop()


def _condition(s, i, t):
    if t.text == "if" and s.at(i + 1) == "(":
        level, first, last = i + 1, i + 2, s.tokens[i + 1].mate - 1
    elif t.text == "return" and s.at(i + 1) != ";":
        level, first, last = t.inside, i + 1, s.end_of_statement(i) - 1
    else:
        return
    inner = [s.at(j) for j in range(first, last + 1) if s.tokens[j].inside == level]
    if ";" in inner or "=" in inner:
        return
    a, b = s.tokens[first], s.tokens[last]
    if t.text == "if":
        text = short(s.text[a.start : b.end])
        yield Mutation(
            s, t, "condition", f"if ({text})", "negated",
            [(a.start, a.start, "::heddle_mutants::on(#) != static_cast<bool>(", b.end), (b.end, b.end, ")", a.start)],
        )  # fmt: skip
    ranges, op = _clauses(s, first, last, level)
    for lo, hi in ranges:
        a, b = s.tokens[lo], s.tokens[hi]
        head = "(::heddle_mutants::on(#) || (" if op == "&&" else "(!::heddle_mutants::on(#) && ("
        yield Mutation(
            s, a, "clause", short(s.text[a.start : b.end]), "true" if op == "&&" else "false",
            [(a.start, a.start, head, b.end), (b.end, b.end, "))", a.start)],
        )  # fmt: skip


def _starts_statement(s, i):
    around = s.tokens[i].inside
    if around is None or not s.tokens[around].code:
        return False
    before = s.tokens[i - 1]
    if before.text in (";", "{", "else"):
        return True
    if before.text == "}":  # not behind a braced value
        return before.mate is not None and s.tokens[before.mate].code
    return before.text == ":" and before.skip


def _statement(s, i, t):
    if not _starts_statement(s, i) or t.text in NO_STATEMENT or t.kind != "id" and t.text not in ("++", "--", "*", "("):
        return
    end = s.end_of_statement(i)
    text = s.text[t.start : s.tokens[end].start]
    if s.at(end) != ";" or DECLARATION.match(text) or ONLY_SPEED.search(text):
        return
    level = [j for j in range(i, end) if s.tokens[j].inside == t.inside]
    assigns = [j for j in level if s.at(j) in ASSIGN]
    if not (assigns or t.text in ("++", "--") or s.at(end - 1) in (")", "++", "--")):
        return
    yield Mutation(
        s, t, "statement", short(text), "dropped",
        [(t.start, t.start, "if (::heddle_mutants::on(#)) {} else ", s.tokens[end].end)],
    )  # fmt: skip
    if len(assigns) == 1 and s.at(assigns[0]) in COMPOUND and not _strings_near(s, i):
        op = s.tokens[assigns[0]]
        edge = s.tokens[assigns[0] - 1].end
        yield Mutation(
            s, op, "arithmetic", short(text), COMPOUND[op.text],
            [(t.start, t.start, "::heddle_mutants::place(#, ", edge), (edge, edge, ")", t.start)],
        )  # fmt: skip


OPERATORS = (_infix, _literal, _least_most, _condition, _statement)


def candidates(source):
    out, seen = [], Counter()
    for i, t in enumerate(source.tokens):
        if t.skip or t.kind == "str" or not source.in_code(i):
            continue
        for operator in OPERATORS:
            out += operator(source, i, t)
    for m in out:
        seen[m.kind, m.change()] += 1
        m.nth = seen[m.kind, m.change()]
    return out
