// Stores to one sector by two instructions: which of them are one at the L2 (under ncu; l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum, lts__t_sectors_srcunit_tex_op_write.sum).
// Which stores to one sector, from consecutive instructions of a warp, are one at the L2?
#include "mb.h"
// L lines of an instruction, H: 1 both halves of a sector by two instructions; 2: the same words twice; D dummy stores to other lines between them
template <int L, int H, int D> __global__ void k_m(char* b, int n) {
  u32 lane = threadIdx.x & 31, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; char* frame = b + (size_t)warp * 65536;
  u32 per = 32 / L, ln = lane / per, sec = (lane % per) & 3;  // up to 4 sectors of a line
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    char* p = frame + ((i & 7) * 32 + ln) * 128 + sec * 32;
    if (per <= 4 || lane % per < 4) {
      asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(p), "r"(i) : "memory");
#pragma unroll
      for (int d = 0; d < D; d++) asm volatile("st.global.u32 [%0],%1;" ::"l"(frame + 32768 + ((i & 7) * 32 + d) * 128), "r"(i) : "memory");
      asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(p + (H == 1 ? 16 : 0)), "r"(i) : "memory");
    }
  } }
// the same word by two warps of a block, and a store per i to a line in turn
__global__ void k_two(char* b, int n) { u32 lane = threadIdx.x & 31; char* frame = b + (size_t)blockIdx.x * 65536;
#pragma unroll 1
  for (int i = 0; i < n; i++) { asm volatile("st.global.u32 [%0],%1;" ::"l"(frame + (i & 63) * 128 + lane * 4), "r"(i) : "memory"); } }
// inv4's stores: 4 x 16 bytes of 64 a lane
__global__ void k_aos(char* b, int n, int gap) { char* p = b + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * 64; u32 x = n;
  for (int i = 0; i < n; i++) for (int r = 0; r < 4; r++) { asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(p + r * 16), "r"(x) : "memory"); for (int g = 0; g < gap; g++) asm volatile("mad.lo.u32 %0,%0,%0,7;" : "+r"(x)); } }
static char* b;
template <int L, int H, int D> void M() { for (int g : {1, 132}) for (int t : {32, 128, 512}) { printf("R,L%d,H%d,D%d,g%d,t%d\n", L, H, D, g, t); k_m<L, H, D><<<g, t>>>(b, 32); sync(); } }
int main() { b = dmalloc<char>(256 << 20);
  M<1, 1, 0>(); M<2, 1, 0>(); M<4, 1, 0>(); M<8, 1, 0>(); M<16, 1, 0>(); M<32, 1, 0>(); M<8, 2, 0>(); M<32, 2, 0>(); M<8, 1, 1>(); M<8, 1, 4>(); M<8, 1, 8>(); M<4, 1, 16>();
  for (int g : {1, 132}) for (int t : {32, 64, 256}) { printf("R,two,g%d,t%d\n", g, t); k_two<<<g, t>>>(b, 64); sync(); }
  for (int g : {1, 132, 1024}) for (int t : {32, 128}) for (int gap : {0, 4, 20}) { printf("R,aos,g%d,t%d,gap%d\n", g, t, gap); k_aos<<<g, t>>>(b, 1, gap); sync(); }
  return 0; }
