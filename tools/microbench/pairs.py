#!/usr/bin/python3
"""Measures pairs of the suite's kernels that run at the same time, as two nodes of one graph, on the GPU that is there.

usage: tools/microbench/pairs.py --out pairs.csv [--suite traces/h200/suite.cu] [--arch 90a] [--build DIR]

Rows a,b,alone_a,alone_b,one_after_the_other,together,reversed: microseconds between two events around a launch of the graph,
median of 10 with caches that hold nothing of theirs; `reversed`: with b's node made first. Needs nvcc. Under 20 seconds on an H200.
"""
import argparse
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What a CSR matrix makes is gone when its test has ended; one thread of chase_* takes milliseconds.
NAMES = ("nbody gemm_reg gemm_wmma gemm_mma ffma1 ffma8 bank1 bank32 chase_l2 stencil3d gemm_naive dram_stream l2_stream vote "
         "divergent montecarlo hist_smem bulk_copy barrier local wgmma dgemm l1_hit gemm_tiled32").split()
DRIVER = r"""
__global__ void k_flush(const float4* p, int n, float* o) {
  float x = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x += p[i].x + p[i].w;
  if (x == 1.2345f) *o = x;
}
static void pairs(std::map<std::string, std::function<void()>>& table) {
  const char* names[] = {NAMES};
  const int n = sizeof names / sizeof *names, kFlush = 256 << 20;
  cudaStream_t s; CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  cudaEvent_t e0, e1; CK(cudaEventCreate(&e0)); CK(cudaEventCreate(&e1));
  char* flush; CK(cudaMalloc(&flush, kFlush)); CK(cudaMemset(flush, 0, kFlush));
  auto time = [&](cudaGraph_t g) {
    cudaGraphExec_t x; CK(cudaGraphInstantiate(&x, g, 0));
    std::vector<float> t;
    for (int i = 0; i < 12; i++) {
      k_flush<<<1320, 1024, 0, s>>>((const float4*)flush, kFlush / 16, (float*)flush);
      CK(cudaGraphUpload(x, s)); CK(cudaEventRecord(e0, s)); CK(cudaGraphLaunch(x, s)); CK(cudaEventRecord(e1, s));
      CK(cudaStreamSynchronize(s));
      float ms; CK(cudaEventElapsedTime(&ms, e0, e1));
      if (i > 1) t.push_back(ms * 1000);
    }
    CK(cudaGraphExecDestroy(x)); std::sort(t.begin(), t.end()); return t[t.size() / 2];
  };
  // The first call fills the kernel's buffers, the second is captured; each half of the pool is one kernel's.
  auto capture = [&](const char* name, size_t base) {
    used = base; rs = 12345; skip_copies = false; table[name](); CK(cudaDeviceSynchronize());
    used = base; rs = 12345; skip_copies = true;
    CK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeRelaxed)); table[name]();
    cudaGraph_t g; CK(cudaStreamEndCapture(cudaStreamPerThread, &g)); return g;
  };
  printf("a,b,alone_a,alone_b,one_after_the_other,together,reversed\n");
  for (int i = 0; i < n; i++) for (int j = i; j < n; j++) {
    cudaGraph_t a = capture(names[i], 0), b = capture(names[j], 3ull << 29), sequence, both, reversed;
    cudaGraphNode_t x, y;
    CK(cudaGraphCreate(&sequence, 0)); CK(cudaGraphAddChildGraphNode(&x, sequence, nullptr, 0, a));
    CK(cudaGraphAddChildGraphNode(&y, sequence, &x, 1, b));
    CK(cudaGraphCreate(&both, 0)); CK(cudaGraphAddChildGraphNode(&x, both, nullptr, 0, a));
    CK(cudaGraphAddChildGraphNode(&y, both, nullptr, 0, b));
    CK(cudaGraphCreate(&reversed, 0)); CK(cudaGraphAddChildGraphNode(&x, reversed, nullptr, 0, b));
    CK(cudaGraphAddChildGraphNode(&y, reversed, nullptr, 0, a));
    printf("%s,%s,%.3f,%.3f,%.3f,%.3f,%.3f\n", names[i], names[j], time(a), time(b), time(sequence), time(both), time(reversed));
  }
}
"""


def program(suite):
    """The suite with a main that measures pairs."""
    text = suite.replace("  return 0;\n", "  pairs(table); return 0;\n")
    text = re.sub(r"auto run = \[&\]\(const char\* nm, std::function<void\(\)> f\) \{.*\};",
                  "auto run = [&](const char* nm, std::function<void()> f) { table[nm] = f; };", text)
    text = re.sub(r"std::string want = .*?; (?=CK\(cudaSetDevice)", "std::map<std::string, std::function<void()>> table; ", text)
    for call in ("CK(cudaMemcpy(p, v.data()", "CK(cudaMemcpyToSymbol"):
        text = text.replace(call, "if (!skip_copies) " + call)
    text = text.replace("static char* pool;", "static bool skip_copies = false;\nstatic char* pool;")
    names = ", ".join(f'"{n}"' for n in NAMES)
    return ("#include <algorithm>\n#include <map>\n" +
            text.replace("int main(", DRIVER.replace("NAMES", names) + "\nint main(", 1))


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--out", required=True)
    p.add_argument("--suite", default=os.path.join(ROOT, "traces", "h200", "suite.cu"))
    p.add_argument("--arch", default="90a")
    p.add_argument("--build", help="folder for the program; left out: a temporary one")
    o = p.parse_args()
    with open(o.suite, encoding="utf-8") as f:
        text = program(f.read())
    with tempfile.TemporaryDirectory() as scratch:
        folder = o.build or scratch
        os.makedirs(folder, exist_ok=True)
        source, binary = os.path.join(folder, "pairs.cu"), os.path.join(folder, "pairs")
        with open(source, "w", encoding="utf-8") as f:
            f.write(text)
        subprocess.run(["nvcc", "-std=c++17", "-O3", "-w", "-gencode", f"arch=compute_{o.arch},code=sm_{o.arch}",
                        "--default-stream", "per-thread", "-o", binary, source], check=True)
        with open(o.out, "w", encoding="utf-8") as f:
            subprocess.run([binary], check=True, stdout=f)


if __name__ == "__main__":
    main()
