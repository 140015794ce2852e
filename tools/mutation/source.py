"""C++ text as tokens, with what the operators need to know of each: matching brackets, and whether it is code of
a function that is computed when the program runs. Rests on clang-format: a binary operator has a space on both
sides, a template's bracket has none."""

import re

TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<pp>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
      | (?P<str>(?:u8|[uUL])?R"(?P<raw>[^(\s]*)\(.*?\)(?P=raw)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
      | (?P<num>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
      | (?P<id>[A-Za-z_]\w*)
      | (?P<op><=>|<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.X | re.S | re.M,
)
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, set(")]}")
TYPES = {"class", "struct", "union", "enum", "namespace"}


class Token:
    __slots__ = ("kind", "text", "start", "end", "spaced", "mate", "inside", "code", "skip")

    def __init__(self, kind, text, start, spaced):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)
        self.spaced = spaced  # space before it
        self.mate = None  # index of the bracket that it opens or closes
        self.inside = None  # index of the innermost open bracket around it
        self.code = False  # of a brace: it opens statements
        self.skip = False  # computed by the compiler, or a check that a release does not have


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens = []
        spaced = False
        for m in TOKEN.finditer(text):
            if m.lastgroup in ("space", "comment", "pp"):
                spaced = True
                continue
            kind = "str" if m.group("str") else m.lastgroup
            self.tokens.append(Token(kind, m.group(), m.start(), spaced))
            spaced = False
        self._match()
        self._skip()

    def line(self, token):
        return self.text.count("\n", 0, token.start) + 1

    def at(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def spaced_after(self, i):
        return i + 1 < len(self.tokens) and self.tokens[i + 1].spaced

    def _match(self):
        stack = []
        for i, t in enumerate(self.tokens):
            if t.kind == "op" and t.text in CLOSE and stack:
                j = stack.pop()
                t.mate, self.tokens[j].mate = j, i
            t.inside = stack[-1] if stack else None
            if t.kind == "op" and t.text in OPEN:
                if t.text == "{":
                    t.code = self._opens_code(i, t)
                stack.append(i)

    def _opens_code(self, i, t):
        before = self.at(i - 1)
        if before in (")", "else", "do", "try", "const", "noexcept", "override", "mutable"):
            return t.spaced
        around = t.inside
        if before in (";", "{", "}", ":") and around is not None and self.tokens[around].code:
            return True
        if before == "}":  # behind a constructor's last member
            return t.spaced and not self._type_ahead(i)
        for j in range(i - 1, max(i - 16, 0), -1):  # [](...) -> Type {
            if self.at(j) == "->" and self.at(j - 1) == ")" and t.spaced:
                return True
            if self.at(j) in (";", "{", "}", ")", "="):
                break
        return False

    def _type_ahead(self, i):
        while i > 0 and self.at(i - 1) not in (";", "{", "}"):
            i -= 1
            if self.at(i) in TYPES:
                return True
        return False

    def in_code(self, i):
        """Whether token i is in the body of a function."""
        b = self.tokens[i].inside
        while b is not None:
            t = self.tokens[b]
            if t.text == "{" and t.code:
                return True
            if t.text == "{" and self._type_ahead(b):
                return False
            b = t.inside
        return False

    def end_of_statement(self, i):
        """Index of the `;` that ends what begins at token i, else of the bracket that closes around it."""
        level = self.tokens[i].inside
        end = self.tokens[level].mate if level is not None else None
        end = end if end is not None else len(self.tokens) - 1
        while i < end and not (self.at(i) == ";" and self.tokens[i].inside == level):
            i += 1
        return i

    def _mark(self, first, last):
        for t in self.tokens[first : last + 1]:
            t.skip = True

    def _skip(self):
        for i, t in enumerate(self.tokens):
            if t.kind == "op" and t.text == "[" and self.at(i + 1) == "[" and t.mate:
                self._mark(i, t.mate)
            if t.kind != "id":
                continue
            opens = i + 1 < len(self.tokens) and self.tokens[i + 1].mate
            if t.text in ("assert", "static_assert", "sizeof", "alignas", "decltype", "requires") and opens:
                self._mark(i, self.tokens[i + 1].mate)
            elif t.text == "if" and self.at(i + 1) == "constexpr":
                self._mark(i, self.tokens[i + 2].mate)
            elif t.text == "case":
                j = i
                while self.at(j) != ":":
                    j += 1
                self._mark(i, j)
            elif t.text in ("constexpr", "static", "using", "typedef", "thread_local") and self.in_code(i):
                self._mark(i, self.end_of_statement(i))
            elif t.text in TYPES and self.in_code(i):
                self._mark(i, self.end_of_statement(i))
            elif t.text == "template":
                j = i
                while self.at(j) not in ("{", ";", ")"):
                    j += 1
                self._mark(i, j - 1)
