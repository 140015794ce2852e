// Stores of a word that all warps write, alone and behind stores to K lines of their own, as graph searches write a flag: how many arrive at the L2
// (under ncu: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum, lts__t_sectors_srcunit_tex_op_write.sum; results/h200_flag.csv).
#include "mb.h"
// K: lanes that store to lines of their own before the flag (0: none); gap: dependent products between turns; same: 0 one word for each block, 1 for all
template <int K> __global__ void k_flag(char* b, int n, int gap, int same) {
  u32 lane = threadIdx.x & 31, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, x = threadIdx.x; char* flag = b + (same ? 0 : (size_t)blockIdx.x * 4096);
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    for (int g = 0; g < gap; g++) asm volatile("mad.lo.u32 %0,%0,%0,7;" : "+r"(x));
    if (lane < (K ? K : 1)) {
      if (K) asm volatile("st.global.u32 [%0],%1;" ::"l"(b + (1 << 22) + ((size_t)((warp * 32 + lane) * 64 + (i & 63)) * 2654435761u % (1u << 20)) * 128), "r"(i) : "memory");
      asm volatile("st.global.u32 [%0],%1;" ::"l"(flag), "r"(i) : "memory"); }
  } if (x == 12345) b[64] = 1; }
// a whole line by all warps
__global__ void k_line(char* b, int n, int gap, int same) { u32 lane = threadIdx.x & 31, x = threadIdx.x; char* p = b + (same ? 0 : (size_t)blockIdx.x * 4096) + lane * 4;
#pragma unroll 1
  for (int i = 0; i < n; i++) { for (int g = 0; g < gap; g++) asm volatile("mad.lo.u32 %0,%0,%0,7;" : "+r"(x)); asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(i) : "memory"); } if (x == 12345) b[64] = 1; }
static char* b;
template <class F> void all(const char* name, F k) { for (int g : {1, 132}) for (int t : {32, 64, 128, 256, 1024}) for (int gap : {0, 2, 5, 10, 40}) for (int same : {0, 1}) { if (g == 1 && same) continue; printf("R,%s g%d t%d gap%d same%d\n", name, g, t, gap, same); k<<<g, t>>>(b, 64, gap, same); sync(); } }
int main() { b = dmalloc<char>(256 << 20); all("word", k_flag<0>); all("line", k_line); all("flag1", k_flag<1>); all("flag4", k_flag<4>); all("flag16", k_flag<16>); return 0; }
