"""Makes of a suite's .cu the C++ of its host part, whose launches are executed by the simulator (suite_host.h).

usage: host_part.py SUITE.cu OUT.cc      (traces/h200/suite.cu, traces/h200/second/source/second.cu)

What is prepared and launched stays as the .cu has it, as in digests.py, which made the H200's images from the same lines.
"""
import re
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        s = f.read()
    s = s[s.index("static char* pool;"):]

    def change(pattern, to, count=1):
        nonlocal s
        s, n = re.subn(pattern, to, s, flags=re.DOTALL)
        assert n == count or count is None and n > 0, (pattern, n)

    change(r"CK\(cudaSetDevice\(0\)\);.*?CK\(cudaMemset\(pool, 0, cap\)\);", "")
    change(r"used \+= n \* sizeof\(T\);", r"suite.buffer(used, n * sizeof(T)); \g<0>")
    change(r"used = 0;(?=\s*rs =)", "used = 0; pool = suite.begin(cap);")
    change(r'fprintf\(stderr, "ok %s\\n", nm\);', "suite.end(nm);")
    change(r"int main\(", "int suite_main(")
    change(r"\b([kh]_\w+)(?:<(\d+)>)?<<<(.*?)>>>\(", r'suite.launch("\1", "\2", \3)(', None)
    if "cudaLaunchCooperativeKernel" in s:
        change(r"CK\(cudaLaunchCooperativeKernel\(\(void\*\)(\w+), ([^;]*), args\)\)", r'suite.launch("\1", "", \2).list(args)')
        change(r"cudaMemcpyToSymbol\((\w+),", r'suite.constant("\1",')
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write('#include "tests/exec/oracle/suite_host.h"\n\nusing namespace heddle::oracle;\n\n' + s)


if __name__ == "__main__":
    main()
