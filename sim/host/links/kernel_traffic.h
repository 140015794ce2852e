// What kernels move over the links by themselves: loads and stores of host memory (HM04) and of other
// devices' memory (MU03), as their declared accesses say.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/host/core/core.h"
#include "sim/host/core/result.h"
#include "sim/host/memory/allocations.h"
#include "sim/host/memory/vmm.h"

namespace heddle::host {

// One flow beside a kernel.
struct LinkTraffic {
  Path path;  // kMappedRead, kMappedWrite, kPeerRead, kPeerWrite
  uint32_t peer = 0;
  uint64_t bytes = 0;  // of payload
  uint64_t packets = 0;
  uint64_t partial = 0;  // of these, stores that do not fill a sector
  double limit = 0;      // bytes per picosecond that so many threads can ask for, SMs store; 0: no limit
  double under_way = 0;  // bytes at any time
  double queued = 0;     // of stores that the link holds up, bytes that an end waits for
};

class KernelTraffic {
 public:
  KernelTraffic(const Core& core, const AddressSpace& space, Allocations& memory);

  // Whether any kernel of the program has such accesses.
  bool used() const { return used_; }
  // Of a kernel on the device. `legal` becomes false when it reaches for memory of a device that it cannot
  // reach, or for addresses that are not mapped, or not for this device.
  std::vector<LinkTraffic> of(uint32_t kernel, uint32_t device, const std::vector<Access>& accesses,
                              bool& legal);
  void count(Result& result) const;

 private:
  bool remote(uint32_t device, const Access& a) const;
  bool reaches(uint32_t device, uint32_t buffer) const;

  const Core& core_;
  const AddressSpace& space_;
  Allocations& memory_;
  bool used_ = false;
  struct Bytes {
    uint64_t mapped_read = 0, mapped_written = 0, peer_read = 0, peer_written = 0;
  };
  std::vector<Bytes> devices_;
};

// The packets of an access: loads fetch pieces of Params::Link::read_piece bytes, and of a line what of it is
// asked for in one packet (HM09); stores that fill whole lines go line by line, others sector by sector.
LinkTraffic packets_of(const Access& a, uint64_t buffer_bytes, bool write, const Params& p);

}  // namespace heddle::host
