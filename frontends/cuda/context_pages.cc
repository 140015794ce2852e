// Unified memory by the page: where kernels and the host find it. What the program's own instructions touch
// is known because the system tells of the first touch of each piece; then it may be a page that a device
// has.
#include <algorithm>

#include "frontends/cuda/context.h"
#include "sim/base/align.h"

namespace heddle::cuda {
namespace {

constexpr uint64_t kPiece = 4096;  // the system's page

}  // namespace

// Where it has, it is the model's, not assumed: a device without concurrent access has all of it at a launch.
bool Context::pages_fault() const {
  return params_.um.support != spec::UnifiedMemory::LIMITED && !params_.integrated;
}

std::vector<KernelSource::HostMemory> Context::host_memory() const {
  std::vector<HostMemory> out;
  for (const auto& [address, a] : space_.allocations()) {
    if (a.kind == host::Memory::kDevice) {
      continue;
    }
    const auto u = unified_.find(a.buffer.id);
    if (u != unified_.end() && u->second.address == address) {
      out.push_back({address, a.bytes, a.buffer.id, params_.um.page});
    } else if (a.kind != host::Memory::kManaged) {
      out.push_back({address, a.bytes, a.buffer.id, 0});
    }
  }
  return out;
}

void Context::placed(uint32_t buffer, uint64_t page, bool loads, bool stores) {
  const auto it = unified_.find(buffer);
  if (it == unified_.end()) {
    return;
  }
  Unified& u = it->second;
  Unified::Page& p = u.pages[page];
  const bool less = (p.loads && !loads) || (p.stores && !stores);
  p.loads = loads;
  p.stores = stores;
  if (less && p.shown) {
    p.shown = false;
    const uint64_t first = page * params_.um.page;
    space_.show(u.address + first, std::min<uint64_t>(params_.um.page, u.bytes - first), false, false);
  }
}

bool Context::touched(uint64_t address, uint64_t bytes, bool writes) {
  const Allocation* a = space_.find(address);
  const auto it = a == nullptr ? unified_.end() : unified_.find(a->buffer.id);
  if (it == unified_.end()) {
    return false;
  }
  Unified& u = it->second;
  const uint64_t begin = (address - u.address) / kPiece * kPiece;
  const uint64_t end = std::min(u.bytes, round_up(address - u.address + bytes, kPiece));
  if (in_host_function()) {
    note("unified memory that a function of the host's touches in a stream takes no time here");
    return space_.show(u.address + begin, end - begin, true, true);
  }
  host::Access access;
  access.buffer = a->buffer.id;
  access.reads = !writes;
  access.writes = writes;
  access.offset = begin;
  access.bytes = end - begin;
  timeline_.call([&](auto& t) { t.hostAccess({access}); });
  const uint64_t size = params_.um.page;
  for (uint64_t at = begin; at < end; at = at / size * size + size) {
    Unified::Page& p = u.pages[at / size];
    p.shown = true;
    // Where the model leaves the page with the device (it is read over the link) the program has it, too.
    const bool stores = writes || p.stores || !p.loads;
    const uint64_t first = at / size * size, to = std::min(end, first + size);
    // When the system has no more pieces to give, the whole page in one.
    if (!space_.show(u.address + at, to - at, true, stores) &&
        !space_.show(u.address + first, std::min(size, u.bytes - first), true, stores)) {
      return false;
    }
  }
  return true;
}

}  // namespace heddle::cuda
