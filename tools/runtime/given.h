// A pointer that a call cannot do without: to where a result goes, to a structure or to a list. It is passed
// as a pointer is, and who looks behind a null one throws cudaErrorInvalidValue, so that no call has to ask.
#pragma once

#include <cstddef>
#include <type_traits>

#include "frontends/cuda/status.h"

namespace heddle::runtime {

template <class T>
class Given {
 public:
  Given() = default;
  Given(T* p) : p_(p) {}  // NOLINT(google-explicit-constructor): is one

  T* get() const {
    cuda::require(p_ != nullptr, cuda::Status::kInvalidValue, "a null pointer");
    return p_;
  }
  T& operator*() const { return *get(); }
  T* operator->() const { return get(); }
  T& operator[](size_t i) const { return get()[i]; }
  // Null, too.
  T* pointer() const { return p_; }

 private:
  T* p_;
};

// In a register, as the interface of calls has pointers.
static_assert(std::is_trivially_copyable_v<Given<int>> && sizeof(Given<int>) == sizeof(int*));

}  // namespace heddle::runtime
