#include "frontends/cuda/pools.h"

#include <algorithm>
#include <iterator>

#include "frontends/cuda/status.h"

namespace heddle::cuda {

Pool& Pools::create(workload::Pool model) {
  auto p = std::make_unique<Pool>();
  p->model = model;
  Pool& out = *p;
  others_[&out] = std::move(p);
  return out;
}

Pool& Pools::at(const void* handle) {
  if (handle == &usual_) {
    return usual_;
  }
  const auto it = others_.find(handle);
  require(it != others_.end(), Status::kInvalidValue, "no such pool");
  return *it->second;
}

void Pools::destroy(Pool& p) {
  require(&p != &usual_, Status::kInvalidValue, "the default pool stays");
  current_ = current_ == &p ? &usual_ : current_;
  p.threshold = 0;
  trim(p, 0);
}

Allocation& Pools::allocate(Pool& p, uint64_t bytes) {
  Allocation* a = nullptr;
  if (const auto it = p.free.find(bytes); it != p.free.end()) {
    a = space_.at(it->second);
    p.free.erase(it);
  } else {
    a = &space_.allocate(bytes, host::Memory::kDevice);
    p.held += bytes;
    p.held_high = std::max(p.held_high, p.held);
  }
  p.used += bytes;
  p.used_high = std::max(p.used_high, p.used);
  of_[a->address] = &p;
  return *a;
}

bool Pools::release(uint64_t address) {
  const auto it = of_.find(address);
  if (it == of_.end()) {
    return false;
  }
  Pool& p = *it->second;
  const uint64_t bytes = space_.at(address)->bytes;
  p.used -= bytes;
  p.free.emplace(bytes, address);
  of_.erase(it);
  return true;
}

void Pools::trim(Pool& p, uint64_t keep) {
  while (!p.free.empty() && p.held > keep) {
    const auto largest = std::prev(p.free.end());
    p.held -= largest->first;
    space_.release(largest->second, false);
    p.free.erase(largest);
  }
}

void Pools::synchronized() {
  trim(usual_, usual_.threshold);
  for (const auto& [handle, p] : others_) {
    trim(*p, p->threshold);
  }
}

}  // namespace heddle::cuda
