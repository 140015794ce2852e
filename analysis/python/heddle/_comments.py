"""What the schema says about the fields of a configuration: the comments of configs/schema/*.proto."""
from __future__ import annotations

import functools
import glob
import os
import re
from typing import Dict, Tuple

from heddle._native import CONFIGS

_FIELD = re.compile(r"(?:optional|repeated|required)\s+([\w.]+)\s+(\w+)\s*=\s*\d+.*?;\s*(?://\s*(.*))?$")


def _is_about(text: str, field: str, place: int, name: str) -> bool:
    """Whether a comment above `field` is also about `name`, the place-th field below it without a comment of its own."""
    return (name.split("_")[0] == field.split("_")[0] or name.endswith(field) or place == 1 and ", and " in text)


@functools.lru_cache(maxsize=None)
def _messages() -> Dict[str, Dict[str, Tuple[str, str]]]:
    """Field -> (type, comment) of each message. A field without a comment has that of the fields it belongs to, or else
    its message's."""
    out: Dict[str, Dict[str, Tuple[str, str]]] = {}
    for path in sorted(glob.glob(os.path.join(CONFIGS, "schema", "*.proto"))):
        stack, above = [], []  # enclosing (name, comment); comment lines just above
        group, field, place = "", "", 0  # the last comment of a field, the field, fields since then
        with open(path, encoding="utf-8") as f:
            for line in (x.strip() for x in f):
                start = re.match(r"(message|enum|extend|oneof)\s+([\w.]+)\s*\{", line)
                found = _FIELD.match(line)
                if line.startswith("//"):
                    above.append(line[2:].strip())
                    continue
                if start:
                    stack.append((start[2], " ".join(above)))
                    out.setdefault(start[2], {})
                    group = ""
                elif line == "}":
                    stack = stack[:-1]
                    group = ""
                elif found and stack:
                    kind, name, behind = found.groups()
                    text = " ".join(above)
                    if text:
                        group, field, place = text, name, 0
                    else:
                        place += 1
                        text = group if group and _is_about(group, field, place, name) else ""
                    text = " ".join(x for x in (text, behind) if x)
                    out[stack[-1][0]][name] = (kind.split(".")[-1], text or stack[-1][1])
                above = []
    return out


def comment(path: str) -> str:
    """Of the field at a path such as "sm.op[fp32].latency"; empty where the schema has none."""
    message, text = "GpuConfig", ""
    for step in path.split("."):
        message, text = _messages().get(message, {}).get(step.split("[")[0], ("", ""))
    return text
