// The builder's calls for virtual memory management.
#include "frontends/workload/builder.h"

namespace heddle::workload {

using host::Op;

Buffer Builder::range(const std::string& name, uint64_t bytes, uint32_t device) {
  const Buffer b = later(name, host::Memory::kDevice, bytes, device);
  program_.buffers[b.id].reserved = true;
  return b;
}

Physical Builder::physical(const std::string& name, uint64_t bytes, uint32_t device) {
  program_.physical.push_back({name, device, bytes});
  return {static_cast<uint32_t>(program_.physical.size() - 1)};
}

Thread& Thread::memGetAllocationGranularity(uint32_t device) {
  add(Op::kMemGranularity, device);
  return *this;
}

Thread& Thread::memCreate(Physical p) {
  add(Op::kMemCreate, p.id);
  return *this;
}

Thread& Thread::memRelease(Physical p) {
  add(Op::kMemRelease, p.id);
  return *this;
}

Thread& Thread::memAddressReserve(Buffer range) {
  add(Op::kMemAddressReserve, range.id);
  return *this;
}

Thread& Thread::memAddressFree(Buffer range, uint64_t bytes) {
  add(Op::kMemAddressFree, range.id).bytes = bytes;
  return *this;
}

Thread& Thread::memMap(Buffer range, Physical p, uint64_t offset, uint64_t bytes, uint64_t p_offset) {
  host::Call& c = add(Op::kMemMap, range.id);
  c.source = p.id;
  c.offset = offset;
  c.bytes = bytes;
  c.source_offset = p_offset;
  return *this;
}

Thread& Thread::memUnmap(Buffer range, uint64_t offset, uint64_t bytes) {
  host::Call& c = add(Op::kMemUnmap, range.id);
  c.offset = offset;
  c.bytes = bytes;
  return *this;
}

Thread& Thread::memSetAccess(Buffer range, uint32_t device, uint64_t offset, uint64_t bytes,
                             host::Protection p) {
  host::Call& c = add(Op::kMemSetAccess, range.id);
  c.source = device;
  c.offset = offset;
  c.bytes = bytes;
  c.protection = p;
  return *this;
}

Thread& Thread::multicastCreate(uint32_t devices, uint64_t bytes) {
  host::Call& c = add(Op::kMulticastCreate);
  c.count = devices;
  c.bytes = bytes;
  return *this;
}

}  // namespace heddle::workload
