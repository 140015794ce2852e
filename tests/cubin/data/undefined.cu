// Kernels of values_test.cc: what nothing defines, beside kernels that do not need it.
#include <cstdio>

extern "C" __global__ void plain(int* p) { *p = 7; }
extern "C" __global__ void prints(int* p) {
  printf("%d\n", *p);
  *p = 8;
}
#ifdef __CUDACC_RDC__
extern "C" __device__ int nowhere(int);
typedef int (*Function)(int);
__device__ __noinline__ int triple(int x) { return 3 * x; }
__device__ Function table[2] = {triple, nowhere};
extern "C" __global__ void needs(int* p) { *p = nowhere(*p); }
extern "C" __global__ void by_table(int* p, int i) { *p = table[i](*p); }
#else
extern "C" __global__ void needs(cudaGraphConditionalHandle h, unsigned v) { cudaGraphSetConditional(h, v); }
#endif
