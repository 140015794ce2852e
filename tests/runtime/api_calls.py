"""Declares all calls that libcudart and libcuda have code for, from that code, for fuzz_api.cc.

usage: api_calls.py DECLARATIONS CALLS FILE.cc...

DECLARATIONS gets the declaration of each, CALLS a line HEDDLE_CALL(name, "the names of its parameters, by commas"). Start-up's calls are
left out: nvcc writes them, no program.
"""
import re
import sys

START = re.compile(r"__cuda(Register|Unregister|InitModule)")


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


def name_of(parameter):
    """The parameter's name, or what a comment says of it."""
    pointer = re.search(r"\(\*(\w+)\)", parameter)
    if pointer:
        return pointer.group(1)
    name = re.search(r"(?:/\*)?\b(\w+)(?:\*/)?$", parameter)
    word = name.group(1) if name else ""
    return "" if re.fullmatch(r"u?int\d+_t|size_t|void|int", word) else word


def main():
    calls = []
    for path in sys.argv[3:]:
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"//[^\n]*", "", f.read())
        for result, name, parameters in re.findall(r"HEDDLE_CUDA\s+([\w ]+?[\s*]+)(\w+)\(((?:[^()]|\([^()]*\))*)\)\s*\{", text):
            if not START.match(name):
                calls.append((name, result.strip(), split(" ".join(parameters.split()))))
    calls.sort()
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.writelines(f'extern "C" {result} {name}({", ".join(p)});\n' for name, result, p in calls)
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.writelines(f'HEDDLE_CALL({name}, "{",".join(map(name_of, p))}")\n' for name, _, p in calls)


if __name__ == "__main__":
    main()
