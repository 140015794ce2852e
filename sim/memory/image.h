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
#include "sim/memory/message.h"
#include "sim/memory/payload.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::memory {

class Image {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  // So many bytes from `base` on are zero and can be accessed. `base` is a multiple of kPageBytes, which the
  // host needs no room for until they are written. Throws Error where something is mapped already. Not while
  // a kernel runs.
  void map(uint64_t base, uint64_t bytes);
  void unmap(uint64_t base);
  // All of these bytes are mapped, as one range.
  bool contains(uint64_t address, uint64_t bytes) const { return find(address, bytes) != nullptr; }

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

  // Performs a request on its line. What lies outside of all ranges reads as 0 and is not written. Returns
  // whether memory is no longer as it was. Different lines may be served at the same time.
  bool serve(const Request& request, Payload& payload);

  // While no kernel runs. Reading: what was mapped goes.
  void serialize(Archive& ar);

 private:
  struct Range {
    uint64_t base, bytes;
    std::unique_ptr<Zeroed<uint8_t>> data;
  };
  const Range* range(uint64_t address) const;  // the last that begins by `address`
  const uint8_t* find(uint64_t address, uint64_t bytes) const;
  uint8_t* sector(uint64_t address);
  uint8_t* find(uint64_t address, uint64_t bytes) {
    return const_cast<uint8_t*>(std::as_const(*this).find(address, bytes));
  }

  std::vector<Range> ranges_;  // by address
};

}  // namespace heddle::memory
