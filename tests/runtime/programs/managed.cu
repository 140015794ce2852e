// Unified memory: allocations and variables that host and device use in turns, with prefetches and advice.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

__managed__ int turns = 0;
__managed__ float table[64];

// Objects of this are in unified memory.
struct Managed {
  void* operator new(size_t bytes) {
    void* p;
    CHECK(cudaMallocManaged(&p, bytes));
    return p;
  }
  void operator delete(void* p) { cudaFree(p); }
};

struct Node : Managed {
  int value;
  Node* next;
};

struct Text : Managed {
  char* data;
  int length;
  explicit Text(const char* s) : length(0) {
    while (s[length]) length++;
    CHECK(cudaMallocManaged(&data, length + 1));
    for (int i = 0; i <= length; i++) data[i] = s[i];
  }
  ~Text() { cudaFree(data); }
};

__global__ void walk(const Node* list, int* sum, int* length) {
  *sum = *length = 0;
  for (const Node* n = list; n; n = n->next) *sum += n->value, ++*length;
}

__global__ void upper(Text* t) {
  for (int i = threadIdx.x; i < t->length; i += blockDim.x)
    if (t->data[i] >= 'a' && t->data[i] <= 'z') t->data[i] -= 32;
}

__global__ void step(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 3 + turns;
  if (i < 64) table[i] += 0.5f * i;
}

__global__ void bump() { turns++; }

static bool say(const char* what, bool ok) {
  std::printf("%-40s %s\n", what, ok ? "PASS" : "FAIL");
  return ok;
}

int main() {
  bool ok = true;
  const int n = 50000;
  int device;
  CHECK(cudaGetDevice(&device));
  int managed = 0, concurrent = 0;
  CHECK(cudaDeviceGetAttribute(&managed, cudaDevAttrManagedMemory, device));
  CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, device));
  std::printf("managed %d concurrent %d\n", managed, concurrent);

  int *x, *want = new int[n];
  CHECK(cudaMallocManaged(&x, n * sizeof(int)));
  for (int i = 0; i < n; i++) x[i] = want[i] = i % 1000;
  for (int i = 0; i < 64; i++) table[i] = 1.0f;
  for (int round = 0; round < 4; round++) {
    step<<<(n + 255) / 256, 256>>>(x, n);
    bump<<<1, 1>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) want[i] = want[i] * 3 + round;
    bool same = turns == round + 1;
    for (int i = 0; i < n; i++) same &= x[i] == want[i];
    std::printf("round %d: turns %d x[1] %d x[999] %d table[63] %.9g %s\n", round, turns, x[1], x[999], table[63],
                same ? "PASS" : "FAIL");
    ok &= same;
    for (int i = round; i < n; i += 1000) x[i] = want[i] = -i;  // the host's turn
  }

  // Where it should be is a hint; the values do not change.
  cudaMemLocation gpu = {cudaMemLocationTypeDevice, device}, cpu = {cudaMemLocationTypeHost, 0};
#if CUDART_VERSION >= 13000
  CHECK(cudaMemAdvise(x, n * sizeof(int), cudaMemAdviseSetPreferredLocation, gpu));
  CHECK(cudaMemAdvise(x, n * sizeof(int), cudaMemAdviseSetAccessedBy, cpu));
  CHECK(cudaMemPrefetchAsync(x, n * sizeof(int), gpu, 0, 0));
#endif
  step<<<(n + 255) / 256, 256>>>(x, n);
#if CUDART_VERSION >= 13000
  CHECK(cudaMemPrefetchAsync(x, n * sizeof(int), cpu, 0, 0));
#endif
  CHECK(cudaDeviceSynchronize());
  bool same = true;
  for (int i = 0; i < n; i++) same &= x[i] == want[i] * 3 + 4;
  ok &= say("prefetched both ways", same);

  cudaPointerAttributes a;
  CHECK(cudaPointerGetAttributes(&a, x));
  std::printf("pointer type %d device %d host pointer same %d\n", int(a.type), a.device, a.hostPointer == a.devicePointer);
  ok &= say("managed by its attributes", a.type == cudaMemoryTypeManaged);
  CHECK(cudaMemcpy(want, x, n * sizeof(int), cudaMemcpyDefault));
  ok &= say("cudaMemcpyDefault", want[7] == x[7] && want[n - 1] == x[n - 1]);
  CHECK(cudaMemset(x, 0x11, n * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  ok &= say("cudaMemset", x[0] == 0x11111111 && x[n - 1] == 0x11111111);

  Node* list = nullptr;
  for (int i = 1; i <= 100; i++) {
    Node* node = new Node;
    node->value = i * i;
    node->next = list;
    list = node;
  }
  int* results;
  CHECK(cudaMallocManaged(&results, 2 * sizeof(int), cudaMemAttachGlobal));
  walk<<<1, 1>>>(list, &results[0], &results[1]);
  CHECK(cudaDeviceSynchronize());
  std::printf("list of %d: %d\n", results[1], results[0]);
  ok &= say("list of the host's", results[0] == 338350 && results[1] == 100);
  while (list) {
    Node* next = list->next;
    delete list;
    list = next;
  }

  Text* text = new Text("Threads cross and Warps hold");
  upper<<<1, 32>>>(text);
  CHECK(cudaDeviceSynchronize());
  std::printf("%s\n", text->data);
  delete text;

  int fromSymbol = 0;
  CHECK(cudaMemcpyFromSymbol(&fromSymbol, turns, sizeof(int)));
  ok &= say("managed variable as a symbol", fromSymbol == turns && turns == 4);
  CHECK(cudaFree(results));
  CHECK(cudaFree(x));
  delete[] want;
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
