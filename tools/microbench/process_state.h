// One block of two warps: parameter, load, dependent load of another page, shuffles over shared memory, store.
extern "C" __global__ void k_probe(const int* in, const int* second, float* out, long long* clk) {
  __shared__ float part[2];
  long long t0 = clock64();
  int v = in[threadIdx.x];
  if (v == 123456789) {  // never: what was loaded is waited for
    clk[7] = 1;
  }
  long long t1 = clock64();
  int w = second[v + threadIdx.x];
  if (w == 123456789) {
    clk[7] = 2;
  }
  long long t2 = clock64();
  float f = (float)w;
  for (int o = 16; o > 0; o >>= 1) {
    f += __shfl_xor_sync(~0u, f, o);
  }
  if (threadIdx.x % 32 == 0) {
    part[threadIdx.x / 32] = f;
  }
  __syncthreads();
  long long t3 = clock64();
  if (threadIdx.x == 0) {
    out[0] = part[0] + part[1];
    long long t4 = clock64();
    clk[0] = t0;
    clk[1] = t1;
    clk[2] = t2;
    clk[3] = t3;
    clk[4] = t4;
  }
}
