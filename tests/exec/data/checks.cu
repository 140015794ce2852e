// Kernels of two to four warps for tests/exec/check_kernels_test.cc, which says what is found in each: blocks
// of 128 threads, one block. README.md says how checks.ptx and checks.fatbin are made of it.
#define BAR_SYNC(n, threads) asm volatile("bar.sync " #n ", " #threads ";" ::: "memory")
#define BAR_ARRIVE(n, threads) asm volatile("bar.arrive " #n ", " #threads ";" ::: "memory")
#define KERNEL(name) extern "C" __global__ void name(int* out)

__device__ int words[2];
__device__ unsigned at(const void* s) { return static_cast<unsigned>(__cvta_generic_to_shared(s)); }
// Weak accesses that the compiler leaves where they are.
__device__ void put(int* s, int v) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(at(s)), "r"(v) : "memory");
}
__device__ int get(const int* s) {
  int v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at(s)) : "memory");
  return v;
}
__device__ void arrive(void* object) {
  asm volatile("{.reg .b64 t; mbarrier.arrive.shared.b64 t, [%0];}" ::"r"(at(object)) : "memory");
}
__device__ void wait(void* object, int parity) {
  asm volatile(
      "{.reg .pred p; again%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra again%=;}" ::"r"(
          at(object)),
      "r"(parity)
      : "memory");
}
__device__ bool warp(unsigned n) { return threadIdx.x / 32 == n; }
__device__ unsigned lane() { return threadIdx.x % 32; }

// Barriers: nothing is wrong.
KERNEL(all_lanes) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}
KERNEL(lanes_end_before) {
  if (lane() >= 20) {
    return;
  }
  __syncthreads();
  out[threadIdx.x] = 1;
}
KERNEL(lanes_store_and_end_before) {
  if (lane() >= 20) {
    out[threadIdx.x] = 7;
    return;
  }
  out[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x + 1] = 2;
}
KERNEL(warps_end_before) {
  if (threadIdx.x >= 64) {
    out[threadIdx.x] = 7;
    return;
  }
  __syncthreads();
  out[threadIdx.x] = 1;
}
KERNEL(lanes_end_between) {
  for (int i = 0; i < 4; ++i) {
    out[threadIdx.x] = i;
    __syncthreads();
    if (lane() / 8 == i) {
      return;
    }
    out[threadIdx.x + 128] = i;
    __syncthreads();
  }
}
KERNEL(named_for_one_warp) {
  if (warp(0)) {
    BAR_SYNC(1, 32);
  }
  out[threadIdx.x] = 1;
}
KERNEL(unaligned_two_sides) {
  if (lane() < 20) {
    out[threadIdx.x] = 1;
    asm volatile("barrier.sync 0;" ::: "memory");
  } else {
    out[threadIdx.x + 1] = 1;
    asm volatile("barrier.sync 0;" ::: "memory");
    out[threadIdx.x] = 2;
  }
  out[threadIdx.x + 2] = 3;
}
KERNEL(apart_before) {
  __shared__ int s[128];
  if (threadIdx.x % 3 == 0) {
    for (unsigned i = 0; i < threadIdx.x % 5; ++i) {
      out[threadIdx.x + i] = i;
    }
  } else {
    out[threadIdx.x] = 5;
  }
  s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}
KERNEL(count_of_the_block) {  // warps that name all threads, and their number
  if (warp(0)) {
    BAR_SYNC(0, 128);
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}
KERNEL(masks_of_halves) {
  __syncwarp(lane() < 16 ? 0xffffu : 0xffff0000u);
  out[threadIdx.x] = __shfl_xor_sync(lane() < 16 ? 0xffffu : 0xffff0000u, threadIdx.x, 1);
}
KERNEL(mask_with_ended_lanes) {
  if (lane() >= 20) {
    return;
  }
  __syncwarp();
  out[threadIdx.x] = 1;
}

// Barriers: something is.
KERNEL(lanes_skip) {
  if (lane() < 20) {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}
KERNEL(lanes_skip_a_branch) {
  if (lane() < 20) {
    for (unsigned i = 0; i < threadIdx.x % 7; ++i) {
      out[threadIdx.x + i] = i * i;
    }
    __syncthreads();
    for (unsigned i = 0; i < threadIdx.x % 7; ++i) {
      out[threadIdx.x + i] = i + 1;
    }
  }
  out[threadIdx.x] = 1;
}
KERNEL(two_sides) {
  if (threadIdx.x % 2) {
    out[threadIdx.x] = 1;
    __syncthreads();
  } else {
    __syncthreads();
    out[threadIdx.x] = 2;
  }
}
KERNEL(predicated) {
  asm volatile("{.reg .pred p; setp.lt.u32 p, %0, 20; @p bar.sync 0;}" ::"r"(lane()) : "memory");
  out[threadIdx.x] = 1;
}
KERNEL(loop_turns) {
  for (unsigned i = 0; i <= threadIdx.x % 4; ++i) {
    out[threadIdx.x] = i;
    __syncthreads();
  }
}
KERNEL(loop_turns_and_work) {
  for (unsigned i = 0; i <= threadIdx.x % 4; ++i) {
    out[threadIdx.x] = i;
    __syncthreads();
  }
  out[threadIdx.x + 1] = 5;
}
KERNEL(counts_differ) {
  if (warp(0)) {
    BAR_SYNC(1, 64);
  } else {
    BAR_ARRIVE(1, 96);
  }
  out[threadIdx.x] = 1;
}
KERNEL(reduction_and_none) {
  if (warp(0)) {
    out[0] = __syncthreads_count(threadIdx.x < 5);
  } else {
    __syncthreads();
  }
  out[threadIdx.x + 1] = 1;
}
KERNEL(numbers_differ) {
  asm volatile("bar.sync %0, 128;" ::"r"(lane() < 20 ? 1 : 2) : "memory");
  out[threadIdx.x] = 1;
}
KERNEL(mask_without_caller) {
  __syncwarp(lane() < 20 ? 0xfffffu : 0x0ff00000u);
  out[threadIdx.x] = 1;
}
KERNEL(vote_without_caller) {
  out[threadIdx.x] = __ballot_sync(lane() < 20 ? 0xfffffu : 0x0ff00000u, threadIdx.x & 1);
}
KERNEL(object_again) {
  __shared__ long long object;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&object)) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(at(&object)) : "memory");
  }
  out[threadIdx.x] = 1;
}
KERNEL(object_invalidated) {  // sound
  __shared__ long long object;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&object)) : "memory");
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&object)) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(at(&object)) : "memory");
  }
  out[threadIdx.x] = 1;
}

