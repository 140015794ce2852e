// The builder's calls about memory.
#include "frontends/workload/builder.h"

namespace heddle::workload {

using host::Op;

Buffer Builder::later(const std::string& name, host::Memory memory, uint64_t bytes, uint32_t device) {
  const Buffer b = buffer(name, memory, bytes, device);
  program_.buffers[b.id].allocated_by_call = true;
  return b;
}

Buffer Builder::managed(const std::string& name, uint64_t bytes) {
  return buffer(name, host::Memory::kManaged, bytes);
}

Pool Builder::pool(const std::string& name, uint64_t max_bytes, uint32_t device) {
  program_.pools.push_back({name, device, max_bytes});
  return {static_cast<uint32_t>(program_.pools.size() - 1)};
}

void Builder::add_accesses(host::Call& c, const std::vector<host::Access>& accesses) {
  std::vector<host::Access>& all = program_.accesses;
  c.first_access = static_cast<uint32_t>(all.size());
  c.accesses = static_cast<uint32_t>(accesses.size());
  all.insert(all.end(), accesses.begin(), accesses.end());
}

Thread& Thread::at(uint64_t offset, uint64_t source_offset) {
  host::Call& c = w_.program().threads[index_].calls.back();
  c.offset = offset;
  c.source_offset = source_offset;
  return *this;
}

Thread& Thread::values(uint64_t id) {
  w_.program().threads[index_].calls.back().values = id;
  return *this;
}

Thread& Thread::with(const std::vector<host::Access>& accesses) {
  w_.add_accesses(w_.program().threads[index_].calls.back(), accesses);
  return *this;
}

Thread& Thread::hostAccess(const std::vector<host::Access>& accesses) {
  w_.add_accesses(add(Op::kHostAccess), accesses);
  return *this;
}

Thread& Thread::malloc(Buffer b) {
  const host::BufferDesc& desc = w_.program().buffers[b.id];
  const Op op = desc.memory == host::Memory::kDevice    ? Op::kMalloc
                : desc.memory == host::Memory::kManaged ? Op::kMallocManaged
                                                        : Op::kMallocHost;
  add(op, b.id).bytes = desc.bytes;
  return *this;
}

Thread& Thread::free(Buffer b) {
  const host::Memory m = w_.program().buffers[b.id].memory;
  add(m == host::Memory::kDevice || m == host::Memory::kManaged ? Op::kFree : Op::kFreeHost, b.id);
  return *this;
}

Thread& Thread::memGetInfo() {
  add(Op::kMemGetInfo);
  return *this;
}

Thread& Thread::mallocAsync(Buffer b, Stream s, Pool p) {
  add(Op::kMallocAsync, b.id, s.id).source = p.id;
  return *this;
}

Thread& Thread::freeAsync(Buffer b, Stream s) {
  add(Op::kFreeAsync, b.id, s.id);
  return *this;
}

Thread& Thread::memPoolSetAttribute(Pool p, host::PoolAttribute what, uint64_t value) {
  host::Call& c = add(Op::kPoolSetAttribute, p.id);
  c.count = static_cast<uint64_t>(what);
  c.bytes = value;
  return *this;
}

Thread& Thread::memPoolTrimTo(Pool p, uint64_t keep) {
  add(Op::kPoolTrim, p.id).bytes = keep;
  return *this;
}

Thread& Thread::memPoolStats(Pool p) {
  add(Op::kPoolStats, p.id);
  return *this;
}

Thread& Thread::memPoolResetHigh(Pool p) {
  add(Op::kPoolResetHigh, p.id);
  return *this;
}

Thread& Thread::memPoolSetAccess(Pool p, uint32_t device, bool enabled) {
  host::Call& c = add(Op::kPoolSetAccess, p.id);
  c.source = device;
  c.enable = enabled;
  return *this;
}

Thread& Thread::memPrefetchAsync(Buffer b, uint32_t device, Stream s, uint64_t offset, uint64_t bytes) {
  host::Call& c = add(Op::kMemPrefetch, b.id, s.id);
  c.source = device;
  c.offset = offset;
  c.bytes = bytes;
  return *this;
}

Thread& Thread::memAdvise(Buffer b, host::Advice what, uint32_t device) {
  host::Call& c = add(Op::kMemAdvise, b.id);
  c.count = static_cast<uint64_t>(what);
  c.source = device;
  return *this;
}

Thread& Thread::memRangeAttributes(Buffer b) {
  add(Op::kMemAttributes, b.id);
  return *this;
}

Thread& Thread::streamAttachMemAsync(Stream s, Buffer b, host::Attach to, uint64_t length) {
  host::Call& c = add(Op::kStreamAttach, b.id, s.id);
  c.count = static_cast<uint64_t>(to);
  c.bytes = length;
  return *this;
}

// ---- limits, and what stays in the L2

Window Builder::window(Buffer b, uint64_t bytes, double hit_ratio, memory::AccessProperty hit,
                       memory::AccessProperty miss, uint64_t offset) {
  program_.windows.push_back({b.id, offset, bytes, hit_ratio, hit, miss});
  return {static_cast<uint32_t>(program_.windows.size() - 1)};
}

Thread& Thread::deviceSetLimit(host::Limit what, uint64_t value) {
  add(Op::kDeviceSetLimit, static_cast<uint32_t>(what)).bytes = value;
  return *this;
}

Thread& Thread::deviceGetLimit(host::Limit what) {
  add(Op::kDeviceGetLimit, static_cast<uint32_t>(what));
  return *this;
}

Thread& Thread::streamSetAccessPolicyWindow(Stream s, Window w) {
  add(Op::kStreamSetWindow, host::kNone, s.id).window = w.id;
  return *this;
}

Thread& Thread::ctxResetPersistingL2Cache() {
  add(Op::kResetPersistingL2);
  return *this;
}

Thread& Thread::funcGetAttributes(Kernel k) {
  add(Op::kFuncGetAttributes, k.id);
  return *this;
}

}  // namespace heddle::workload
