// What a cubin can have besides code.
__constant__ float factors[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__device__ int* pointer = &counter;
__device__ float results[64];

__device__ __noinline__ float step(float x) { return x * factors[1] + results[0]; }

extern "C" __global__ void __launch_bounds__(256) __cluster_dims__(2, 1, 1) parts(char a, double b, float* out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = step(static_cast<float>(b));
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x] + *pointer + a;
}
