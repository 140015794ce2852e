// Stream-ordered memory: pools keep what is freed, and give it out again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "frontends/cuda/address_space.h"
#include "frontends/cuda/handles.h"
#include "frontends/cuda/streams.h"
#include "frontends/workload/builder.h"

namespace heddle::cuda {

// cudaMemPoolReuse...: attributes, on by default.
inline constexpr int32_t kReuseFollowEventDependencies = 1, kReuseAllowInternalDependencies = 3;

// Memory that was freed: on which stream, and as which of its frees.
struct Idle {
  Allocation* memory = nullptr;
  uint64_t stream = 0, free = 0;
};

struct Pool {
  workload::Pool model;
  std::map<int32_t, uint64_t> attributes;  // that were set; cudaMemPoolAttr
  uint64_t threshold = 0;                  // what is kept beyond a synchronisation
  uint64_t used = 0, used_high = 0;        // bytes given out
  uint64_t held = 0, held_high = 0;        // and kept
  std::multimap<uint64_t, Idle> free;      // by bytes

  bool reuses(int32_t attribute) const {
    const auto it = attributes.find(attribute);
    return it == attributes.end() || it->second != 0;
  }
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
  // No memory is anybody's any more, and no pool but the default one is there, as at first.
  void clear();

  // For a stream before whose next work are these frees. It gets memory that was freed on itself (SO07),
  // whose free the host has waited for, or, where the pool allows it, an event's (SO08); memory whose free is
  // merely over (SO09) it does not get: the same program has the same addresses in each run.
  Allocation& allocate(Pool& p, uint64_t bytes, uint64_t stream, const FreeClock& before);
  // Freed as the stream's so manieth free; 0: at once. False: no pool's.
  bool release(uint64_t address, uint64_t stream = 0, uint64_t free = 0);
  bool owns(uint64_t address) const { return of_.contains(address); }
  // Gives back what is free until the pool holds no more than so many bytes.
  void trim(Pool& p, uint64_t keep);
  // The host knows that these frees are over.
  void host_knows(const FreeClock& clock) { join(host_, clock); }
  // It has waited for them, or for all.
  void synchronized(const FreeClock& clock);
  void synchronized();

  // What the device has taken for the pool, in chunks.
  uint64_t reserved(uint64_t held) const { return (held + chunk_ - 1) / chunk_ * chunk_; }

 private:
  AddressSpace& space_;
  const uint64_t chunk_;
  Pool usual_;
  Pool* current_ = &usual_;
  void trim();  // to what each keeps

  FreeClock host_;
  Handles<Pool> others_{Status::kInvalidValue, "no such pool"};
  std::map<const Pool*, std::unique_ptr<Pool>> destroyed_;  // but what they gave out is not freed yet
  std::map<uint64_t, Pool*> of_;                            // by address that is given out
};

}  // namespace heddle::cuda
