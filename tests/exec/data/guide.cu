// The worked examples and rules of the programming guide that are about cooperative groups, DPX, the heap, printf,
// WMMA and pipelines, as CUDA C++; guide.ptx is what nvcc 13.0 makes of it:
//   nvcc -arch=sm_90 -std=c++17 -ptx guide.cu
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdio>

namespace cg = cooperative_groups;

// CG01: ranks of the implicit groups.
extern "C" __global__ void ranks(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::grid_group grid = cg::this_grid();
  const unsigned i = grid.thread_rank();
  out[4 * i] = block.thread_rank();
  out[4 * i + 1] = block.group_index().x;
  out[4 * i + 2] = grid.block_rank();
  out[4 * i + 3] = block.num_threads() * 10000 + grid.num_threads();
}

// CG03, CG08: tiles, and what each sums up.
template <unsigned kSize>
__device__ int sum_of_tile(const cg::thread_block& block, int value) {
  const auto tile = cg::tiled_partition<kSize>(block);
  return cg::reduce(tile, value, cg::plus<int>()) * 100 + tile.meta_group_rank();
}
extern "C" __global__ void tiles(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const unsigned i = block.thread_rank();
  out[4 * i] = sum_of_tile<4>(block, i);
  out[4 * i + 1] = sum_of_tile<32>(block, i);
  __shared__ cg::block_tile_memory<256> memory;
  const cg::thread_block large = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<128>(large);
  out[4 * i + 2] = cg::reduce(tile, static_cast<int>(i), cg::plus<int>());
  const auto warp = cg::tiled_partition<32>(block);
  out[4 * i + 3] = static_cast<int>(cg::reduce(warp, i * 0.5F, cg::plus<float>()));  // by shuffles
}

// CG04, CG05, CG11: lanes that are together, those of one label, and one of them.
extern "C" __global__ void lanes(int* out, int* one) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const unsigned i = block.thread_rank();
  if (i % 3 == 0) {
    const cg::coalesced_group active = cg::coalesced_threads();
    out[4 * i] = active.num_threads() * 100 + active.thread_rank();
    cg::invoke_one(active, [&] { atomicAdd(one, 1); });
  }
  const cg::coalesced_group same = cg::labeled_partition(warp, static_cast<int>(i % 5));
  out[4 * i + 1] = same.num_threads() * 100 + same.thread_rank();
  const cg::coalesced_group half = cg::binary_partition(warp, i % 32 < 10);
  out[4 * i + 2] = half.num_threads() * 100 + half.thread_rank();
  out[4 * i + 3] = cg::reduce(same, static_cast<int>(i), cg::greater<int>());
}

// CG06: what a warp does between arriving and waiting; CG02: handles made before the branch.
extern "C" __global__ void split_barrier(int* out) {
  __shared__ int shared[128];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned i = block.thread_rank();
  shared[i] = i * i;
  auto token = block.barrier_arrive();
  const int own = 7 * i;
  block.barrier_wait(std::move(token));
  out[i] = own + shared[127 - i];
}

// CG07: what every block stored, read behind the grid's barrier.
extern "C" __global__ void whole_grid(int* cells, int* out) {
  const cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) {
    cells[blockIdx.x] = blockIdx.x + 1;
  }
  grid.sync();
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) {
    sum += cells[b];
  }
  out[grid.thread_rank()] = sum * 10 + grid.is_valid();
}

// CG09: scans. CG10: a reduction whose result one thread stores.
extern "C" __global__ void scans(int* out, int* total) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const unsigned i = block.thread_rank();
  out[2 * i] = cg::inclusive_scan(tile, static_cast<int>(i));
  out[2 * i + 1] = cg::exclusive_scan(tile, static_cast<int>(i), cg::plus<int>());
  cg::reduce_store_async(tile, &total[tile.meta_group_rank()], static_cast<int>(i), cg::plus<int>());
}

// C39, CG12: 16 * 1024 + 64 numbers per block in pieces of 128 through shared memory, one or two at a time.
constexpr unsigned kPiece = 128;
extern "C" __global__ void staged(const int* in, int* out, unsigned count, int stages) {
  __shared__ int shared[2][kPiece];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned pieces = (count + kPiece - 1) / kPiece;
  const auto fetch = [&](unsigned p) {
    const unsigned n = min(kPiece, count - p * kPiece);
    cg::memcpy_async(block, shared[p % stages], in + p * kPiece, n * sizeof(int));
  };
  fetch(0);
  for (unsigned p = 0; p < pieces; ++p) {
    if (stages == 2 && p + 1 < pieces) {
      fetch(p + 1);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    const unsigned i = p * kPiece + block.thread_rank();
    if (i < count) {
      out[i] = 2 * shared[p % stages][block.thread_rank()];
    }
    block.sync();
    if (stages == 1 && p + 1 < pieces) {
      fetch(p + 1);
    }
  }
}

// C58: DPX.
extern "C" __global__ void dpx(int* out) {
  out[0] = __vimax3_s32_relu(-3, 8, 5);
  out[1] = __vimin3_s32_relu(-3, 8, 5);
  bool pred = false;
  out[2] = __vibmin_s32(6, 8, &pred);
  out[3] = pred;
  out[4] = __viaddmax_s16x2(0x00040002, 0x00030004, 0x00010001);
  out[5] = __vimax3_s16x2_relu(0x00078000, 0x00030006, 0x00010001);
}

// C72: each block's first thread allocates, all use it in three kernels, and the last frees it.
__device__ int* dataptr[20];
extern "C" __global__ void heap_alloc() {
  if (threadIdx.x == 0) {
    dataptr[blockIdx.x] = static_cast<int*>(malloc(blockDim.x * sizeof(int)));
  }
  __syncthreads();
  if (dataptr[blockIdx.x] != nullptr) {
    dataptr[blockIdx.x][threadIdx.x] = 0;
  }
}
extern "C" __global__ void heap_use() {
  if (dataptr[blockIdx.x] != nullptr) {
    dataptr[blockIdx.x][threadIdx.x] += threadIdx.x;
  }
}
extern "C" __global__ void heap_free() {
  if (dataptr[blockIdx.x] != nullptr) {
    printf("Block %d, Thread %d: final value = %d\n", blockIdx.x, threadIdx.x, dataptr[blockIdx.x][threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
      free(dataptr[blockIdx.x]);
    }
  }
}

// C73: 16 x 16 x 16 in one warp.
extern "C" __global__ void wmma(const half* a, const half* b, float* c) {
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::col_major> fa;
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::row_major> fb;
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> fc;
  nvcuda::wmma::fill_fragment(fc, 0.0F);
  nvcuda::wmma::load_matrix_sync(fa, a, 16);
  nvcuda::wmma::load_matrix_sync(fb, b, 16);
  nvcuda::wmma::mma_sync(fc, fa, fb, fc);
  nvcuda::wmma::store_matrix_sync(c, fc, 16, nvcuda::wmma::mem_row_major);
}

// C38: batches in two stages of a pipeline; C37: what lanes that are apart have committed.
extern "C" __global__ void pipeline(const int* in, int* out, int batches) {
  __shared__ int shared[2][256];
  const unsigned i = threadIdx.x;
  const auto fetch = [&](int b) {
    __pipeline_memcpy_async(&shared[b % 2][i], &in[b * 256 + i], sizeof(int));
    __pipeline_commit();
  };
  fetch(0);
  for (int b = 0; b < batches; ++b) {
    if (b + 1 < batches) {
      fetch(b + 1);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    out[b * 256 + i] = shared[b % 2][255 - i];
    __syncthreads();
  }
}
