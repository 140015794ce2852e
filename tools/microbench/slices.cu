// How lines spread over the L2's slices, and what stores of parts of sectors take there. Without an argument: sectors per
// cycle by sectors of a line and bytes of a sector, and local memory against global frames; with one: launches for
// ncu --metrics lts__t_sectors_srcunit_tex.{sum,avg,max,min},lts__t_sectors_op_write.{...},lts__t_requests.sum.
#include "mb.h"
// A warp's frame is 64 lines. S sectors of a line, BY bytes of each of them; by 4-byte (BY 4, 8 by two lanes) or 16-byte accesses.
template <int S, int BY> __global__ void __launch_bounds__(512) k_part(u64* tm, char* b, int n) {
  u32 lane = threadIdx.x & 31, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; char* frame = b + (size_t)warp * 8192;
  constexpr int W = BY >= 16 ? 16 : 4, PER = BY / W;  // lanes of a sector
  u32 in = lane % PER, sec = lane / PER % S, ln = lane / PER / S;
  startbar(); u64 t0 = clk64();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    u32 k = (ln * 7 + i * 13) & 63; char* p = frame + k * 128 + sec * 32 + in * W;
    if (W == 16) asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(p), "r"(i) : "memory"); else asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(i) : "memory");
  }
  u64 t1 = bar_clk(); if (threadIdx.x == 0) tm[blockIdx.x] = t1 - t0; }
// One full line by each warp instruction, lines `stride` bytes apart, `lines` of them, n times over the whole
__global__ void k_line(char* b, int lines, u64 stride, int n) { u32 lane = threadIdx.x & 31; int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, W = gridDim.x * blockDim.x / 32; for (int r = 0; r < n; r++) for (int i = w; i < lines; i += W) *(float*)(b + i * stride + lane * 4) = r; }
// Local memory: every lane its own word (MODE 0) or all lanes the same (1).
template <int F, int MODE> __global__ void k_loc(u64* tm, u32* o, int n) {
  float v[F]; int t = threadIdx.x; for (int i = 0; i < F; i++) v[i] = t * 0.5f + i;
  startbar(); u64 t0 = clk64();
#pragma unroll 1
  for (int i = 0; i < n; i++) { int k = MODE == 0 ? (t * 7 + i * 13) & (F - 1) : (i * 13 + (t / 32) * 5) & (F - 1); v[k] = (float)i * 1.01f + 1.f; }
  u64 t1 = bar_clk(); float r = 0; for (int i = 0; i < F; i++) r += v[(i * (n | 1)) & (F - 1)]; if (threadIdx.x == 0) tm[blockIdx.x] = t1 - t0; o[blockIdx.x * blockDim.x + t] = (u32)r; }
static u64* tm; static char* b; static u32* o;
template <int F, int M> void L(int g, int bl) { u64 c[2]; int j = 0; for (int n : {64, 256}) { k_zero<<<1, 1>>>(); k_loc<F, M><<<g, bl>>>(tm, o, n); sync(); auto v = down(tm, g); c[j++] = *std::max_element(v.begin(), v.end()); } printf("L,F%d,M%d,g%d,b%d,%.2f sectors/clk\n", F, M, g, bl, 192.0 * g * bl / (M ? 8 : 1) / (c[1] - c[0])); }
void locals() { L<8, 0>(132, 512); L<16, 0>(132, 512); L<32, 0>(132, 512); L<64, 0>(132, 512); L<128, 0>(132, 512); L<64, 0>(132, 128); L<64, 0>(132, 256); L<64, 0>(132, 1024); L<64, 1>(132, 512); L<16, 1>(132, 512); }
template <int S, int BY> void P(bool time) { for (int g : {132, 1}) { double best = 1e30; auto f = [&](int n) { k_zero<<<1, 1>>>(); k_part<S, BY><<<g, 512>>>(tm, b, n); sync(); auto v = down(tm, g); return (double)*std::max_element(v.begin(), v.end()); };
  if (!time) { f(128); return; } f(64); for (int r = 0; r < 3; r++) best = std::min(best, (f(320) - f(64)) / 256); int per = BY >= 16 ? BY / 16 : BY / 4; printf("P,S%d,BY%d,g%d,%.2f cycles per instruction,%.2f sectors/clk\n", S, BY, g, best, 16.0 * g * (32 / per) / best); } }
void every(bool t) { P<1, 4>(t); P<2, 4>(t); P<4, 4>(t); P<1, 8>(t); P<1, 16>(t); P<2, 16>(t); P<4, 16>(t); P<1, 32>(t); P<2, 32>(t); P<4, 32>(t); }
int main(int argc, char** argv) { tm = dmalloc<u64>(4096); b = dmalloc<char>(3ull << 30); o = dmalloc<u32>(1 << 20);
  every(argc == 1); locals(); if (argc == 1) return 0;
  for (u64 off : {0ull, 1ull << 20, (37ull << 20) + 65536}) for (int kb : {1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192, 16384}) { printf("C,off%lu,%dKB\n", (unsigned long)off, kb); k_line<<<132, 256>>>(b + off, kb * 8, 128, 64 > 65536 / kb ? 4 : 8); sync(); }
  for (u64 st : {256ull, 512ull, 1024ull, 2048ull, 4096ull, 8192ull, 16384ull, 32768ull, 65536ull, 131072ull, 1152ull, 4224ull, 65664ull}) for (int lines : {1024, 8192}) { printf("C,stride%lu,%d\n", (unsigned long)st, lines); k_line<<<132, 256>>>(b, lines, st, 8); sync(); }
  return 0; }
