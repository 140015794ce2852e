// Stream-ordered memory: pools keep what is freed, and give it out again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "frontends/cuda/address_space.h"
#include "frontends/workload/builder.h"

namespace heddle::cuda {

struct Pool {
  workload::Pool model;
  std::map<int32_t, uint64_t> attributes;  // that were set; cudaMemPoolAttr
  uint64_t threshold = 0;                  // what is kept beyond a synchronisation
  uint64_t used = 0, used_high = 0;        // bytes given out
  uint64_t held = 0, held_high = 0;        // and kept
  std::multimap<uint64_t, uint64_t> free;  // addresses by bytes
};

class Pools {
 public:
  Pools(AddressSpace& space, uint64_t chunk) : space_(space), chunk_(chunk) {}

  Pool& usual() { return usual_; }
  Pool& current() { return *current_; }
  void make_current(Pool& p) { current_ = &p; }
  Pool& create(workload::Pool model);
  // Throws CallFailed for a handle of none.
  Pool& at(const void* handle);
  // What it has given out stays until it is freed.
  void destroy(Pool& p);

  Allocation& allocate(Pool& p, uint64_t bytes);
  // False: no pool's.
  bool release(uint64_t address);
  // Gives back what is free until the pool holds no more than so many bytes.
  void trim(Pool& p, uint64_t keep);
  void synchronized();

  // What the device has taken for the pool, in chunks.
  uint64_t reserved(uint64_t held) const { return (held + chunk_ - 1) / chunk_ * chunk_; }

 private:
  AddressSpace& space_;
  const uint64_t chunk_;
  Pool usual_;
  Pool* current_ = &usual_;
  std::map<const void*, std::unique_ptr<Pool>> others_;
  std::map<uint64_t, Pool*> of_;  // by address that is given out
};

}  // namespace heddle::cuda
