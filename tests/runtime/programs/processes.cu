// Processes on one device. Of the first argument:
//   ipc      (without one) two, made by fork(): memory and events that one gives to the other
//   slices   N, made by fork(), each with a kernel of some ms: argument 2 N, 3 its steps
//   run      one, with a short kernel; argument 2 its name
//   exec     three, two of them by fork() and exec() of `run`
//   turns    two that hand each other a semaphore in memory of both
//   after    one made by fork() behind the first call of CUDA
//   device   what the device says of itself
#include <cuda_runtime.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

const char* who = "parent";

#define CHECK(call)                                                        \
  do {                                                                     \
    const cudaError_t e = (call);                                          \
    if (e != cudaSuccess) {                                                \
      printf("FAIL %s line %d: %s\n", who, __LINE__, cudaGetErrorName(e)); \
      fflush(stdout);                                                      \
      exit(1);                                                             \
    }                                                                      \
  } while (0)

double now_us() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

void all(int fd, void* p, size_t bytes, bool in) {
  for (char* at = static_cast<char*>(p); bytes > 0;) {
    const ssize_t n = in ? read(fd, at, bytes) : write(fd, at, bytes);
    if (n <= 0) {
      printf("FAIL %s: a pipe\n", who);
      exit(1);
    }
    at += n;
    bytes -= n;
  }
}

// ---- ipc

constexpr int kCount = 1 << 14;

struct Handles {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t written, read;
};

// Takes a while, so that the other process waits for it.
__global__ void fill(int* p, int factor, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = i;
  for (int r = 0; r < rounds; ++r) {
    x = x * 1664525u + 1013904223u;
  }
  p[i] = x == 1 ? 0 : factor * i;
}

__global__ void add(int* p, int more) { p[blockIdx.x * blockDim.x + threadIdx.x] += more; }

int importer(int from, int to) {
  who = "child";
  Handles h;
  all(from, &h, sizeof h, true);
  int *p = nullptr, *again = nullptr;
  cudaEvent_t written, read;
  CHECK(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&p), h.memory, cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&again), h.memory, cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcOpenEventHandle(&written, h.written));
  CHECK(cudaIpcOpenEventHandle(&read, h.read));
  printf("child: opened %s, free %s\n", p == again ? "once" : "twice", cudaGetErrorName(cudaFree(p)));
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamWaitEvent(s, written, 0));
  add<<<kCount / 256, 256, 0, s>>>(p, 7);
  CHECK(cudaEventRecord(read, s));
  CHECK(cudaEventSynchronize(written));
  CHECK(cudaStreamSynchronize(s));
  static int got[kCount];
  CHECK(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) {
    wrong += got[i] != 3 * i + 7;
  }
  printf("child: %d wrong at %.1f us\n", wrong, now_us() - 1e9);
  CHECK(cudaIpcCloseMemHandle(p));
  CHECK(cudaIpcCloseMemHandle(p));
  printf("child: closed %s\n", cudaGetErrorName(cudaIpcCloseMemHandle(p)));
  CHECK(cudaEventDestroy(written));
  fflush(stdout);
  char done = 1;
  all(to, &done, 1, false);
  return wrong != 0;
}

int ipc() {
  int down[2], up[2];
  if (pipe(down) != 0 || pipe(up) != 0) {
    return 1;
  }
  const pid_t pid = fork();
  if (pid == 0) {
    return importer(down[0], up[1]);
  }
  int *p = nullptr, *own = nullptr, *managed = nullptr;
  CHECK(cudaMalloc(&p, kCount * sizeof(int)));
  Handles h;
  cudaEvent_t written, read;
  CHECK(cudaEventCreateWithFlags(&written, cudaEventInterprocess | cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&read, cudaEventInterprocess | cudaEventDisableTiming));
  CHECK(cudaIpcGetMemHandle(&h.memory, p));
  CHECK(cudaIpcGetEventHandle(&h.written, written));
  CHECK(cudaIpcGetEventHandle(&h.read, read));
  CHECK(cudaMallocManaged(&managed, 4096));
  cudaIpcMemHandle_t other;
  printf("parent: managed %s, its own %s\n", cudaGetErrorName(cudaIpcGetMemHandle(&other, managed)),
         cudaGetErrorName(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&own), h.memory, 1)));
  fflush(stdout);
  fill<<<kCount / 256, 256>>>(p, 3, 5000);
  CHECK(cudaEventRecord(written));
  all(down[1], &h, sizeof h, false);
  char done = 0;
  all(up[0], &done, 1, true);
  CHECK(cudaEventQuery(read));
  int first = 0;
  CHECK(cudaMemcpy(&first, p, sizeof first, cudaMemcpyDeviceToHost));
  printf("parent: the first is %d\n", first);
  int status = 1;
  if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    printf("FAIL the child\n");
    return 1;
  }
  CHECK(cudaFree(p));
  return 0;
}

