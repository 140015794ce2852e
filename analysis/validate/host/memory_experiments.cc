// The experiments of tools/microbench/host_memory.cu.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "analysis/validate/host/experiment.h"

namespace heddle::hostbench {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// A kernel of 256 threads a block that does nothing but its accesses.
Kernel accesses(Experiment& e, uint32_t blocks, const std::vector<host::Access>& a) {
  const Kernel k = e.w.kernel_blocks("k", blocks, 256, 0);
  e.w.program().kernels[k.id].accesses = a;
  return k;
}

// "16MiB read int4 132 blocks", "64MiB write 4 of 128 bytes", "32MiB each way copy int4", "16MiB device to
// mapped by kernel".
std::optional<double> zero_copy(Experiment& e, const std::string& p) {
  const uint64_t bytes = leading_number(p) * kMiB;
  const Buffer m = e.w.buffer("m", host::Memory::kMapped, bytes),
               n = e.w.buffer("n", host::Memory::kMapped, bytes);
  const bool write = p.find(" write ") != std::string::npos || p.find(" to mapped ") != std::string::npos;
  uint32_t blocks = 1056, stride = 0;
  if (const size_t at = p.find("int4 "); at != std::string::npos && p.ends_with("blocks")) {
    blocks = static_cast<uint32_t>(leading_number(p.substr(at + 5)));
  }
  if (const size_t at = p.find("4 of "); at != std::string::npos) {
    stride = static_cast<uint32_t>(leading_number(p.substr(at + 5)));
  }
  const uint32_t element = p.find("int4") != std::string::npos ? 16 : 4;
  std::vector<host::Access> a = {by_threads(write ? writes(m) : reads(m), element, stride)};
  if (p.find("each way") != std::string::npos) {
    a.push_back(by_threads(writes(n), element));
  }
  const Kernel k = accesses(e, blocks, a);
  return e.between_events([&] { e.main.launch(k, e.s); });
}

// "64MiB read + 64MiB h2d": a kernel and a copy at the same time.
std::optional<double> beside(Experiment& e, const std::string& p) {
  const Buffer m = e.w.buffer("m", host::Memory::kMapped, 64 * kMiB), h = e.w.pinned("h", 64 * kMiB);
  const Buffer d = e.w.device("d", 64 * kMiB);
  if (p.find("h2d") != std::string::npos) {
    e.main.memcpyAsync(d, h, e.s);
  } else if (p.find("d2h") != std::string::npos) {
    e.main.memcpyAsync(h, d, e.s);
  }
  if (p.find("read") != std::string::npos || p.find("write") != std::string::npos) {
    const bool write = p.find("write") != std::string::npos;
    e.main.launch(accesses(e, 1056, {by_threads(write ? writes(m) : reads(m), 16)}), e.s2);
  }
  e.main.deviceSynchronize();
  return e.host_time();
}

// "2MiB set access": the calls in their order.
std::optional<double> virtual_memory(Experiment& e, const std::string& p) {
  const uint64_t bytes = leading_number(p) * kMiB;
  const Physical m = e.w.physical("m", bytes);
  const Buffer va = e.w.range("va", bytes);
  e.main.memAddressReserve(va).memCreate(m).memMap(va, m).memSetAccess(va, 0).memUnmap(va).memRelease(m);
  const std::pair<const char*, host::Op> calls[] = {{" reserve", host::Op::kMemAddressReserve},
                                                    {" create", host::Op::kMemCreate},
                                                    {" map", host::Op::kMemMap},
                                                    {" set access", host::Op::kMemSetAccess},
                                                    {" unmap", host::Op::kMemUnmap},
                                                    {" release", host::Op::kMemRelease}};
  for (const auto& [name, op] : calls) {
    if (p.ends_with(name)) {
      return e.call_time(op);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> memory_experiments(Experiment& e, const Row& row) {
  if (row.test == "zerocopy_us") {
    return zero_copy(e, row.parameter);
  }
  if (row.test == "zerocopy_beside_us") {
    return beside(e, row.parameter);
  }
  if (row.test == "vmm_us") {
    return virtual_memory(e, row.parameter);
  }
  return std::nullopt;
}

}  // namespace heddle::hostbench