// Races. s[0] is stored by warp 0 and loaded by another, in most. Ordered:
KERNEL(with_barrier) {
  __shared__ int s[1];
  if (threadIdx.x == 0) {
    put(s, 1);
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    *out = get(s);
  }
}
KERNEL(with_named_barrier) {
  __shared__ int s[1];
  if (threadIdx.x == 0) {
    put(s, 1);
  }
  if (threadIdx.x < 64) {
    BAR_SYNC(3, 64);
  }
  if (threadIdx.x == 32) {
    *out = get(s);
  }
}
KERNEL(with_arrival) {
  __shared__ int s[1];
  if (threadIdx.x == 0) {
    put(s, 1);
  }
  if (warp(0)) {
    BAR_ARRIVE(1, 64);
  }
  if (warp(1)) {
    BAR_SYNC(1, 64);
  }
  if (threadIdx.x == 32) {
    *out = get(s);
  }
}
KERNEL(writer_ended_before_all) {  // a barrier of the block waits for it until it has ended
  __shared__ int s[1];
  if (warp(0)) {
    if (threadIdx.x == 0) {
      put(s, 1);
    }
    return;
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    *out = get(s);
  }
}
KERNEL(chain_of_barriers) {
  __shared__ int s[1];
  if (threadIdx.x == 0) {
    put(s, 1);
  }
  if (threadIdx.x < 64) {
    BAR_SYNC(1, 64);
  }
  if (threadIdx.x >= 32 && threadIdx.x < 96) {
    BAR_SYNC(2, 64);
  }
  if (threadIdx.x == 64) {
    *out = get(s);
  }
}
KERNEL(float_sums) {  // on shared memory a loop of a load and a compare-and-swap
  __shared__ float s[1];
  if (threadIdx.x == 0) {
    s[0] = 0;
  }
  __syncthreads();
  atomicAdd(s, 1.0F);
  __syncthreads();
  out[threadIdx.x] = static_cast<int>(s[0]);
}
KERNEL(own_compare_and_swap) {
  __shared__ unsigned long long s[1];
  if (threadIdx.x == 0) {
    s[0] = 0;
  }
  __syncthreads();
  unsigned long long old = s[0], seen;
  do {
    seen = old;
    old = atomicCAS(s, seen, seen * 3 + 1);
  } while (old != seen);
}
KERNEL(flag) {
  __shared__ int s[1];
  __shared__ int f;
  if (threadIdx.x == 0) {
    f = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    put(s, 1);
    __threadfence_block();
    *(volatile int*)&f = 1;
  }
  if (threadIdx.x == 32) {
    while (*(volatile int*)&f == 0)
      ;
    __threadfence_block();
    *out = get(s);
  }
}
KERNEL(pipeline) {  // warp 0 fills two places, the others empty them
  __shared__ long long full[2], empty[2];
  __shared__ int s[2][32];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at(full + i)));
      asm volatile("mbarrier.init.shared.b64 [%0], 96;" ::"r"(at(empty + i)));
    }
  }
  __syncthreads();
  for (int i = 0; i < 6; ++i) {
    if (warp(0)) {
      if (i >= 2) {
        wait(empty + i % 2, i / 2 - 1 & 1);
      }
      put(&s[i % 2][lane()], i);
      arrive(full + i % 2);
    } else {
      wait(full + i % 2, i / 2 & 1);
      out[threadIdx.x] = get(&s[i % 2][lane()]);
      arrive(empty + i % 2);
    }
  }
}
KERNEL(volatile_unlock) {
  __shared__ int s[1];
  __shared__ int lock;
  if (threadIdx.x == 0) {
    lock = s[0] = 0;
  }
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      put(s, get(s) + 1);
      __threadfence_block();
      *(volatile int*)&lock = 0;
      done = true;
    }
  }
}
KERNEL(lock_in_global_memory) {
  __shared__ int s[1];
  if (lane() == 0) {
    while (atomicCAS(words, 0, 1) != 0)
      ;
    __threadfence_block();
    put(s, get(s) + 1);
    __threadfence_block();
    atomicExch(words, 0);
  }
}

