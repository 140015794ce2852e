// Compiled to a cubin that the program carries.
extern "C" {
__constant__ float factor = 2.0f;
__device__ int launches;

__global__ void scaleAdd(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) atomicAdd(&launches, 1);
  if (i < n) y[i] = factor * a * x[i] + y[i];
}

struct Pair {
  short tag;
  double weight;
};

__global__ void pairs(Pair p, double* out, const char* text) {
  extern __shared__ double s[];
  s[threadIdx.x] = p.weight * threadIdx.x + p.tag;
  __syncthreads();
  if (threadIdx.x == 0) {
    double sum = 0;
    for (int i = 0; i < blockDim.x; i++) sum += s[i];
    *out = sum + text[1];
  }
}

__global__ void whoami(unsigned* out) {
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block << 16 | thread;
}
}
