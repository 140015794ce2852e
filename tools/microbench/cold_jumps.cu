// Code that a warp executes once, in pieces of `piece` lines of 128 bytes with `gap` lines between them that
// it jumps over: when each piece begins, mean over the warps of all blocks and the latest, cycles since the
// first. Run it under ncu with --cache-control all --clock-control none for cold code, and without for warm.
//
// Output: repeat,piece_lines|line,gap_lines,blocks,warps,mean|latest,begin of piece or line 0,1,...
#include "mb.h"

constexpr int kPieces = 32, kPerLine = 8;

template <int N>
__device__ __forceinline__ void products(float (&v)[8], float s) {
#pragma unroll
  for (int i = 0; i < N; i++) {
    asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(v[i & 7]) : "f"(s), "f"(s));
  }
}

__device__ __forceinline__ void begin(float (&v)[8]) {
  for (int i = 0; i < 8; i++) {
    v[i] = threadIdx.x + i;
  }
}
__device__ __forceinline__ void keep(const float (&v)[8], u32* out) {
  float r = 0;
  for (int i = 0; i < 8; i++) {
    r += v[i];
  }
  if (r == 1.2345f) {
    out[0] = 1;
  }
}

template <int Piece, int Gap>
__global__ void __launch_bounds__(1024, 1) jumps(u32* out, float s, int never) {
  u32 t[kPieces + 1];
  float v[8];
  begin(v);
  t[0] = clk_after(__float_as_uint(s), 0xffffffff);
#pragma unroll
  for (int k = 0; k < kPieces; k++) {
    // Two instructions less for the jump, one for the clock.
    products<Piece * kPerLine - 3>(v, s);
    if (Gap > 0 && never == k) {
      products<Gap * kPerLine>(v, s);
    }
    t[k + 1] = clk();
  }
  give_stamps(out, t);
  keep(v, out);
}

template <int Piece, int Gap>
void run(u32* out, int repeats) {
  for (int repeat = 0; repeat < repeats; repeat++) {
    for (const int blocks : {1, 72, 132}) {
      for (const int warps : {1, 4, 16}) {
        jumps<Piece, Gap><<<blocks, 32 * warps>>>(out, 1.f, -1);
        sync();
        const auto h = down(out, blocks * warps * (kPieces + 2));
        for (const bool latest : {false, true}) {
          printf("%d,%d,%d,%d,%d,%s", repeat, Piece, Gap, blocks, warps, latest ? "latest" : "mean");
          for (int k = 0; k <= kPieces; k++) {
            double sum = 0, most = 0;
            for (int i = 0; i < blocks * warps; i++) {
              const double d = h[i * (kPieces + 2) + 1 + k] - h[i * (kPieces + 2) + 1];
              sum += d;
              most = std::max(most, d);
            }
            printf(",%.0f", latest ? most : sum / (blocks * warps));
          }
          printf("\n");
        }
      }
    }
  }
}

// `Gap` lines that are jumped over, then lines one by one: when each begins, since the jump.
constexpr int kLines = 40;
template <int Gap>
__global__ void __launch_bounds__(1024, 1) lines(u32* out, float s, int never) {
  u32 t[kLines];
  float v[8];
  begin(v);
  t[0] = clk_after(__float_as_uint(s), 0xffffffff);
  if (never == 0) {
    products<Gap * kPerLine>(v, s);
  }
#pragma unroll
  for (int k = 1; k < kLines; k++) {
    t[k] = clk();
    products<kPerLine - 1>(v, s);
  }
  give_stamps(out, t);
  keep(v, out);
}

template <int Gap>
void run_lines(u32* out, int repeats) {
  for (int repeat = 0; repeat < repeats; repeat++) {
    for (const int blocks : {1, 72, 132}) {
      for (const int warps : {1, 4}) {
        lines<Gap><<<blocks, 32 * warps>>>(out, 1.f, -1);
        sync();
        const auto h = down(out, blocks * warps * (kLines + 1));
        printf("%d,line,%d,%d,%d,mean", repeat, Gap, blocks, warps);
        for (int k = 0; k < kLines; k++) {
          double sum = 0;
          for (int i = 0; i < blocks * warps; i++) {
            sum += h[i * (kLines + 1) + 1 + k] - h[i * (kLines + 1) + 1];
          }
          printf(",%.0f", sum / (blocks * warps));
        }
        printf("\n");
      }
    }
  }
}

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? atoi(argv[1]) : 2;
  u32* out = dmalloc<u32>(132 * 32 * (kPieces + 2));
  printf("repeat,piece_lines,gap_lines,blocks,warps,what,begins\n");
  run<8, 0>(out, repeats);    // 32 KB of straight code
  run<40, 0>(out, repeats);   // 160 KB
  run<1, 3>(out, repeats);    // 16 KB
  run<1, 7>(out, repeats);    // 32 KB
  run<1, 15>(out, repeats);   // 64 KB
  run<1, 39>(out, repeats);   // 160 KB
  run<4, 36>(out, repeats);   // 160 KB
  run<4, 124>(out, repeats);  // 512 KB
  run<12, 28>(out, repeats);  // 160 KB
  run_lines<16>(out, repeats);
  run_lines<128>(out, repeats);
  run_lines<600>(out, repeats);
  run_lines<1500>(out, repeats);
}
