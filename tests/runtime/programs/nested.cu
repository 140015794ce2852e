// Kernels that launch kernels (dynamic parallelism): the examples of the CUDA guide's chapter on it, a tree of
// grids, a loop of tail launches, streams and events of a grid, errors in kernels.
#include <cstdio>
#include <vector>

static int failures = 0;
#define CHECK(what)                                          \
  do {                                                       \
    if (!(what)) { printf("FAIL %s\n", #what); ++failures; } \
  } while (0)

// C51: the tail launch prints behind the child.
__global__ void world() { printf("World!\n"); }
__global__ void hello() { printf("Hello "); }
__global__ void hello_world() {
  hello<<<1, 1>>>();
  world<<<1, 1, 0, cudaStreamTailLaunch>>>();
}

// C46: a child sees what its parent wrote before the launch.
__global__ void add_one(int* data) { data[threadIdx.x] += 1; }
__global__ void tail_one(int* data) { data[threadIdx.x] += 1; }
__global__ void parent(int* data) {
  data[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    add_one<<<1, 256>>>(data);
    tail_one<<<1, 256, 0, cudaStreamTailLaunch>>>(data);
  }
}

// A tree: each grid launches two more, of half the elements, until there is one.
__global__ void tree(int* data, int n, int depth) {
  if (n == 1) {
    data[0] += depth;
    return;
  }
  tree<<<1, 1, 0, cudaStreamFireAndForget>>>(data, n / 2, depth + 1);
  tree<<<1, 1, 0, cudaStreamFireAndForget>>>(data + n / 2, n / 2, depth + 1);
}

// As often as it takes: a kernel that launches itself as its tail.
__global__ void again(int* count, int most) {
  if (atomicAdd(count, 1) + 1 < most) {
    again<<<1, 1, 0, cudaStreamTailLaunch>>>(count, most);
  }
}

// Every block launches as many blocks as its number, in its own NULL stream, which keeps their order.
__global__ void times_two(int* x) { x[blockIdx.x] *= 2; }
__global__ void plus_three(int* x) { x[blockIdx.x] += 3; }
__global__ void rows(int* x, int width) {
  int* row = x + blockIdx.x * width;
  if (threadIdx.x == 0) {
    plus_three<<<blockIdx.x + 1, 1>>>(row);
    times_two<<<blockIdx.x + 1, 1>>>(row);
  }
}

// Two streams of the grid, ordered by an event; dynamic shared memory and a structure as a parameter.
struct Two {
  double a;
  int b;
};
__global__ void store(int* x, Two v, int shift) {
  extern __shared__ int s[];
  s[threadIdx.x] = v.b + threadIdx.x;
  __syncthreads();
  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x] + int(v.a) + shift;
}
__global__ void sum(const int* x, int* out, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  *out = s;
}
__global__ void ordered(int* x, int* out) {
  cudaStream_t a, b;
  cudaEvent_t e;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  store<<<1, 64, 64 * sizeof(int), a>>>(x, Two{2.5, 100}, 1000);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e, 0);
  sum<<<1, 1, 0, b>>>(x, out, 64);
  cudaEventDestroy(e);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}

// A launch that cannot be: the error is the thread's.
__global__ void wrong(int* seen) {
  add_one<<<1, 2000>>>(seen);
  seen[0] = cudaPeekAtLastError();
  seen[1] = cudaGetLastError();
  seen[2] = cudaGetLastError();
  cudaGetDevice(seen + 3);
  cudaGetDeviceCount(seen + 4);
}

int main() {
  int* d = nullptr;
  cudaMalloc(&d, 1 << 16);
  std::vector<int> h(1 << 14);
  const auto back = [&](int n) { cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost); };

  hello_world<<<1, 1>>>();
  cudaDeviceSynchronize();

  parent<<<1, 256>>>(d);
  back(256);
  for (int i = 0; i < 256; ++i) CHECK(h[i] == i + 2);
  printf("parent: %d %d %d\n", h[0], h[1], h[255]);

  cudaMemset(d, 0, 64 * sizeof(int));
  tree<<<1, 1>>>(d, 64, 0);
  back(64);
  int deepest = 0, all = 0;
  for (int i = 0; i < 64; ++i) all += h[i], deepest = h[i] > deepest ? h[i] : deepest;
  printf("tree: %d leaves' depths together, %d deep\n", all, deepest);
  CHECK(all == 64 * 6);

  cudaMemset(d, 0, sizeof(int));
  again<<<1, 1>>>(d, 100);
  back(1);
  printf("again: %d\n", h[0]);

  cudaMemset(d, 0, 8 * 8 * sizeof(int));
  rows<<<8, 32>>>(d, 8);
  back(64);
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) {
      CHECK(h[r * 8 + c] == (c <= r ? 6 : 0));
      printf("%d%s", h[r * 8 + c], c == 7 ? "\n" : " ");
    }
  }

  ordered<<<1, 1>>>(d, d + 1000);
  back(1001);
  printf("ordered: %d %d, sum %d\n", h[0], h[63], h[1000]);
  CHECK(h[0] == 100 + 63 + 2 + 1000);

  wrong<<<1, 1>>>(d);
  back(5);
  printf("wrong: %s, then %d; device %d of %d\n", cudaGetErrorName(cudaError_t(h[0])), h[2], h[3], h[4]);
  CHECK(h[0] == h[1]);

  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return failures;
}
