#include "frontends/cuda/pools.h"

#include <algorithm>
#include <iterator>

#include "frontends/cuda/status.h"

namespace heddle::cuda {
namespace {

bool is_before(const Idle& i, const FreeClock& clock) {
  const auto it = clock.find(i.stream);
  return i.free == 0 || (it != clock.end() && it->second >= i.free);
}

}  // namespace

Pool& Pools::create(workload::Pool model) {
  auto p = std::make_unique<Pool>();
  p->model = model;
  return others_.keep(std::move(p));
}

Pool& Pools::at(const void* handle) { return handle == &usual_ ? usual_ : others_.at(handle); }

void Pools::destroy(Pool& p) {
  require(&p != &usual_, Status::kInvalidValue, "the default pool stays");
  current_ = current_ == &p ? &usual_ : current_;
  p.threshold = 0;
  trim(p, 0);
  if (p.used != 0) {
    auto copy = std::make_unique<Pool>(std::move(p));
    for (auto& [address, pool] : of_) {
      pool = pool == &p ? copy.get() : pool;
    }
    destroyed_[copy.get()] = std::move(copy);
  }
  others_.drop(&p);
}

void Pools::clear() {
  of_.clear();
  others_.clear();
  destroyed_.clear();
  host_.clear();
  current_ = &usual_;
  const workload::Pool model = usual_.model;
  usual_ = {};
  usual_.model = model;
}

Allocation& Pools::allocate(Pool& p, uint64_t bytes, uint64_t stream, const FreeClock& before) {
  const auto [first, last] = p.free.equal_range(bytes);
  const auto it = std::find_if(first, last, [&](const auto& known) {
    const Idle& i = known.second;
    return i.stream == stream || is_before(i, host_) ||
           (p.reuses(kReuseFollowEventDependencies) && is_before(i, before));
  });
  Allocation* a = nullptr;
  if (it != last) {
    a = it->second.memory;
    a->idle = false;
    p.free.erase(it);
  } else {
    if (bytes <= space_.device_bytes() && bytes > space_.device_bytes() - space_.device_used()) {
      // The driver waits for what is free, and gives it back.
      trim(p, 0);
    }
    a = &space_.allocate(bytes, host::Memory::kDevice);
    p.held += bytes;
    p.held_high = std::max(p.held_high, p.held);
  }
  p.used += bytes;
  p.used_high = std::max(p.used_high, p.used);
  of_[a->address] = &p;
  return *a;
}

bool Pools::release(uint64_t address, uint64_t stream, uint64_t free) {
  const auto it = of_.find(address);
  if (it == of_.end()) {
    return false;
  }
  Pool& p = *it->second;
  Allocation* a = space_.at(address);
  p.used -= a->bytes;
  p.free.emplace(a->bytes, Idle{a, stream, free});
  a->idle = true;
  of_.erase(it);
  if (const auto gone = destroyed_.find(&p); gone != destroyed_.end()) {
    trim(p, 0);
    if (p.used == 0) {
      destroyed_.erase(gone);
    }
  }
  return true;
}

void Pools::trim(Pool& p, uint64_t keep) {
  while (!p.free.empty() && p.held > keep) {
    const auto largest = std::prev(p.free.end());
    p.held -= largest->first;
    space_.release(largest->second.memory->address, false);
    p.free.erase(largest);
  }
}

void Pools::trim() {
  trim(usual_, usual_.threshold);
  for (const auto& [handle, p] : others_) {
    trim(*p, p->threshold);
  }
}

void Pools::synchronized(const FreeClock& clock) {
  host_knows(clock);
  trim();
}

void Pools::synchronized() {
  const auto all = [](Pool& p) {
    for (auto& [bytes, idle] : p.free) {
      idle.free = 0;
    }
  };
  all(usual_);
  for (const auto& [handle, p] : others_) {
    all(*p);
  }
  trim();
}

}  // namespace heddle::cuda
