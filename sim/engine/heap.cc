#include "sim/engine/heap.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#endif

namespace heddle {

#if defined(__GLIBC__)
namespace {

constexpr int kMostInHeap = 32 << 20;        // the most that glibc allows
constexpr size_t kPiece = size_t{30} << 20;  // less than that
constexpr uintptr_t kLargePage = uintptr_t{2} << 20;

}  // namespace

void keep_memory() {
  mallopt(M_MMAP_THRESHOLD, kMostInHeap);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

void reserve_heap(size_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) {
    return;  // what is only reserved counts, too
  }
  std::vector<void*> pieces;
  pieces.reserve(bytes / kPiece);
  while (pieces.size() < bytes / kPiece) {
    char* p = static_cast<char*>(std::malloc(kPiece));
    if (!p) {
      break;  // the host limits what may be asked for
    }
    pieces.push_back(p);
    const auto at = reinterpret_cast<uintptr_t>(p);
    const uintptr_t begin = (at + kLargePage - 1) & ~(kLargePage - 1);
    const uintptr_t end = (at + kPiece) & ~(kLargePage - 1);
    madvise(p + (begin - at), end - begin, MADV_HUGEPAGE);
  }
  for (void* p : pieces) {
    std::free(p);
  }
}
#else
void keep_memory() {}
void reserve_heap(size_t) {}
#endif

}  // namespace heddle
