#include "sim/host/memory/device_memory.h"

#include <algorithm>
#include <iterator>

namespace heddle::host {

// ---- FreeRanges

void FreeRanges::insert(uint64_t address, uint64_t bytes) {
  by_address_.emplace(address, bytes);
  by_size_.emplace(bytes, address);
}

void FreeRanges::erase(std::map<uint64_t, uint64_t>::iterator it) {
  by_size_.erase({it->second, it->first});
  by_address_.erase(it);
}

void FreeRanges::add(uint64_t address, uint64_t bytes, uint64_t low, uint64_t high) {
  auto next = by_address_.lower_bound(address);
  if (next != by_address_.end() && next->first == address + bytes && next->first < high) {
    bytes += next->second;
    erase(next);
    next = by_address_.lower_bound(address);
  }
  if (next != by_address_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == address && before->first >= low) {
      address = before->first;
      bytes += before->second;
      erase(before);
    }
  }
  insert(address, bytes);
}

std::optional<uint64_t> FreeRanges::take(uint64_t bytes) {
  const auto it = by_size_.lower_bound({bytes, 0});
  if (it == by_size_.end()) {
    return std::nullopt;
  }
  const uint64_t address = it->second;
  remove(address, bytes);
  return address;
}

void FreeRanges::remove(uint64_t address, uint64_t bytes) {
  const auto it = std::prev(by_address_.upper_bound(address));
  const auto [from, size] = *it;
  erase(it);
  if (from < address) {
    insert(from, address - from);
  }
  if (address + bytes < from + size) {
    insert(address + bytes, from + size - address - bytes);
  }
}

// ---- DeviceMemory

DeviceMemory::DeviceMemory(const Params& p, uint32_t device)
    : total_(p.memory.total),
      context_(std::min(p.memory.total, p.memory.context)),
      used_(context_),
      peak_(used_),
      granularity_(p.memory.granularity),
      alignment_(p.memory.alignment) {
  constexpr uint64_t kPerDevice = uint64_t{1} << 40;
  addresses_.add((device + 1) * kPerDevice, kPerDevice);
}

DeviceMemory DeviceMemory::pinned(const Params& p) {
  Params all = p;
  all.memory.total = UINT64_MAX / 2;
  constexpr uint32_t kBehindAllDevices = 64;
  return {all, kBehindAllDevices};
}

bool DeviceMemory::fits(uint64_t bytes) const {
  return holes_.fits(round_up(std::max<uint64_t>(1, bytes), alignment_));
}

bool DeviceMemory::alone(uint64_t address) const {
  const auto piece = allocated_.find(address);
  return piece == allocated_.end() || std::prev(chunks_.upper_bound(address))->second.used == piece->second;
}

bool DeviceMemory::take(uint64_t bytes) {
  if (bytes > free_bytes()) {
    return false;
  }
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return true;
}

std::optional<uint64_t> DeviceMemory::allocate(uint64_t bytes) {
  if (bytes > total_) {
    return std::nullopt;
  }
  const uint64_t size = round_up(std::max<uint64_t>(1, bytes), alignment_);
  std::optional<uint64_t> address = holes_.take(size);
  if (!address) {
    const uint64_t chunk = round_up(size, granularity_);
    if (!take(chunk)) {
      return std::nullopt;
    }
    address = reserve(chunk);
    if (!address) {
      give(chunk);
      return std::nullopt;
    }
    chunks_[*address] = {chunk, 0};
    if (chunk > size) {
      holes_.add(*address + size, chunk - size, *address, *address + chunk);
    }
  }
  std::prev(chunks_.upper_bound(*address))->second.used += size;
  allocated_[*address] = size;
  return address;
}

void DeviceMemory::release(uint64_t address) {
  const auto it = allocated_.find(address);
  const uint64_t size = it->second;
  allocated_.erase(it);
  const auto chunk = std::prev(chunks_.upper_bound(address));
  holes_.add(address, size, chunk->first, chunk->first + chunk->second.bytes);
  chunk->second.used -= size;
  if (chunk->second.used == 0) {
    holes_.remove(chunk->first, chunk->second.bytes);
    unreserve(chunk->first, chunk->second.bytes);
    give(chunk->second.bytes);
    chunks_.erase(chunk);
  }
}

}  // namespace heddle::host
