"""The libraries of tools/runtime against CUDA 13's toolkit: structures by their layout, every exported name. Skipped without one."""
import os
import re
import shutil
import subprocess
import unittest

NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
TOOLKIT = os.path.dirname(os.path.dirname(os.path.realpath(NVCC)))
INCLUDE = next((p for p in (os.path.join(TOOLKIT, "include"), "/usr/local/cuda/include") if os.path.exists(os.path.join(p, "cuda.h"))), None)
OURS = os.path.join("tools", "runtime", "libcudart.so.13")


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {m[1] for m in re.finditer(r" [TWV] ((?:__cuda|cu)\w+)", out)}


class Abi(unittest.TestCase):
    def test_structures(self):
        if INCLUDE is None:
            self.skipTest("no CUDA toolkit here")
        with open(os.path.join(INCLUDE, "cuda_runtime_api.h"), encoding="utf-8") as f:
            if "#define CUDART_VERSION  13" not in f.read():
                self.skipTest("no toolkit of CUDA 13")
        p = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-I.", "-isystem", INCLUDE, os.path.join("tests", "runtime", "abi_check.cxx")],
                           capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr[-4000:])

    def test_names(self):
        ours = exported(OURS)
        with open(os.path.join("tools", "runtime", "names.inc"), encoding="utf-8") as f:
            self.assertEqual({m[1] for m in re.finditer(r"HEDDLE_STUB\((\w+)\)", f.read())} - ours, set())
        theirs = [os.path.join(INCLUDE or "", "..", "lib64", n) for n in ("libcudart.so.13", os.path.join("stubs", "libcuda.so"))]
        for library in theirs:
            if os.path.exists(library):
                self.assertEqual(exported(library) - ours, set(), library)

    def test_nothing_else_is_exported(self):
        out = subprocess.run(["nm", "-D", "--defined-only", OURS], check=True, capture_output=True, text=True).stdout
        names = [line.split()[-1].split("@")[0] for line in out.splitlines() if line.split()[1] != "A"]
        # heddle_* are for the preloaded libraries. gold exports templates of std that libstdc++ has, too: the same code.
        self.assertEqual([n for n in names if not re.match(r"__cuda|cu|heddle_(begin|unsupported)$|_ZNK?St", n)][:5], [])


if __name__ == "__main__":
    unittest.main()