// Not ordered:
KERNEL(without) {
  __shared__ int s[1];
  if (threadIdx.x == 0) {
    put(s, 1);
  }
  if (threadIdx.x == 32) {
    *out = get(s);
  }
}
KERNEL(writer_ended) {
  __shared__ int s[1];
  if (warp(0)) {
    if (threadIdx.x == 0) {
      put(s, 1);
    }
    return;
  }
  if (warp(1)) {
    BAR_SYNC(1, 32);
  }
  if (threadIdx.x == 32) {
    *out = get(s);
  }
}
KERNEL(other_barrier) {
  __shared__ int s[1];
  if (threadIdx.x == 0) {
    put(s, 1);
  }
  if (threadIdx.x < 64) {
    BAR_SYNC(1, 64);
  } else {
    BAR_SYNC(2, 64);
  }
  if (threadIdx.x == 64) {
    *out = get(s);
  }
}
KERNEL(earlier_phase) {  // warps 0 and 1 meet there before warps 2 and 3 do
  __shared__ int s[1];
  if (threadIdx.x == 0) {
    put(s, 1);
  }
  BAR_SYNC(1, 64);
  if (threadIdx.x == 64) {
    *out = get(s);
  }
}
KERNEL(reader_only_arrives) {
  __shared__ int s[1];
  if (warp(0)) {
    if (threadIdx.x == 0) {
      put(s, 1);
    }
    BAR_SYNC(1, 64);
  } else if (warp(1)) {
    BAR_ARRIVE(1, 64);
    if (threadIdx.x == 32) {
      *out = get(s);
    }
  }
}
KERNEL(writer_after_arrival) {
  __shared__ int s[1];
  if (warp(0)) {
    BAR_ARRIVE(1, 64);
    if (threadIdx.x == 0) {
      put(s, 1);
    }
  } else if (warp(1)) {
    BAR_SYNC(1, 64);
    if (threadIdx.x == 32) {
      *out = get(s);
    }
  }
}
KERNEL(atomic_and_store) {
  __shared__ int s[1];
  if (threadIdx.x == 0) {
    *out = atomicAdd(s, 1);
  }
  if (threadIdx.x == 32) {
    put(s, 5);
  }
}
KERNEL(atomic_and_load) {
  __shared__ int s[1];
  if (threadIdx.x == 0) {
    out[1] = atomicAdd(s, 1);
  }
  if (threadIdx.x == 32) {
    *out = get(s);
  }
}
KERNEL(unrelated_atomics) {
  __shared__ int s[1];
  if (threadIdx.x == 0) {
    put(s, 1);
    __threadfence_block();
    out[1] = atomicAdd(words, 1);
  }
  if (threadIdx.x == 32) {
    out[2] = atomicAdd(words + 1, 1);
    __threadfence_block();
    out[0] = get(s);
  }
}
KERNEL(phase_before) {  // the reader waits for the phase before that in which the writer arrives
  __shared__ long long object;
  __shared__ int s[1];
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at(&object)));
  }
  __syncthreads();
  if (warp(0)) {
    arrive(&object);
    if (threadIdx.x == 0) {
      put(s, 1);
    }
    __syncwarp();
    if (lane() < 31) {
      arrive(&object);
    }
  } else if (warp(1)) {
    wait(&object, 0);
    if (threadIdx.x == 32) {
      *out = get(s);
    }
  }
}
KERNEL(sum_of_others) {  // a loop of loads, which looks for nothing
  __shared__ int s[128];
  put(s + threadIdx.x, 1);
  if (threadIdx.x == 32) {
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 128; ++i) {
      sum += get(s + i);
    }
    *out = sum;
  }
}
KERNEL(other_bytes_in_between) {  // warp 1 stores another byte of the word
  __shared__ char s[4];
  if (threadIdx.x == 0) {
    asm volatile("st.shared.u8 [%0], 1;" ::"r"(at(s)) : "memory");
  }
  if (threadIdx.x == 32) {
    asm volatile("st.shared.u8 [%0+1], 1;" ::"r"(at(s)) : "memory");
  }
  if (threadIdx.x == 64) {
    int v;
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v) : "r"(at(s)) : "memory");
    *out = v;
  }
}
KERNEL(tiles) {
  __shared__ __align__(16) int s[128];
  put(s + threadIdx.x, 1);
  if (warp(1)) {
    int v;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(v)
                 : "r"(at(s) + 16 * (lane() % 8)));
    out[threadIdx.x] = v;
  }
}
