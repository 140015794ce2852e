// Virtual memory management (cuda-model A28, VM01-VM07): physical memory and address ranges of their own,
// what maps to what, and who reaches it. Calls of the driver: errors are CUresult's names. What is refused is
// what an H200's driver refuses (traces/h200/hosterrors.csv, "vmm").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/host/core/params.h"
#include "sim/host/core/refusal.h"
#include "sim/host/memory/allocations.h"
#include "sim/host/program/program.h"

namespace heddle::host {

class AddressSpace {
 public:
  AddressSpace(const Program& p, const Params& n, Allocations& memory);

  // The program has more buffers than before.
  void grow();

  // What the call costs the host thread, and what each does.
  Ps cost(const Call& c) const;
  std::optional<Refusal> create(uint32_t physical);
  std::optional<Refusal> release(uint32_t physical);
  std::optional<Refusal> reserve(uint32_t buffer);
  std::optional<Refusal> free(const Call& c);
  std::optional<Refusal> map(const Call& c);
  std::optional<Refusal> unmap(const Call& c);
  std::optional<Refusal> set_access(const Call& c);

  // A part of a reserved range, and the memory behind it.
  struct Piece {
    uint32_t physical = kNone;
    uint64_t offset = 0, bytes = 0;  // in the physical memory
    uint32_t device = 0;             // whose memory it is
    Protection access = Protection::kNone;
  };
  // What backs a range of a reserved buffer, in the order of its addresses, as `device` reaches it (kNone:
  // does not matter); nothing where any byte of it is not mapped. `bytes` 0: to the buffer's end.
  std::optional<std::vector<Piece>> pieces(uint32_t buffer, uint32_t device, uint64_t offset,
                                           uint64_t bytes) const;
  // All of the range is mapped, and the device may read it or write it, too.
  bool reaches(uint32_t device, uint32_t buffer, uint64_t offset, uint64_t bytes, bool write) const;

 private:
  struct Physical {
    bool held = false;      // cuMemCreate, not yet cuMemRelease
    uint32_t mappings = 0;  // keep the memory, too
  };
  struct Mapping {
    uint64_t bytes = 0;
    uint32_t physical = kNone;
    std::vector<Protection> access;  // of each device
  };
  using Mappings = std::map<uint64_t, Mapping>;  // by offset in the range
  bool reserved(uint32_t buffer) const;
  void give_back(uint32_t physical);
  uint64_t length(const Call& c) const;  // of a call's range
  // Whether mappings begin and end at the range's ends. `holes`: between them, too.
  bool whole(const Mappings& m, uint64_t offset, uint64_t bytes, bool holes) const;

  const Program& program_;
  const Params& params_;
  Allocations& memory_;
  std::vector<Physical> physical_;
  std::vector<Mappings> mappings_;  // of each buffer
};

}  // namespace heddle::host
