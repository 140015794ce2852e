// Large arrays of which a run touches little: their pages come from the host when they are written first, by
// the thread that does.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace heddle {

// `size` elements, all bytes 0.
template <class T>
class Zeroed {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  Zeroed() = default;
  explicit Zeroed(size_t size)
      : size_(size), data_(static_cast<T*>(std::calloc(size ? size : 1, sizeof(T)))) {
    if (!data_) {
      throw std::bad_alloc();
    }
  }
  Zeroed(Zeroed&&) noexcept = default;
  Zeroed& operator=(Zeroed&&) noexcept = default;

  size_t size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  T& operator[](size_t i) { return data_.get()[i]; }
  const T& operator[](size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  size_t size_ = 0;
  std::unique_ptr<T, Free> data_;
};

}  // namespace heddle
