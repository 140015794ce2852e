// Objects of the program's that graphs keep alive: who has references, when the last one goes, and what a
// destructor may not do.
#include <atomic>
#include <cstdio>
#include <unistd.h>

struct Object {
  std::atomic<int> ends{0};
  std::atomic<int> status{-1};
  int value = 0;
};

static void destroy(void* data) {
  auto* o = static_cast<Object*>(data);
  o->status = cudaDeviceSynchronize();
  ++o->ends;
}

__global__ void count(int* p, int n) {
  for (int i = 0; i < n; ++i) {
    atomicAdd(p, 1);
  }
}

static bool failed = false;
static void expect(const char* what, int got, int expected) {
  if (got != expected) {
    std::printf("FAIL: %s: %d, not %d\n", what, got, expected);
    failed = true;
  }
}
// A destructor runs some time after the last reference has gone.
static void expect_ends(const char* what, const Object& o, int expected) {
  for (int i = 0; i < 200 && o.ends != expected; ++i) {
    usleep(1000);
  }
  expect(what, o.ends, expected);
}

int main() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  int* d = nullptr;
  cudaMalloc(&d, sizeof(int));
  cudaMemset(d, 0, sizeof(int));
  Object o;
  cudaUserObject_t handle;
  expect("flags", cudaUserObjectCreate(&handle, &o, destroy, 1, 0), cudaErrorInvalidValue);
  expect("no references", cudaUserObjectCreate(&handle, &o, destroy, 0, cudaUserObjectNoDestructorSync),
         cudaErrorInvalidValue);
  expect("create", cudaUserObjectCreate(&handle, &o, destroy, 1, cudaUserObjectNoDestructorSync), cudaSuccess);
  expect("retain", cudaUserObjectRetain(handle, 2), cudaSuccess);
  expect("release", cudaUserObjectRelease(handle, 2), cudaSuccess);

  cudaGraph_t g, clone, parent;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  count<<<1, 32, 0, s>>>(d, 10000);
  cudaMemcpyAsync(&o.value, d, sizeof(int), cudaMemcpyDeviceToHost, s);
  cudaStreamEndCapture(s, &g);
  expect("flags of the graph's", cudaGraphRetainUserObject(g, handle, 1, 2), cudaErrorInvalidValue);
  expect("move", cudaGraphRetainUserObject(g, handle, 1, cudaGraphUserObjectMove), cudaSuccess);
  cudaGraphClone(&clone, g);
  cudaGraphCreate(&parent, 0);
  cudaGraphNode_t child;
  cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, clone);
  cudaGraphDestroy(g);
  expect_ends("a clone has references", o, 0);
  cudaGraphDestroy(clone);
  expect_ends("a child has references", o, 0);
  cudaGraphExec_t x;
  expect("instantiate", cudaGraphInstantiate(&x, parent, 0), cudaSuccess);
  cudaGraphDestroy(parent);
  cudaGraphLaunch(x, s);
  cudaGraphExecDestroy(x);
  expect("a launch runs", o.ends, 0);
  expect("synchronize", cudaStreamSynchronize(s), cudaSuccess);
  expect_ends("the launch is done", o, 1);
  expect("a destructor calls CUDA", o.status, cudaErrorNotPermitted);
  expect("the copy", o.value, 320000);
  std::printf(failed ? "FAIL\n" : "user objects end once\n");
}
