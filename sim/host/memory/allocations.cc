#include "sim/host/memory/allocations.h"

#include <algorithm>

#include "sim/base/align.h"
#include "sim/host/program/program_error.h"

namespace heddle::host {
namespace {

constexpr uint64_t kHostPage = 4096;

}  // namespace

Allocations::Allocations(const Program& p, const Params& n)
    : params_(n), integrated_(n.integrated), program_(p), pinned_(DeviceMemory::pinned(n)) {
  devices_.reserve(p.devices);  // pools refer to them
  for (uint32_t d = 0; d < p.devices; ++d) {
    devices_.emplace_back(n, d);
  }
  for (uint32_t d = 0; d < p.devices; ++d) {
    pools_.emplace_back(n, devices_[d], 0);
  }
  grow(p);
}

void Allocations::grow(const Program& p) {
  while (pools_.size() < devices_.size() + p.pools.size()) {
    const PoolDesc& pool = p.pools[pools_.size() - devices_.size()];
    pools_.emplace_back(params_, devices_[pool.device], pool.max_bytes);
  }
  size_t i = buffers_.size();
  buffers_.resize(p.buffers.size());
  for (; i < buffers_.size(); ++i) {
    const BufferDesc& b = p.buffers[i];
    if (b.allocated_by_call) {
      continue;
    }
    buffers_[i].state = State::kAllocated;
    if (b.memory == Memory::kDevice) {
      const auto address = devices_[b.device].allocate(b.bytes);
      if (!address) {
        throw ProgramError(b.line, "buffer " + b.name + ": " + std::to_string(b.bytes) +
                                       " bytes, but device " + std::to_string(b.device) + " has only " +
                                       std::to_string(devices_[b.device].free_bytes()) +
                                       " left (dram.total_bytes)");
      }
      buffers_[i].address = *address;
    } else if (!take_pinned(b)) {
      throw ProgramError(b.line, "buffer " + b.name + ": " + std::to_string(b.bytes) +
                                     " bytes of host memory, but host and device have only " +
                                     std::to_string(devices_[0].free_bytes()) + " left (dram.total_bytes)");
    }
  }
}

bool Allocations::in_device_memory(const BufferDesc& b) const {
  return integrated_ &&
         (b.memory == Memory::kPinned || b.memory == Memory::kMapped || b.memory == Memory::kWriteCombined);
}

bool Allocations::take_pinned(const BufferDesc& b) {
  return !in_device_memory(b) || devices_[0].take(round_up(b.bytes, kHostPage));
}

void Allocations::give_pinned(const BufferDesc& b) {
  if (in_device_memory(b)) {
    devices_[0].give(round_up(b.bytes, kHostPage));
  }
}

bool Allocations::cuts(uint32_t buffer) const {
  const BufferDesc& b = program_.buffers[buffer];
  return b.memory == Memory::kDevice ? devices_[b.device].fits(b.bytes) : pinned_.fits(b.bytes);
}

bool Allocations::leaves_chunk(uint32_t buffer) const {
  const BufferDesc& b = program_.buffers[buffer];
  if (b.memory == Memory::kDevice) {
    const Buffer& s = buffers_[buffer];
    return s.state == State::kAllocated && s.pool == kNone && !devices_[b.device].alone(s.address);
  }
  const auto at = pinned_at_.find(buffer);
  return at != pinned_at_.end() && !pinned_.alone(at->second);
}

void Allocations::cut_pinned(uint32_t buffer) {
  if (const auto at = pinned_.allocate(program_.buffers[buffer].bytes)) {
    pinned_at_[buffer] = *at;
  }
}

void Allocations::release_pinned(uint32_t buffer) {
  if (const auto it = pinned_at_.find(buffer); it != pinned_at_.end()) {
    pinned_.release(it->second);
    pinned_at_.erase(it);
  }
}

uint32_t Allocations::trim_pools(const Clocks& clocks) {
  uint32_t chunks = 0;
  for (Pool& p : pools_) {
    chunks += p.trim(p.release_threshold, clocks);
  }
  return chunks;
}

void Allocations::count(Result& result) const {
  for (size_t d = 0; d < devices_.size(); ++d) {
    const std::string device = "device " + std::to_string(d) + " ";
    PoolStats sum;
    for (const Pool& p : pools_) {
      if (&p.memory() == &devices_[d]) {
        sum.grown += p.stats().grown;
        sum.released += p.stats().released;
      }
    }
    if (devices_[d].peak_bytes() > devices_[d].context_bytes()) {
      result.counters.push_back({device + "memory peak bytes", devices_[d].peak_bytes()});
    }
    if (sum.grown > 0) {
      result.counters.push_back({device + "pool chunks taken", sum.grown});
      result.counters.push_back({device + "pool chunks given back", sum.released});
    }
  }
}

}  // namespace heddle::host
