// The functions that an ELF file has names for, and whether a CUDA runtime is among them: nvcc links one into
// programs and libraries unless it is told otherwise. Files are anybody's: nothing is read outside of them.
// Used in a process before its C library has begun, so nothing is allocated or thrown.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace heddle::redirect {

struct Function {
  const char* name;
  uint64_t address, size;  // as the file says: where it is loaded is added
  bool hidden;             // from other files of the process
};

class ElfFile final {
 public:
  // Of x86-64, executable or library; else it is empty.
  ElfFile(const void* bytes, size_t size);

  // A program that a dynamic loader starts.
  bool has_loader() const;
  // The program headers are these, which the process has.
  bool has_headers(const Elf64_Phdr* headers, size_t count) const;
  bool has_section(const char* name) const;
  // `count` bytes that are loaded to `address` of an executable segment, or null.
  const uint8_t* code(uint64_t address, size_t count) const;

  // Calls f(Function) for all that are defined.
  template <class F>
  void each_function(F&& f) const {
    for (size_t i = 0; i < symbols_; ++i) {
      Function function{};
      if (function_at(i, function)) {
        f(function);
      }
    }
  }

 private:
  template <class T>
  bool read(uint64_t at, T& to) const {
    if (at > size_ || size_ - at < sizeof to) {
      return false;
    }
    std::memcpy(&to, bytes_ + at, sizeof to);
    return true;
  }
  bool section(size_t i, Elf64_Shdr& to) const;  // one whose bytes are there
  bool segment(size_t i, Elf64_Phdr& to) const;
  bool names(size_t section, const char*& names, size_t& size) const;
  bool function_at(size_t i, Function& to) const;

  const uint8_t* bytes_;
  size_t size_;
  Elf64_Ehdr header_{};
  size_t symbols_ = 0;
  uint64_t symbols_at_ = 0;
  const char* names_ = nullptr;
  size_t names_size_ = 0;
};

enum class Runtime : uint8_t {
  kNone,    // or there is no name of it
  kWithin,  // CUDA 13's
  kOlder    // with other structures and parameters
};

struct FoundRuntime {
  Runtime runtime = Runtime::kNone;
  uint64_t first = 0, last = 0;  // addresses: what lies between is the runtime's, too
};

FoundRuntime find_runtime(const ElfFile& file);

// The name as it will be there as long as the process, or null: no function of CUDA 13.0's runtime.
const char* runtime_name(const char* name);
// One that a later runtime may have.
bool like_runtime_name(const char* name);

}  // namespace heddle::redirect
