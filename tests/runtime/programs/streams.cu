// Streams: copies from pinned memory beside kernels, events between streams, host functions, priorities.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

class Stream {
 public:
  explicit Stream(unsigned flags = cudaStreamNonBlocking) { CHECK(cudaStreamCreateWithFlags(&s_, flags)); }
  ~Stream() { cudaStreamDestroy(s_); }
  Stream(const Stream&) = delete;
  operator cudaStream_t() const { return s_; }

 private:
  cudaStream_t s_;
};

class Event {
 public:
  explicit Event(unsigned flags = cudaEventDefault) { CHECK(cudaEventCreateWithFlags(&e_, flags)); }
  ~Event() { cudaEventDestroy(e_); }
  Event(const Event&) = delete;
  operator cudaEvent_t() const { return e_; }

 private:
  cudaEvent_t e_;
};

__global__ void mix(const uint32_t* in, uint32_t* out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t x = in[i];
  for (int r = 0; r < rounds; r++) x = (x ^ x >> 15) * 0x2c1b3c6du + r;
  out[i] = x;
}

static uint32_t mixHost(uint32_t x, int rounds) {
  for (int r = 0; r < rounds; r++) x = (x ^ x >> 15) * 0x2c1b3c6du + r;
  return x;
}

__global__ void append(int* log, int value) { log[++log[0]] = value; }

