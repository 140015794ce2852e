"""Reads the text format of configs/*.textproto, as far as those files use it, without protobuf."""
import copy
import re

TOKEN = re.compile(r'#[^\n]*|"((?:[^"\\]|\\.)*)"|[{}\[\]:,]|[^\s{}\[\]:,#"]+')
TABLES = {"pipe": "pipe", "op": "op"}  # sm.pipe, sm.op: entries are told apart by this field
REPEATED = {"provenance", *TABLES}


class Word(str):
    """An enumerator, true or false: written without quotes."""


def parse(text):
    """The message as a dict, in order; numbers as int or float; entries of tables and provenance as lists of dicts."""
    tokens = [m for m in TOKEN.finditer(text) if not m.group(0).startswith("#")]
    message, end = _message(tokens, 0)
    if end != len(tokens):
        raise ValueError("a } too many")
    return message


def _scalar(token):
    if token.group(1) is not None:
        return token.group(1)
    for kind in (int, float):
        try:
            return kind(token.group(0))
        except ValueError:
            pass
    return Word(token.group(0))


def _message(tokens, i):
    message = {}
    while i < len(tokens) and tokens[i].group(0) != "}":
        name, i = tokens[i].group(0), i + 1
        if tokens[i].group(0) == ":":
            i += 1
        if tokens[i].group(0) == "{":
            value, i = _message(tokens, i + 1)
        elif tokens[i].group(0) == "[":
            value, i = [], i + 1
            while tokens[i].group(0) != "]":
                if tokens[i].group(0) != ",":
                    value.append(_scalar(tokens[i]))
                i += 1
        else:
            value = _scalar(tokens[i])
        i += 1
        # An entry of a table is a message, its key a plain field of the same name.
        if (name in REPEATED and isinstance(value, dict)) or name == "without":
            message.setdefault(name, []).append(value)
        else:
            message[name] = value
    return message, i


def _merge(base, own):
    for name, value in own.items():
        if name in TABLES and isinstance(value, list):
            key = TABLES[name]
            new = {entry[key]: entry for entry in value}
            old = base.get(name, [])
            base[name] = [new.pop(entry[key], entry) for entry in old] + list(new.values())
        elif isinstance(value, dict) and isinstance(base.get(name), dict):
            _merge(base[name], value)
        elif name != "provenance":
            base[name] = value


def _leave_out(message, path):
    """`path`: the names of a field, one of a table's entry as op[fp32]."""
    name, _, key = path[0].rstrip("]").partition("[")
    if key:
        message[name] = [e for e in message[name] if e[TABLES[name]] != key]
    elif len(path) == 1:
        message.pop(name, None)
    else:
        _leave_out(message[name], path[1:])


def derived(base, own):
    """What a file is that inherits from another (configs/README.md): its entries of provenance cover what it inherits, too."""
    exact = {e["path"]: (str(e["kind"]), e["source"]) for e in base.get("provenance", [])}
    before = {path: exact.get(path) or source_of(base, path) for path, _ in leaves(base)}
    out = copy.deepcopy(base)
    for path in own.pop("without", []):
        _leave_out(out, path.split("."))
    _merge(out, own)
    out["provenance"] = []
    for path, _ in leaves(out):
        source = source_of(own, path) or before.get(path)  # `config check` wants an own entry for what is set here
        if not source and path[-1] != "]" and "]." in path:  # an entry's name rests on what the entry does
            entry = path[:path.rindex(".") + 1]
            source = next((x for x in (source_of(own, q) for q, _ in leaves(out) if q.startswith(entry)) if x), None)
        if source:
            out["provenance"].append({"path": path, "kind": Word(source[0]), "source": source[1]})
    return out


def leaves(message, prefix=""):
    """(path, value) of every field, without provenance: ("sm.op[fp32].latency", 4)."""
    for name, value in message.items():
        if name == "provenance":
            continue
        if name in TABLES and isinstance(value, list):
            for entry in value:
                yield from leaves(entry, f"{prefix}{name}[{entry[TABLES[name]]}].")
        elif isinstance(value, dict):
            yield from leaves(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def source_of(message, path):
    """(kind, source) that the provenance entries give the field at `path`, or None: the most particular entry."""
    best = None
    for entry in message.get("provenance", []):
        pattern = re.escape(entry["path"]).replace(r"\[\*\]", r"\[[^]]*\]")
        if re.match(pattern + r"(?=$|[.\[])", path):
            rank = (entry["path"].count(".") + entry["path"].count("["), "[*]" not in entry["path"], len(entry["path"]))
            if best is None or rank > best[0]:
                best = (rank, str(entry["kind"]), entry["source"])
    return best and best[1:]


def scalar_text(value):
    if isinstance(value, list):
        return "[ " + ", ".join(scalar_text(v) for v in value) + " ]"
    if isinstance(value, str) and not isinstance(value, Word):
        return f'"{value}"'
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def text(fields):
    """Text of a nested dict as parse() gives it, without provenance."""
    out = []

    def put(message, indent):
        for name, value in message.items():
            if name == "provenance":
                continue
            if isinstance(value, dict):
                out.append(f"{indent}{name} {{")
                put(value, indent + "  ")
                out.append(indent + "}")
            elif name in TABLES and isinstance(value, list):
                for entry in value:
                    out.append(f"{indent}{name} {{ " + " ".join(f"{k}: {scalar_text(v)}" for k, v in entry.items()) + " }")
            else:
                out.append(f"{indent}{name}: {scalar_text(value)}")

    put(fields, "")
    return "\n".join(out) + "\n"
