// The objects of one kind that a program holds handles of. A handle is an object's address, and whatever the
// program passes as one is looked for here before anything is read there: the one place that knows which are
// alive.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "frontends/cuda/status.h"

namespace heddle::cuda {

template <class T, class Owner = std::unique_ptr<T>>
class Handles {
 public:
  // What a call returns, and why, for what is none of these.
  Handles(Status otherwise, const char* why) : otherwise_(otherwise), why_(why) {}

  T& keep(Owner object) {
    T& out = *object;
    all_[&out] = std::move(object);
    return out;
  }
  // Throw CallFailed.
  const Owner& owner(const void* handle) const {
    const auto it = all_.find(handle);
    require(it != all_.end(), otherwise_, why_);
    return it->second;
  }
  T& at(const void* handle) const { return *owner(handle); }
  // The object may end with it.
  void drop(const void* handle) { all_.erase(handle); }
  void clear() { all_.clear(); }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  Status otherwise_;
  const char* why_;
  std::map<const void*, Owner> all_;
};

}  // namespace heddle::cuda