// ---- slices

__global__ void chase(const unsigned* next, int steps, unsigned* end) {
  unsigned at = 0;
  for (int i = 0; i < steps; ++i) {
    at = __ldcg(next + at);
  }
  *end = at;
}

int slice(int number, int steps) {
  unsigned* next;
  CHECK(cudaMalloc(&next, 1 << 16));
  CHECK(cudaMemset(next, 0, 1 << 16));
  chase<<<1, 1>>>(next, 1, next + 1);
  CHECK(cudaDeviceSynchronize());
  const double begin = now_us();
  chase<<<1, 1>>>(next, steps, next + 1);
  CHECK(cudaDeviceSynchronize());
  printf("process %d: %.1f us\n", number, now_us() - begin);
  fflush(stdout);
  return 0;
}

int slices(int processes, int steps) {
  for (int i = 1; i < processes; ++i) {
    if (fork() == 0) {
      return slice(i, steps);
    }
  }
  slice(0, steps);
  while (wait(nullptr) > 0) {
  }
  return 0;
}

// ---- others

int run(const char* name) {
  int* p = nullptr;
  cudaError_t e = cudaMalloc(&p, 4096);
  if (e == cudaSuccess) {
    add<<<1, 64>>>(p, 1);
    e = cudaDeviceSynchronize();
  }
  printf("%s: %s at %.1f us\n", name, cudaGetErrorName(e), now_us() - 1e9);
  fflush(stdout);
  return e != cudaSuccess;
}

int exec(char* program) {
  char names[2][8] = {"one", "two"};
  for (char* name : names) {
    char of[] = "run";
    char* arguments[] = {program, of, name, nullptr};
    if (fork() == 0) {
      execv(program, arguments);
      _exit(3);
    }
  }
  int bad = run("parent"), status = 0;
  while (wait(&status) > 0) {
    bad += status != 0;
  }
  printf("%d bad\n", bad);
  return 0;
}

int turns() {
  auto* s = static_cast<sem_t*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  sem_init(s, 1, 0);
  sem_init(s + 1, 1, 0);
  const bool child = fork() == 0;
  for (int i = 0; i < 3; ++i) {
    if (child) {
      sem_wait(s);
      run("child");
      sem_post(s + 1);
    } else {
      run("parent");
      sem_post(s);
      sem_wait(s + 1);
    }
  }
  if (child) {
    _exit(0);
  }
  wait(nullptr);
  return 0;
}

int after() {
  run("parent");
  if (fork() == 0) {
    int n = 0;
    printf("child: %s\n", cudaGetErrorName(cudaGetDeviceCount(&n)));
    run("child");
    _exit(0);
  }
  wait(nullptr);
  run("parent");
  return 0;
}

int device() {
  cudaDeviceProp d;
  CHECK(cudaGetDeviceProperties(&d, 0));
  int mode = 0;
  CHECK(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0));
  printf("%s: %d SMs, L2 %d, memory %zu, set-aside %d, %d copy engines, mode %d\n", d.name, d.multiProcessorCount,
         d.l2CacheSize, d.totalGlobalMem, d.persistingL2CacheMaxSize, d.asyncEngineCount, mode);
  return run("a kernel");
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "ipc";
  const auto is = [&](const char* name) { return strcmp(what, name) == 0; };
  return is("slices") ? slices(atoi(argv[2]), atoi(argv[3]))
         : is("run")  ? run(argc > 2 ? argv[2] : "one")
         : is("exec") ? exec(argv[0])
         : is("turns") ? turns()
         : is("after") ? after()
         : is("device") ? device()
                        : ipc();
}
