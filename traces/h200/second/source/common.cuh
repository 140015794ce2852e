// What the kernels share.
#pragma once
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
typedef unsigned u32;
typedef unsigned long long u64;

// Address in the shared window, for inline PTX.
__device__ __forceinline__ u32 sp(const void* p) { return (u32)__cvta_generic_to_shared(p); }
