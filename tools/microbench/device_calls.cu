// What CUDA's calls in kernels cost, when children start, who waits for whom: dynamic parallelism in detail
// (device_launch.cu has the totals). `device_calls PART` prints rows test,parameter,value,unit.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "host_timing.h"

__device__ __forceinline__ long long now() {
  long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)::"memory");
  return t;
}
enum How { kNull, kForget, kTail, kOwn };
static const char* names[] = {"null stream", "fire and forget", "tail", "own stream"};
__device__ cudaStream_t stream_of(int how) {
  cudaStream_t s = 0;
  if (how == kForget) {
    s = cudaStreamFireAndForget;
  } else if (how == kTail) {
    s = cudaStreamTailLaunch;
  } else if (how == kOwn) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  }
  return s;
}
__global__ void nop() {}
// Writes its start and end.
__global__ void child(long long* at, long long ns) {
  const long long begin = now();
  while (now() - begin < ns) {
  }
  at[0] = begin;
  at[1] = now();
}
__global__ void stamp(long long* at) { *at = now(); }
// out: start, stream made, return of each call, end; then the children's pairs from 200 on.
__global__ void parent(int n, int how, long long* out, long long ns, long long own) {
  const long long begin = now();
  out[0] = begin;
  cudaStream_t s = stream_of(how);
  out[1] = now();
  for (int i = 0; i < n; ++i) {
    child<<<1, 1, 0, s>>>(out + 200 + 2 * i, ns);
    out[2 + i] = now();
  }
  while (now() - begin < own) {
  }
  out[2 + n] = now();
}
// A forgotten child and two tails.
__global__ void mixed(long long* out, long long ns, int forgotten) {
  out[0] = now();
  if (forgotten) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(out + 200, ns);
  }
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(out + 202, ns);
  child<<<1, 1, 0, cudaStreamTailLaunch>>>(out + 204, ns);
  out[1] = now();
}
static long long* o;
static void timeline() {
  for (int how = 0; how < 4; ++how) {
    for (long long ns : {0ll, 40000ll}) {
      const int n = 8;
      std::vector<double> first, call, start, gap, from_end, stream;
      for (int rep = 0; rep < 9; ++rep) {
        memset(o, 0, 8192);
        parent<<<1, 1>>>(n, how, o, ns, 0);
        cudaDeviceSynchronize();
        if (rep < 2) {
          continue;
        }
        stream.push_back(o[1] - o[0]);
        first.push_back(o[2] - o[1]);
        call.push_back((o[1 + n] - o[2]) / (n - 1.0));
        start.push_back(o[200] - o[2]);
        from_end.push_back(o[200] - o[2 + n]);
        for (int i = 1; i < n; ++i) {
          gap.push_back(o[200 + 2 * i] - (how == kForget ? o[2 + i] : o[201 + 2 * (i - 1)]));
        }
      }
      const std::string p = std::string(names[how]) + (ns ? " 8 x 40 us" : " 8 x 0");
      row("cdp_ns", p + " stream made", median(stream), "ns");
      row("cdp_ns", p + " first call", median(first), "ns");
      row("cdp_ns", p + " next calls", median(call), "ns");
      row("cdp_ns", p + " first call's return to child", median(start), "ns");
      row("cdp_ns", p + " parent's end to first child", median(from_end), "ns");
      row("cdp_ns", p + (how == kForget ? " call's return to child" : " child to child"), median(gap), "ns");
      if (ns == 0) {  // as they lie in the last run
        for (int i = 0; i < n; ++i) {
          row("cdp_at_ns", p + " call " + std::to_string(i) + " returns", o[2 + i] - o[0], "ns");
          row("cdp_at_ns", p + " child " + std::to_string(i) + " starts", o[200 + 2 * i] - o[0], "ns");
        }
      }
    }
    for (int n : {1, 2, 10, 100}) {
      row("cdp_tree_us", std::string(names[how]) + " " + std::to_string(n) + " x 20 us",
          timed([&] { parent<<<1, 1>>>(n, how, o, 20000, 0); }, 5, 2), "us");
      row("cdp_tree_us", std::string(names[how]) + " " + std::to_string(n) + " x 20 us of a parent of 100 us",
          timed([&] { parent<<<1, 1>>>(n, how, o, 20000, 100000); }, 5, 2), "us");
    }
  }
  for (int f : {0, 1}) {
    std::vector<double> a, b;
    for (int rep = 0; rep < 9; ++rep) {
      mixed<<<1, 1>>>(o, 30000, f);
      cudaDeviceSynchronize();
      a.push_back(o[202] - (f ? o[201] : o[1]));
      b.push_back(o[204] - o[203]);
    }
    row("cdp_ns", f ? "forgotten child's end to tail" : "parent's end to tail", median(a), "ns");
    row("cdp_ns", f ? "tail to tail with a child" : "tail to tail", median(b), "ns");
  }
}
// Tail after tail, and from the last to what is next in the stream of the host.
static void gaps() {
  long long *d, h[1024];
  cudaMalloc(&d, sizeof h);
  for (int how : {kTail, kNull, kForget}) {
    for (int n : {1, 2, 4, 16, 64}) {
      for (long long ns : {0ll, 20000ll}) {
        std::vector<std::vector<double>> gap(n);
        std::vector<double> after, first;
        for (int rep = 0; rep < 9; ++rep) {
          parent<<<1, 1>>>(n, how, d, ns, 0);
          stamp<<<1, 1>>>(d + 1000);
          cudaDeviceSynchronize();
          cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
          for (int i = 1; i < n; ++i) {
            gap[i].push_back(h[200 + 2 * i] - h[199 + 2 * i]);
          }
          first.push_back(h[200] - h[2 + n]);
          after.push_back(h[1000] - h[199 + 2 * n]);
        }
        const std::string p =
            std::string(names[how]) + " " + std::to_string(n) + " x " + std::to_string(ns / 1000) + " us";
        row("cdp_gap_ns", p + " parent's end to first", median(first), "ns");
        for (int i : {1, 2, 3, 4, 8, 12, 15, 16, 32, 63}) {
          if (i < n) {
            row("cdp_gap_ns", p + " before child " + std::to_string(i), median(gap[i]), "ns");
          }
        }
        row("cdp_gap_ns", p + " last child to the next kernel of the host", median(after), "ns");
      }
    }
  }
  for (int children : {0, 1}) {
    std::vector<double> after;
    for (int rep = 0; rep < 9; ++rep) {
      parent<<<1, 1>>>(children, kForget, d, 0, 60000);
      stamp<<<1, 1>>>(d + 1000);
      cudaDeviceSynchronize();
      cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
      after.push_back(h[1000] - h[2 + children]);
    }
    row("cdp_gap_ns",
        std::to_string(children) + " children ended before: parent's end to the next kernel of the host",
        median(after), "ns");
  }
}
// ---- many callers
__global__ void callers(int each, int how, int threads) {
  if (threadIdx.x < threads) {
    cudaStream_t s = stream_of(how);
    for (int i = 0; i < each; ++i) {
      nop<<<1, 32, 0, s>>>();
    }
  }
}
static void many() {
  for (int how : {kNull, kForget, kTail, kOwn}) {
    for (int blocks : {1, 2, 4, 8, 16, 32, 64, 132, 264, 528}) {
      row("cdp_many_us", std::to_string(blocks) + " blocks 1 threads 1 each " + names[how],
          timed([&] { callers<<<blocks, 32>>>(1, how, 1); }, 5, 2), "us");
    }
    for (int blocks : {4, 16, 132}) {
      row("cdp_many_us", std::to_string(blocks) + " blocks 1 threads 10 each " + names[how],
          timed([&] { callers<<<blocks, 32>>>(10, how, 1); }, 5, 2), "us");
    }
    for (int threads : {2, 8, 32, 128}) {
      const int block = threads < 32 ? 32 : threads;
      row("cdp_many_us", "1 blocks " + std::to_string(threads) + " threads 1 each " + names[how],
          timed([&] { callers<<<1, block>>>(1, how, threads); }, 5, 2), "us");
    }
    cudaError_t e = cudaDeviceSynchronize();
    if (e) {
      say("cdp_many", names[how], e);
    }
  }
}
// ---- depth
__global__ void chain(int left, int how) {
  if (left > 0) {
    if (how == kTail) {
      chain<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1, how);
    } else if (how == kForget) {
      chain<<<1, 1, 0, cudaStreamFireAndForget>>>(left - 1, how);
    } else {
      chain<<<1, 1>>>(left - 1, how);
    }
  }
}
__global__ void reach(int level, int most, int how, int* out) {
  *out = level;
  if (level < most) {
    cudaStream_t s = how == kTail ? cudaStreamTailLaunch : how == kForget ? cudaStreamFireAndForget : 0;
    reach<<<1, 1, 0, s>>>(level + 1, most, how, out);
    cudaError_t e = cudaGetLastError();
    if (e) {
      out[1] = e;
    }
  }
}
static void depth() {
  for (int how : {kNull, kForget, kTail}) {
    for (int d : {1, 2, 4, 8, 16, 24}) {
      row("cdp_depth_us", std::to_string(d) + " levels " + names[how],
          timed([&] { chain<<<1, 1>>>(d, how); }, 9, 2), "us");
    }
    int* q = (int*)o;
    q[0] = q[1] = 0;
    reach<<<1, 1>>>(1, 3000, how, q);
    cudaError_t e = cudaDeviceSynchronize();
    row("cdp", std::string("depth reached of 3000 ") + names[how], q[0], "n");
    say("cdp", std::string("depth error ") + names[how], (cudaError_t)q[1]);
    say("cdp", std::string("depth sync ") + names[how], e);
    if (e) {
      return;
    }
  }
}
// ---- the pool of pending launches
__device__ volatile int open_gate;
__global__ void gated() {
  const long long t = now();
  while (!open_gate && now() - t < 300000000) {
  }
}
__global__ void fill(int n, int how, long long* out) {
  if (blockIdx.x == 0) {
    open_gate = 0;
  }
  cudaStream_t s = stream_of(how);
  long long bad = -1, err = 0, t = now(), longest = 0;
  for (int i = 0; i < n; ++i) {
    const long long u = now();
    gated<<<1, 1, 0, s>>>();
    longest = max(longest, now() - u);
    cudaError_t e = cudaGetLastError();
    if (e && bad < 0) {
      bad = i;
      err = e;
    }
  }
  out += 4 * blockIdx.x;
  out[0] = bad;
  out[1] = err;
  out[2] = now() - t;
  out[3] = longest;
  if (blockIdx.x == 0) {
    open_gate = 1;
  }
}
static void pending() {
  for (size_t limit : {2048, 1, 100, 1000, 4096, 32768}) {
    cudaError_t e = cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, limit);
    size_t v = 0;
    cudaDeviceGetLimit(&v, cudaLimitDevRuntimePendingLaunchCount);
    say("cdp_limit", "set " + std::to_string(limit), e);
    row("cdp_limit", "get after " + std::to_string(limit), v, "n");
    for (int how = 0; how < 4; ++how) {
      for (int blocks : {1, 2}) {
        if (blocks > 1 && limit != 1000) {
          continue;
        }
        const int n = limit > 4000 ? 6000 : 3000;
        fill<<<blocks, 1>>>(n, how, o);
        e = cudaDeviceSynchronize();
        const std::string p = "limit " + std::to_string(limit) + " " + names[how] + " " + std::to_string(n) +
                              " calls of " + std::to_string(blocks) + " blocks";
        say("cdp_pending", p + " sync", e);
        for (int b = 0; b < blocks; ++b) {
          row("cdp_pending", p + " first error of block " + std::to_string(b), o[4 * b], "n");
          say("cdp_pending", p + " block " + std::to_string(b), (cudaError_t)o[4 * b + 1]);
          row("cdp_pending", p + " longest call", o[4 * b + 3] / 1e3, "us");
        }
        if (e) {
          return;
        }
      }
    }
  }
}
// ---- events, streams, errors
__global__ void events(long long* out, int most) {
  cudaEvent_t e[4];
  cudaStream_t s, t;
  out[0] = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  long long a = now();
  out[1] = cudaEventCreateWithFlags(&e[0], cudaEventDisableTiming);
  long long b = now();
  child<<<1, 1, 0, s>>>(out + 200, 40000);
  long long c = now();
  out[2] = cudaEventRecord(e[0], s);
  long long d = now();
  out[3] = cudaStreamWaitEvent(t, e[0], 0);
  long long f = now();
  child<<<1, 1, 0, t>>>(out + 202, 0);
  out[4] = b - a;
  out[5] = d - c;
  out[6] = f - d;
  out[7] = cudaEventCreateWithFlags(&e[1], 0);
  out[8] = cudaEventCreateWithFlags(&e[2], cudaEventBlockingSync);
  out[9] = cudaEventRecord(e[0], cudaStreamFireAndForget);
  out[10] = cudaEventRecord(e[0], cudaStreamTailLaunch);
  out[11] = cudaStreamWaitEvent(cudaStreamFireAndForget, e[0], 0);
  out[12] = cudaStreamWaitEvent(cudaStreamTailLaunch, e[0], 0);
  out[13] = cudaEventRecord(e[0], 0);
  out[14] = cudaStreamWaitEvent(0, e[0], 0);
  cudaStream_t u;
  out[15] = cudaStreamCreateWithFlags(&u, cudaStreamDefault);
  long long g = now();
  out[16] = cudaStreamDestroy(t);
  out[17] = now() - g;
  out[18] = cudaEventDestroy(e[0]);
  cudaGetLastError();
  nop<<<1, 2048>>>();
  out[19] = cudaGetLastError();
  nop<<<1, 32, 300000>>>();
  out[20] = cudaGetLastError();
  nop<<<0, 32>>>();
  out[21] = cudaGetLastError();
  int n = 0;
  cudaError_t last = cudaSuccess;
  cudaEvent_t x;
  while (n < most && (last = cudaEventCreateWithFlags(&x, cudaEventDisableTiming)) == cudaSuccess) {
    ++n;
  }
  out[22] = n;
  out[23] = last;
}
__global__ void records(long long* out, int n) {
  cudaEvent_t e;
  cudaStream_t s = stream_of(kOwn), t = stream_of(kOwn);
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  const long long a = now();
  for (int i = 0; i < n; ++i) {
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
  }
  out[0] = now() - a;
}
__global__ void streams(long long* out, int most) {
  int n = 0;
  cudaError_t last = cudaSuccess;
  cudaStream_t s;
  const long long a = now();
  while (n < most && (last = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)) == cudaSuccess) {
    nop<<<1, 1, 0, s>>>();
    ++n;
  }
  out[0] = n;
  out[1] = last;
  out[2] = now() - a;
}
// Two own streams; one stream of two blocks.
__device__ cudaStream_t shared_stream;
__global__ void two_streams(long long* out, int n) {
  cudaStream_t s[16];
  for (int i = 0; i < n; ++i) {
    cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
  }
  for (int i = 0; i < 2 * n; ++i) {
    child<<<1, 1, 0, s[i % n]>>>(out + 200 + 2 * i, 100000);
  }
}
__global__ void trapping() { asm("trap;"); }
__global__ void launches_trap(int how) { trapping<<<1, 1, 0, stream_of(how)>>>(); }
static void calls() {
  memset(o, 0, 8192);
  events<<<1, 1>>>(o, 20000);
  say("cdp_calls", "events sync", cudaDeviceSynchronize());
  const char* what[] = {"streamCreate", "eventCreate", "eventRecord", "streamWaitEvent"};
  for (int i = 0; i < 4; ++i) {
    say("cdp_calls", what[i], (cudaError_t)o[i]);
  }
  row("cdp_call_ns", "eventCreate", o[4], "ns");
  row("cdp_call_ns", "eventRecord behind a child", o[5], "ns");
  row("cdp_call_ns", "streamWaitEvent", o[6], "ns");
  row("cdp_call_ns", "streamDestroy", o[17], "ns");
  row("cdp_ns", "event: child's end to waiting child", o[202] - o[201], "ns");
  const char* errors[] = {"eventCreate with timing",
                          "eventCreate blocking",
                          "record fire and forget",
                          "record tail",
                          "wait fire and forget",
                          "wait tail",
                          "record null",
                          "wait null",
                          "streamCreate blocking",
                          "streamDestroy"};
  for (int i = 0; i < 10; ++i) {
    say("cdp_calls", errors[i], (cudaError_t)o[7 + i]);
  }
  say("cdp_calls", "2048 threads", (cudaError_t)o[19]);
  say("cdp_calls", "300000 bytes shared", (cudaError_t)o[20]);
  say("cdp_calls", "no blocks", (cudaError_t)o[21]);
  row("cdp_calls", "events created of 20000", o[22], "n");
  say("cdp_calls", "event creation ends with", (cudaError_t)o[23]);
  for (int n : {100, 1000, 6000}) {
    records<<<1, 1>>>(o, n);
    say("cdp_calls", std::to_string(n) + " records and waits sync", cudaDeviceSynchronize());
    row("cdp_call_ns", std::to_string(n) + " records and waits", o[0] / (double)n, "ns");
  }
  for (int n : {10, 100, 1000}) {
    streams<<<1, 1>>>(o, n);
    say("cdp_calls", std::to_string(n) + " streams sync", cudaDeviceSynchronize());
    row("cdp_calls", std::to_string(n) + " streams made", o[0], "n");
    say("cdp_calls", std::to_string(n) + " streams", (cudaError_t)o[1]);
    row("cdp_call_ns", std::to_string(n) + " streams created and launched into", o[2] / (double)n, "ns");
  }
  for (int n : {1, 2, 4, 8, 16}) {
    row("cdp_tree_us", std::to_string(n) + " own streams of 2 x 100 us",
        timed([&] { two_streams<<<1, 1>>>(o, n); }, 5, 2), "us");
  }
  for (int size : {32, 512}) {
    cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, size);
    events<<<1, 1>>>(o, 20000);
    cudaDeviceSynchronize();
    row("cdp_calls", "events created of 20000 with pending limit " + std::to_string(size), o[22], "n");
  }
}
static void fault() {
  launches_trap<<<1, 1>>>(kForget);
  nop<<<1, 1>>>();
  say("cdp_calls", "child traps: launch behind it", cudaGetLastError());
  say("cdp_calls", "child traps: sync", cudaDeviceSynchronize());
}
int main(int n, char** a) {
  const std::string part = n > 1 ? a[1] : "";
  cudaMallocManaged(&o, 65536);
  const std::pair<const char*, void (*)()> parts[] = {
      {"timeline", timeline}, {"gaps", gaps},   {"many", many},  {"depth", depth},
      {"pending", pending},   {"calls", calls}, {"fault", fault}};
  for (const auto& [name, f] : parts) {
    if (part == name) {
      f();
    }
  }
}
