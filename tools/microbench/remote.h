// Accesses to the shared memory of other blocks of a cluster, for the
// benchmarks of what they cost.
#pragma once
#include "mb.h"
__device__ __forceinline__ void cl_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cl_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ void cl_sync() {
  cl_arrive();
  cl_wait();
}
__device__ __forceinline__ u32 crank() {
  u32 r;
  asm volatile("mov.u32 %0,%%cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ __forceinline__ u32 mapa(u32 a, u32 k) {
  u32 r;
  asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(r) : "r"(a), "r"(k));
  return r;
}
enum Op { LD, LD4, ST, ST4, RED, ATOM, CAS, GEN };
static const char *const kName[] = {"ld32",  "ld128",  "st32",  "st128",
                                    "red32", "atom32", "cas32", "generic_atomicAdd"};
// Of one lane, at `a` of the cluster's window; what comes back changes `x`.
// `expected`: of CAS.
template <int OP>
__device__ __forceinline__ void remote(u32 a, u32 expected, u32 &x) {
  u32 y, z, w, q;
  if (OP == LD) {
    asm volatile("ld.volatile.shared::cluster.u32 %0,[%1];" : "=r"(y) : "r"(a) : "memory");
    x ^= y;
  } else if (OP == LD4) {
    asm volatile("ld.volatile.shared::cluster.v4.u32 {%0,%1,%2,%3},[%4];"
                 : "=r"(y), "=r"(z), "=r"(w), "=r"(q)
                 : "r"(a)
                 : "memory");
    x ^= y ^ z ^ w ^ q;
  } else if (OP == ST) {
    asm volatile("st.shared::cluster.u32 [%0],%1;" ::"r"(a), "r"(x) : "memory");
  } else if (OP == ST4) {
    asm volatile("st.shared::cluster.v4.u32 [%0],{%1,%1,%1,%1};" ::"r"(a), "r"(x) : "memory");
  } else if (OP == RED) {
    asm volatile("red.shared::cluster.add.u32 [%0],%1;" ::"r"(a), "r"(x) : "memory");
  } else if (OP == ATOM) {
    asm volatile("atom.shared::cluster.add.u32 %0,[%1],%2;" : "=r"(y) : "r"(a), "r"(1) : "memory");
    x ^= y;
  } else {
    asm volatile("atom.shared::cluster.cas.b32 %0,[%1],%2,%3;"
                 : "=r"(y)
                 : "r"(a), "r"(expected), "r"(1)
                 : "memory");
    x ^= y;
  }
}
