// Which file it was that memory ran out for.
#pragma once

#include <new>
#include <string>

namespace heddle::input {

class OutOfMemory : public std::bad_alloc {
 public:
  // `where`: "FILE", or with a place.
  explicit OutOfMemory(const std::string& where) : what_(where + ": out of memory") {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

// What `f` returns. When memory runs out in it, the exception says that it was for `where`.
template <typename F>
auto naming(const std::string& where, const F& f) {
  try {
    return f();
  } catch (const OutOfMemory&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(where);
  }
}

}  // namespace heddle::input
