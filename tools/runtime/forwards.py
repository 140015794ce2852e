"""Writes calls that are another one's, from the declarations of those that are defined by hand:

* of the driver, a runtime's argument by argument (driver_calls.txt);
* of code that is compiled with `nvcc --default-stream per-thread`: for each name of names.inc that ends with _ptds or _ptsz, the call of
  the name before it with the thread's own default stream.

usage: forwards.py OUT.cc names.inc driver_calls.txt FILE.cc...     (FILE.cc: where calls are defined)
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
    out_path, names_path, driver_path, *files = sys.argv[1:]
    calls = {}
    for path in files:
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"//[^\n]*", "", f.read())
        for name, parameters in re.findall(r"HEDDLE_CUDA\s+int32_t\s+(\w+)\(((?:[^()]|\([^()]*\))*)\)\s*\{", text):
            calls[name] = split(" ".join(parameters.split()))
    with open(names_path, encoding="utf-8") as f:
        names = re.findall(r"\((\w+)\)", f.read())
    with open(driver_path, encoding="utf-8") as f:
        driver = dict(line.split() for line in f if not line.startswith("#"))
    out = ["// Made by forwards.py.", '#include "tools/runtime/abi.h"', '#include "tools/runtime/call.h"', "",
           "using namespace heddle;", "using namespace heddle::runtime;", ""]

    def declared(base, name, before, call):
        parameters = [named(p, f"a{i}") for i, p in enumerate(calls[base])]
        text = ", ".join(parameters)
        arguments = f"{base}({', '.join(f'a{i}' for i in range(len(parameters)))})"
        out.extend([f'extern "C" int32_t {base}({text});', f"HEDDLE_CUDA int32_t {name}({text}) {{", *before,
                    f"  return {call.format(arguments)};", "}", ""])

    for name, base in driver.items():
        if name in calls or name not in names or base not in calls:
            sys.exit(f"{driver_path}: {name} {base}: there already, no name of names.inc, or nothing to forward to")
        declared(base, name, [], "of_runtime([&] {{ return {}; }})")
        calls[name] = calls[base]
    for name in names:
        base = re.sub(r"_pt[ds][sz]$", "", name)
        if base != name and name not in calls and base in calls:
            declared(base, name, ["  const cuda::OwnDefaultStream own;"], "{}")
    with open(out_path, "w", encoding="utf-8") as f:
        f.write("\n".join(out))


if __name__ == "__main__":
    main()
