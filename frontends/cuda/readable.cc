#include "frontends/cuda/readable.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "frontends/cuda/address_space.h"

namespace heddle::cuda {
namespace {

constexpr uint64_t kPage = 4096;

}  // namespace

bool readable(const void* address, uint64_t bytes) {
  constexpr uint64_t kHostEnd = uint64_t{1} << 47;
  constexpr size_t kPages = 256;  // of one call
  const auto first = reinterpret_cast<uint64_t>(address);
  if (first >= kHostEnd || bytes > kHostEnd - first) {
    return false;
  }
  // A byte of each page, read by the system: where it can not there is an error and no signal.
  std::array<iovec, kPages> from;
  std::array<char, kPages> to;
  for (uint64_t at = first; at < first + bytes;) {
    size_t n = 0;
    for (; n < kPages && at < first + bytes; at = at / kPage * kPage + kPage) {
      from[n++] = {pointer(at), 1};
    }
    const iovec all{to.data(), n};
    const ssize_t got = process_vm_readv(getpid(), &all, 1, from.data(), n, 0);
    if (got != static_cast<ssize_t>(n)) {
      return got < 0 && errno != EFAULT;
    }
  }
  return true;
}

}  // namespace heddle::cuda
