"""Runs operators one by one, each measured part between cuProfilerStart and Stop, behind a launch of a marker.

python3 harness.py REPEATS MODULE...   the operators of each module's ops(), a list of (name, maker). A maker makes the
operands and returns what is measured. Two calls come before, so that nothing is compiled or chosen in the measured ones.
What fails is left out. HEDDLE_LIMIT: seconds after which no operator is begun; HEDDLE_LOG: a file for the names of the
operators, in the order of their markers; HEDDLE_ONLY: a regular expression for names; HEDDLE_SKIP: a file of names.
"""
import gc
import importlib
import os
import re
import sys
import time

MARKERS = ("spin_kernel", "heddle_marker")  # torch.cuda._sleep's, and the one below


class Torch:
    def __init__(self):
        import torch
        self.cuda = torch.cuda
        self.start, self.stop = torch.cuda.profiler.start, torch.cuda.profiler.stop

    def marker(self):
        self.cuda._sleep(1)

    def wait(self, result):
        self.cuda.synchronize()

    def free(self):
        self.cuda.empty_cache()


class Cupy:
    def __init__(self):
        import cupy
        self.cupy = cupy
        self.kernel = cupy.RawKernel('extern "C" __global__ void heddle_marker() {}', "heddle_marker")
        self.start, self.stop = cupy.cuda.runtime.profilerStart, cupy.cuda.runtime.profilerStop

    def marker(self):
        self.kernel((1,), (1,), ())

    def wait(self, result):
        try:
            import jax
            jax.block_until_ready(result)
        except ImportError:
            pass
        self.cupy.cuda.runtime.deviceSynchronize()

    def free(self):
        self.cupy.get_default_memory_pool().free_all_blocks()


def main():
    repeats, modules = int(sys.argv[1]), sys.argv[2:]
    limit, only = float(os.environ.get("HEDDLE_LIMIT", "1e9")), re.compile(os.environ.get("HEDDLE_ONLY", ""))
    begin = time.time()
    skip = set(open(os.environ["HEDDLE_SKIP"]).read().split()) if "HEDDLE_SKIP" in os.environ else ()
    log = open(os.environ.get("HEDDLE_LOG", os.devnull), "w", buffering=1)
    for name in modules:
        try:
            module = importlib.import_module(name)
            gpu = Cupy() if getattr(module, "CUPY", False) else Torch()
            ops = module.ops()
        except Exception as e:
            print("module", name, "fails:", repr(e)[:300], flush=True)
            continue
        for op, make in ops:
            if time.time() - begin > limit:
                print("limit before", op, flush=True)
                return
            if op in skip or not only.search(op):
                continue
            at = time.time()
            try:
                f = make()
                for _ in range(2):
                    gpu.wait(f())
            except Exception as e:
                print("skip", op, repr(e)[:200].replace("\n", " "), flush=True)
                continue
            gpu.start()
            gpu.marker()
            gpu.wait(None)
            for _ in range(repeats):
                gpu.wait(f())
            gpu.stop()
            log.write(op + "\n")
            if time.time() - at > 5:
                print("slow %s %.1f s" % (op, time.time() - at), flush=True)
            f = None
            gc.collect()
            gpu.free()


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main()
