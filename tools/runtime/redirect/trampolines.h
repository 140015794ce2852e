// Ways from within an object's code to functions that are anywhere: a jump of five bytes at a function's
// entry reaches a trampoline, which is mapped near the object and jumps on to where its record says.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::redirect {

inline void* pointer(uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): of loaded code
}

struct Record {
  const void* target;
  const char* name;
  uint64_t from;  // the entry
};

constexpr size_t kJump = 5;  // bytes

class Trampolines final {
 public:
  // Room for so many, within reach of `first` to `last`. There may be none.
  Trampolines(uint64_t first, uint64_t last, size_t count);

  bool there() const { return code_ != nullptr; }
  // A way from the entry `from`, whose record's address is in r11 where it arrives.
  void add(uint64_t from, const char* name, const void* target);
  // After the last: they are code from now on.
  bool finish() const;
  // And each entry a jump to its own. The entries' code is Writable.
  void write_jumps() const;

 private:
  uint8_t* trampoline(size_t i) const;

  uint8_t* code_ = nullptr;
  Record* records_ = nullptr;
  size_t code_bytes_ = 0, used_ = 0;
};

// Code that the process has may be written to while this is there.
class Writable final {
 public:
  Writable(uint64_t first, uint64_t last, int flags_after);
  ~Writable();
  Writable(const Writable&) = delete;
  Writable& operator=(const Writable&) = delete;

  explicit operator bool() const { return writable_; }

 private:
  void* pages_;
  size_t bytes_;
  int flags_after_;
  bool writable_;
};

}  // namespace heddle::redirect
