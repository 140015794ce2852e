#include "sim/host/memory/vmm.h"

#include <algorithm>
#include <iterator>

namespace heddle::host {
namespace {

Refusal invalid(std::string why) { return {"CUDA_ERROR_INVALID_VALUE", std::move(why)}; }

}  // namespace

AddressSpace::AddressSpace(const Program& p, const Params& n, Allocations& memory)
    : program_(p),
      params_(n),
      memory_(memory),
      physical_(p.physical.size()),
      mappings_(
          std::any_of(p.buffers.begin(), p.buffers.end(), [](const BufferDesc& b) { return b.reserved; })
              ? p.buffers.size()
              : 0) {}

void AddressSpace::grow() { mappings_.resize(mappings_.empty() ? 0 : program_.buffers.size()); }

uint64_t AddressSpace::length(const Call& c) const {
  if (c.bytes > 0) {
    return c.bytes;
  }
  return c.op == Op::kMemMap ? program_.physical[c.source].bytes
                             : program_.buffers[c.object].bytes - c.offset;
}

bool AddressSpace::reserved(uint32_t buffer) const {
  return memory_.buffer(buffer).state == Allocations::State::kAllocated;
}

Ps AddressSpace::cost(const Call& c) const {
  const Params::VirtualMemory& p = params_.vmm;
  const auto by_size = [](Ps once, double per_mib, uint64_t bytes) {
    return once + Ps::truncated(per_mib * static_cast<double>(bytes) / 1048576);
  };
  switch (c.op) {
    case Op::kMemCreate: {  // one that fails makes nothing
      const PhysicalDesc& d = program_.physical[c.object];
      return by_size(p.create, p.create_mib, d.bytes <= memory_.device(d.device).free_bytes() ? d.bytes : 0);
    }
    case Op::kMemRelease:  // what is mapped stays for now
      return by_size(p.release, p.release_mib,
                     physical_[c.object].mappings == 0 ? program_.physical[c.object].bytes : 0);
    case Op::kMemAddressReserve:
      return program_.buffers[c.object].bytes >= p.large ? p.reserve_large : p.reserve;
    case Op::kMemAddressFree:
      return p.reserve;
    case Op::kMemMap:
      return p.map;
    case Op::kMemUnmap:
      return by_size(p.unmap, p.unmap_mib, length(c));
    case Op::kMemSetAccess:
      return by_size(p.set_access, p.set_access_mib, length(c));
    default:
      return params_.calls.query;
  }
}

// ---- physical memory

std::optional<Refusal> AddressSpace::create(uint32_t physical) {
  const PhysicalDesc& d = program_.physical[physical];
  if (d.bytes == 0 || d.bytes % params_.memory.granularity != 0) {
    return invalid(d.name + ": " + std::to_string(d.bytes) + " bytes are no multiple of the granularity");
  }
  Physical& p = physical_[physical];
  if (p.held || p.mappings > 0) {
    return invalid(d.name + " is there already");
  }
  if (!memory_.device(d.device).take(d.bytes)) {
    return Refusal{"CUDA_ERROR_OUT_OF_MEMORY", std::to_string(d.bytes) + " bytes for " + d.name + ", " +
                                                   std::to_string(memory_.device(d.device).free_bytes()) +
                                                   " free on device " + std::to_string(d.device)};
  }
  p.held = true;
  return std::nullopt;
}

std::optional<Refusal> AddressSpace::release(uint32_t physical) {
  if (!physical_[physical].held) {
    return invalid(program_.physical[physical].name + " is no handle now");
  }
  physical_[physical].held = false;
  give_back(physical);
  return std::nullopt;
}

void AddressSpace::give_back(uint32_t physical) {
  if (!physical_[physical].held && physical_[physical].mappings == 0) {
    memory_.device(program_.physical[physical].device).give(program_.physical[physical].bytes);
  }
}

// ---- addresses

std::optional<Refusal> AddressSpace::reserve(uint32_t buffer) {
  const BufferDesc& b = program_.buffers[buffer];
  if (b.bytes == 0 || b.bytes % params_.memory.granularity != 0) {
    return invalid(b.name + ": " + std::to_string(b.bytes) + " bytes are no multiple of the granularity");
  }
  if (reserved(buffer)) {
    return invalid(b.name + " is reserved already");
  }
  const auto address = memory_.device(b.device).reserve(b.bytes);
  if (!address) {
    return Refusal{"CUDA_ERROR_OUT_OF_MEMORY", "no addresses left for " + b.name};
  }
  memory_.buffer(buffer) = {Allocations::State::kAllocated, kNone, *address};
  return std::nullopt;
}

std::optional<Refusal> AddressSpace::free(const Call& c) {
  const BufferDesc& b = program_.buffers[c.object];
  if (!reserved(c.object) || c.offset != 0 || length(c) != b.bytes) {
    return invalid(reserved(c.object) ? "only all of " + b.name + " can be freed"
                                      : b.name + " is not reserved");
  }
  if (!mappings_[c.object].empty()) {
    return invalid(b.name + " is mapped");
  }
  memory_.device(b.device).unreserve(memory_.buffer(c.object).address, b.bytes);
  memory_.buffer(c.object).state = Allocations::State::kFreed;
  return std::nullopt;
}

// ---- what maps to what

std::optional<Refusal> AddressSpace::map(const Call& c) {
  const BufferDesc& b = program_.buffers[c.object];
  const PhysicalDesc& d = program_.physical[c.source];
  const uint64_t bytes = length(c), unit = params_.memory.granularity;
  if (!reserved(c.object) || !physical_[c.source].held) {
    return invalid(reserved(c.object) ? d.name + " is no handle now" : b.name + " is not reserved");
  }
  if (c.source_offset != 0 || bytes > d.bytes) {
    return Refusal{"CUDA_ERROR_NOT_SUPPORTED",
                   "memory is mapped from its start, and no more of it than " + d.name + " has"};
  }
  if (c.offset % unit != 0 || bytes % unit != 0 || c.offset > b.bytes || bytes > b.bytes - c.offset) {
    return invalid("a range beyond " + b.name + ", or no multiple of the granularity");
  }
  Mappings& m = mappings_[c.object];
  const auto next = m.lower_bound(c.offset);
  if ((next != m.end() && next->first < c.offset + bytes) ||
      (next != m.begin() && std::prev(next)->first + std::prev(next)->second.bytes > c.offset)) {
    return invalid("the range is mapped already");
  }
  m[c.offset] = {bytes, c.source, std::vector<Protection>(program_.devices, Protection::kNone)};
  ++physical_[c.source].mappings;
  return std::nullopt;
}

bool AddressSpace::whole(const Mappings& m, uint64_t offset, uint64_t bytes, bool holes) const {
  const auto cuts = [&](uint64_t at) {  // inside of a mapping
    const auto next = m.upper_bound(at);
    return next != m.begin() && std::prev(next)->first < at &&
           at < std::prev(next)->first + std::prev(next)->second.bytes;
  };
  if (cuts(offset) || cuts(offset + bytes)) {
    return false;
  }
  uint64_t covered = 0;
  for (auto it = m.lower_bound(offset); it != m.end() && it->first < offset + bytes; ++it) {
    covered += it->second.bytes;
  }
  return holes || covered == bytes;
}

std::optional<Refusal> AddressSpace::unmap(const Call& c) {
  const uint64_t bytes = length(c);
  Mappings& m = mappings_[c.object];
  if (!reserved(c.object) || bytes % params_.memory.granularity != 0 || !whole(m, c.offset, bytes, true)) {
    return invalid("only whole mappings can be unmapped");
  }
  // Where nothing is mapped the H200's driver does not mind.
  for (auto it = m.lower_bound(c.offset); it != m.end() && it->first < c.offset + bytes; it = m.erase(it)) {
    --physical_[it->second.physical].mappings;
    give_back(it->second.physical);
  }
  return std::nullopt;
}

std::optional<Refusal> AddressSpace::set_access(const Call& c) {
  const uint64_t bytes = length(c);
  Mappings& m = mappings_[c.object];
  if (!reserved(c.object) || !whole(m, c.offset, bytes, false)) {
    return invalid("access is set for whole mappings, without holes between them");
  }
  for (auto it = m.lower_bound(c.offset); it != m.end() && it->first < c.offset + bytes; ++it) {
    it->second.access[c.source] = c.protection;
  }
  return std::nullopt;
}

// ---- who reaches what

std::optional<std::vector<AddressSpace::Piece>> AddressSpace::pieces(uint32_t buffer, uint32_t device,
                                                                     uint64_t offset, uint64_t bytes) const {
  std::vector<Piece> out;
  uint64_t at = offset;
  const uint64_t end = bytes ? offset + bytes : program_.buffers[buffer].bytes;
  if (mappings_.empty()) {
    return std::nullopt;
  }
  const Mappings& m = mappings_[buffer];
  auto it = m.upper_bound(at);
  for (it = it == m.begin() ? it : std::prev(it); at < end; ++it) {
    if (it == m.end() || it->first > at || it->first + it->second.bytes <= at) {
      return std::nullopt;
    }
    const uint64_t to = std::min(end, it->first + it->second.bytes);
    out.push_back({it->second.physical, at - it->first, to - at,
                   program_.physical[it->second.physical].device,
                   device == kNone ? Protection::kNone : it->second.access[device]});
    at = to;
  }
  return out;
}

bool AddressSpace::reaches(uint32_t device, uint32_t buffer, uint64_t offset, uint64_t bytes,
                           bool write) const {
  const auto all = pieces(buffer, device, offset, bytes);
  return all && std::all_of(all->begin(), all->end(), [&](const Piece& p) {
           return p.access >= (write ? Protection::kReadWrite : Protection::kRead);
         });
}

}  // namespace heddle::host
