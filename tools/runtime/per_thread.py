"""Writes the calls of code that is compiled with `nvcc --default-stream per-thread`: for each name of names.inc that ends with _ptds or
_ptsz, the call of the name before it with the thread's own default stream.

usage: per_thread.py OUT.cc names.inc FILE.cc...     (FILE.cc: where calls are defined; those that are defined there by hand are left out)
"""
import re
import sys


def split(parameters):
    """By the commas that are outside of brackets."""
    out, depth, text = [], 0, ""
    for c in parameters:
        depth += (c in "(<") - (c in ")>")
        if c == "," and depth == 0:
            out.append(text.strip())
            text = ""
        else:
            text += c
    return out + [text.strip()] if text.strip() else out


def named(parameter, name):
    """The parameter with this name in place of its own, which may be a comment or missing."""
    if "(*" in parameter:
        return re.sub(r"\(\*\w+\)", f"(*{name})", parameter)
    if parameter.endswith("*/"):
        return re.sub(r"/\*\w+\*/$", name, parameter)
    last = re.search(r"\b(\w+)$", parameter)
    is_type = last is None or re.fullmatch(r"u?int\d*(_t)?|size_t|int|void|char", last.group(1))
    return f"{parameter} {name}" if is_type else parameter[:last.start()] + name


def main():
    calls = {}
    for path in sys.argv[3:]:
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"//[^\n]*", "", f.read())
        for name, parameters in re.findall(r"HEDDLE_CUDA\s+int32_t\s+(\w+)\(((?:[^()]|\([^()]*\))*)\)\s*\{", text):
            calls[name] = split(" ".join(parameters.split()))
    with open(sys.argv[2], encoding="utf-8") as f:
        names = re.findall(r"\((\w+)\)", f.read())
    out = ["// Made by per_thread.py.", '#include "tools/runtime/abi.h"', '#include "tools/runtime/call.h"', "",
           "using namespace heddle;", "using namespace heddle::runtime;", ""]
    for name in names:
        base = re.sub(r"_pt[ds][sz]$", "", name)
        if base == name or name in calls or base not in calls:
            continue
        parameters = [named(p, f"a{i}") for i, p in enumerate(calls[base])]
        text = ", ".join(parameters)
        arguments = ", ".join(f"a{i}" for i in range(len(parameters)))
        out += [f'extern "C" int32_t {base}({text});',
                f"HEDDLE_CUDA int32_t {name}({text}) {{", "  const cuda::OwnDefaultStream own;", f"  return {base}({arguments});", "}", ""]
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write("\n".join(out))


if __name__ == "__main__":
    main()