__global__ void wait(int cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

static bool say(const char* what, bool ok) {
  std::printf("%-44s %s\n", what, ok ? "PASS" : "FAIL");
  return ok;
}

struct Note {
  std::vector<int>* log;
  int value;
};

static void CUDART_CB note(void* p) {
  Note* n = static_cast<Note*>(p);
  n->log->push_back(n->value);
}

static void CUDART_CB noteCallback(cudaStream_t, cudaError_t status, void* p) {
  Note* n = static_cast<Note*>(p);
  n->log->push_back(status == cudaSuccess ? n->value : -1);
}

int main() {
  bool ok = true;
  const int n = 1 << 16, chunks = 8, chunk = n / chunks, rounds = 24;

  // The data in pieces over four streams: to the device, mixed, and back.
  uint32_t *in, *out, *din, *dout;
  CHECK(cudaMallocHost(&in, n * sizeof(uint32_t)));
  CHECK(cudaHostAlloc(&out, n * sizeof(uint32_t), cudaHostAllocDefault));
  CHECK(cudaMalloc(&din, n * sizeof(uint32_t)));
  CHECK(cudaMalloc(&dout, n * sizeof(uint32_t)));
  for (int i = 0; i < n; i++) in[i] = i * 2654435761u, out[i] = 0;
  {
    Stream streams[4];
    Event begin, end;
    CHECK(cudaEventRecord(begin));
    for (int c = 0; c < chunks; c++) {
      cudaStream_t s = streams[c % 4];
      CHECK(cudaMemcpyAsync(din + c * chunk, in + c * chunk, chunk * sizeof(uint32_t), cudaMemcpyHostToDevice, s));
      mix<<<chunk / 256, 256, 0, s>>>(din + c * chunk, dout + c * chunk, chunk, rounds);
      CHECK(cudaMemcpyAsync(out + c * chunk, dout + c * chunk, chunk * sizeof(uint32_t), cudaMemcpyDeviceToHost, s));
    }
    CHECK(cudaGetLastError());
    for (Stream& s : streams) CHECK(cudaStreamSynchronize(s));
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    uint32_t sum = 0;
    bool same = true;
    for (int i = 0; i < n; i++) {
      sum += out[i];
      same &= out[i] == mixHost(in[i], rounds);
    }
    std::printf("chunks %d sum %u out[1] %u\n", chunks, sum, out[1]);
    ok &= say("chunks over four streams", same);
    ok &= say("elapsed time > 0", ms > 0);
    ok &= say("finished stream: cudaStreamQuery", cudaStreamQuery(streams[0]) == cudaSuccess);
    ok &= say("finished event: cudaEventQuery", cudaEventQuery(end) == cudaSuccess);
  }

  // A consumer waits for a producer in another stream.
  {
    int* log;
    CHECK(cudaMalloc(&log, 32 * sizeof(int)));
    Stream a, b, c;
    CHECK(cudaMemsetAsync(log, 0, 32 * sizeof(int), a));
    Event fromA(cudaEventDisableTiming), fromB(cudaEventDisableTiming), fromC(cudaEventDisableTiming);
    for (int round = 0; round < 3; round++) {
      if (round) CHECK(cudaStreamWaitEvent(a, fromC, 0));
      wait<<<1, 1, 0, a>>>(2000);
      append<<<1, 1, 0, a>>>(log, 10 * round + 1);
      CHECK(cudaEventRecord(fromA, a));
      CHECK(cudaStreamWaitEvent(b, fromA, 0));
      append<<<1, 1, 0, b>>>(log, 10 * round + 2);
      CHECK(cudaEventRecord(fromB, b));
      CHECK(cudaStreamWaitEvent(c, fromB, 0));
      append<<<1, 1, 0, c>>>(log, 10 * round + 3);
      CHECK(cudaEventRecord(fromC, c));
    }
    CHECK(cudaStreamSynchronize(c));
    int got[32];
    CHECK(cudaMemcpy(got, log, sizeof(got), cudaMemcpyDeviceToHost));
    bool same = got[0] == 9;
    std::printf("order");
    for (int i = 1; i <= got[0]; i++) {
      std::printf(" %d", got[i]);
      same &= got[i] == (i - 1) / 3 * 10 + (i - 1) % 3 + 1;
    }
    std::printf("\n");
    ok &= say("order of three streams by events", same);
    float ms;
    ok &= say("an event without times gives no time",
              cudaEventElapsedTime(&ms, fromA, fromB) == cudaErrorInvalidResourceHandle && cudaGetLastError() != cudaSuccess);
    CHECK(cudaFree(log));
  }

  // The default stream waits for blocking streams and they for it.
  {
    int* log;
    CHECK(cudaMalloc(&log, 16 * sizeof(int)));
    CHECK(cudaMemset(log, 0, 16 * sizeof(int)));
    Stream a(cudaStreamDefault), b(cudaStreamDefault);
    wait<<<1, 1, 0, a>>>(2000);
    append<<<1, 1, 0, a>>>(log, 1);
    append<<<1, 1>>>(log, 2);
    append<<<1, 1, 0, b>>>(log, 3);
    CHECK(cudaDeviceSynchronize());
    int got[4];
    CHECK(cudaMemcpy(got, log, sizeof(got), cudaMemcpyDeviceToHost));
    std::printf("default stream %d: %d %d %d\n", got[0], got[1], got[2], got[3]);
    ok &= say("default stream between blocking ones", got[0] == 3 && got[1] == 1 && got[2] == 2 && got[3] == 3);
    CHECK(cudaFree(log));
  }

  // Host functions in order.
  {
    std::vector<int> order;
    Note notes[4] = {{&order, 1}, {&order, 2}, {&order, 3}, {&order, 4}};
    Stream s;
    CHECK(cudaLaunchHostFunc(s, note, &notes[0]));
    wait<<<1, 1, 0, s>>>(500);
    CHECK(cudaLaunchHostFunc(s, note, &notes[1]));
    CHECK(cudaStreamAddCallback(s, noteCallback, &notes[2], 0));
    CHECK(cudaLaunchHostFunc(s, note, &notes[3]));
    CHECK(cudaStreamSynchronize(s));
    std::printf("host functions");
    for (int i : order) std::printf(" %d", i);
    std::printf("\n");
    ok &= say("host functions in order", order == std::vector<int>{1, 2, 3, 4});
  }

  // Priorities and flags.
  {
    int least, greatest, priority;
    unsigned flags;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t s;
    CHECK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamGetPriority(s, &priority));
    CHECK(cudaStreamGetFlags(s, &flags));
    std::printf("priorities %d to %d, stream %d, flags %u\n", least, greatest, priority, flags);
    ok &= say("priority kept", priority == greatest);
    CHECK(cudaStreamDestroy(s));
  }

  // Host memory that is mapped, and memory registered later.
  {
    uint32_t* mapped;
    CHECK(cudaHostAlloc(&mapped, 1024 * sizeof(uint32_t), cudaHostAllocMapped));
    uint32_t* device;
    CHECK(cudaHostGetDevicePointer(&device, mapped, 0));
    for (int i = 0; i < 1024; i++) mapped[i] = i;
    mix<<<4, 256>>>(device, device, 1024, 3);
    CHECK(cudaDeviceSynchronize());
    bool same = true;
    for (int i = 0; i < 1024; i++) same &= mapped[i] == mixHost(i, 3);
    ok &= say("kernel on mapped host memory", same);
    CHECK(cudaFreeHost(mapped));

    std::vector<uint32_t> plain(4096, 7u);
    CHECK(cudaHostRegister(plain.data(), plain.size() * sizeof(uint32_t), cudaHostRegisterDefault));
    CHECK(cudaMemcpyAsync(din, plain.data(), plain.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));
    mix<<<16, 256>>>(din, dout, 4096, 2);
    CHECK(cudaMemcpyAsync(plain.data(), dout, plain.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaHostUnregister(plain.data()));
    ok &= say("registered memory", plain[0] == mixHost(7, 2) && plain[4095] == mixHost(7, 2));
  }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
  std::printf("%s\n", ok ? "all PASS" : "some FAIL");
  return ok ? 0 : 1;
}
