// The one address space of host and devices (UVA): what is allocated where. Memory of the device lies at
// addresses that the host can not touch; pinned and unified memory lies at the same address for both.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "frontends/workload/builder.h"
#include "sim/exec/memory.h"

namespace heddle::cuda {

// Host and devices have one address space: what a program holds as a pointer.
inline void* pointer(uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): kept as a number
}

struct Allocation {
  uint64_t address = 0, bytes = 0;
  host::Memory kind = host::Memory::kDevice;
  bool registered = false;  // the program's own memory (cudaHostRegister)
  bool graph = false;       // a graph's, which frees it
  bool idle = false;        // a pool's, which nobody has been given: no address of the program's
  bool imported = false;    // another process's
  int file = -1;            // of exported memory: where its bytes are
  workload::Buffer buffer;  // of the model
};

class AddressSpace final : private exec::Memory::Backing {
 public:
  // All of its addresses: where no program and no library is loaded, whatever the system makes of their
  // places. None is used again.
  static constexpr uint64_t kFirst = 0x200000000000, kAddresses = uint64_t{1} << 42;

  // `device_bytes`: what the device has. Throws Error when the host has no such addresses left.
  explicit AddressSpace(uint64_t device_bytes);

  // Until clear().
  exec::Memory& memory() { return *memory_; }

  // Throw CallFailed (cudaErrorMemoryAllocation).
  // `paged`: the program's instructions find it where show() says so; nowhere at first.
  Allocation& allocate(uint64_t bytes, host::Memory kind, bool paged = false);
  // The bytes of device memory are in a file from now on, which other processes can map: its descriptor,
  // which stays this one's. Not while the device works. Throws CallFailed (cudaErrorMemoryAllocation).
  int export_file(Allocation& a);
  // Another process's device memory, so many bytes in that file: it counts as that one's.
  Allocation& import(int file, uint64_t bytes);
  Allocation& adopt(uint64_t address, uint64_t bytes);
  // Throws CallFailed when it is none's first address, or another kind's.
  void release(uint64_t address, bool registered);

  // The one that the address is in; null: none, so that it is the host's own.
  Allocation* find(uint64_t address);
  Allocation* at(uint64_t address);  // which begins there
  const std::map<uint64_t, Allocation>& allocations() const { return allocations_; }
  // Everything is gone, what modules have allocated, too. Its addresses are not given out again.
  void clear();
  uint64_t device_bytes() const { return device_bytes_; }
  uint64_t device_used() const { return device_used_; }
  // Changes when the host's allocations do.
  uint64_t host_version() const { return host_version_; }

  // For copies: the bytes behind an address of host or device. Throws CallFailed when they are not all of one
  // allocation, or where no program has memory. Whether the program's own memory is there is not known.
  uint8_t* bytes(uint64_t address, uint64_t size);

  // The address so many bytes behind another one, in the same allocation or in the program's own memory.
  // Throws CallFailed.
  uint64_t behind(uint64_t address, uint64_t bytes) const;

  // Allocations by somebody else (modules' variables) are the host's, too, while this is on.
  void visible_to_host(bool on) { sight_ = on ? Sight::kBoth : Sight::kDevice; }

  // Of a paged allocation: what the program's instructions may do there; whole pages of the system's. False:
  // the system has no more pieces to give.
  bool show(uint64_t address, uint64_t bytes, bool loads, bool stores);

 private:
  uint64_t unit() const override;
  uint8_t* map(uint64_t address, uint64_t bytes) override;
  void unmap(uint64_t address, uint64_t bytes) override;

  // All addresses that are ever given out, as nobody's memory.
  struct Reservation {
    Reservation();
    ~Reservation();
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
  };
  Reservation reservation_;
  const uint64_t device_bytes_;
  uint64_t device_used_ = 0;
  uint64_t host_version_ = 0;
  std::map<uint64_t, Allocation> allocations_;
  // Who sees what is allocated now: the device alone, the host as well, or the host where it may.
  enum class Sight : uint8_t { kDevice, kBoth, kPaged } sight_ = Sight::kDevice;
  int import_ = -1;  // what is allocated now is in that file
  struct Elsewhere {
    void* bytes;
    bool paged;  // the program has them at the address, too
  };
  std::map<uint64_t, Elsewhere> elsewhere_;  // where the bytes are that nobody can touch at their address
  uint64_t top_;                             // behind all addresses that were given out
  std::unique_ptr<exec::Memory> memory_;
};

}  // namespace heddle::cuda
