// What is in a device's memory: pages, of the ranges that have been mapped. Kernels that compute change it at
// the home slice of a line, in the order in which requests are served there; so races, locks and flags are
// decided by simulated time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sim/engine/zeroed.h"
#include "sim/isa/program.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::memory {

class Image final : public isa::GlobalMemory {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  // So many bytes from `base` on are zero and can be accessed. `base` is a multiple of kPageBytes, which the
  // host needs no room for until they are written. Throws Error where something is mapped already. Not while
  // a kernel runs.
  void map(uint64_t base, uint64_t bytes);
  void unmap(uint64_t base);

  // For the host, while no kernel runs. Throw Error when not all is mapped.
  void write(uint64_t address, std::span<const uint8_t> bytes);
  void read(uint64_t address, std::span<uint8_t> bytes) const;
  template <class T>
  T get(uint64_t address) const {
    T value;
    read(address, {reinterpret_cast<uint8_t*>(&value), sizeof value});
    return value;
  }
  template <class T>
  void put(uint64_t address, const T& value) {
    write(address, {reinterpret_cast<const uint8_t*>(&value), sizeof value});
  }

  uint8_t* find(uint64_t address, uint64_t bytes) override {
    return const_cast<uint8_t*>(std::as_const(*this).find(address, bytes));
  }

  // While no kernel runs. Reading: what was mapped goes.
  void serialize(Archive& ar);

 private:
  struct Range {
    uint64_t base, bytes;
    std::unique_ptr<Zeroed<uint8_t>> data;
  };
  const Range* range(uint64_t address) const;                   // the last that begins by `address`
  const uint8_t* find(uint64_t address, uint64_t bytes) const;  // all of them are mapped, as one range

  std::vector<Range> ranges_;  // by address
};

}  // namespace heddle::memory
