// Address lists of the trace text ("mode addresses...") to compact isa::MemRefs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/isa/recording.h"

namespace heddle::accelsim {

// Where an address list stopped making sense, and why.
struct ListError {
  const char* at = nullptr;
  const char* what = nullptr;
};

// Scans a list whose addresses belong to the set lanes of `mask` (non-zero):
//   0 a0 a1 ...        one address for each lane
//   1 base stride      one contiguous run of lanes
//   2 base d1 d2 ...   deltas between consecutive lanes, one fewer than lanes
// Writes one address for each set lane, lowest lane first, to addr[0..popcount-1]. `p` is at the mode;
// returns the position behind the list, or nullptr and fills `error`.
const char* scan_address_list(const char* p, uint32_t mask, uint64_t addr[32], ListError& error);

// Where the lists of deltas of one warp are: its references repeat a few patterns, each of which is kept
// once.
class DeltaLists {
 public:
  // Lists added before are of another warp.
  void begin_warp() { ++warp_; }
  // The last `n` > 0 of `deltas` are a new list. Returns where that list begins; when it was there before, it
  // is removed from the end again.
  uint32_t keep_once(std::vector<int32_t>& deltas, size_t n);

 private:
  static constexpr size_t kSlots = 256;
  struct Slot {
    uint64_t warp = 0;
    uint32_t list = 0, n = 0;
  };
  uint64_t warp_ = 1;
  std::array<Slot, kSlots> slots_{};
};

// The most compact reference to `n` >= 1 addresses: kStride, kDelta (list in w.deltas, found through `known`
// where given) or kFull (list appended to w.values).
isa::MemRef compact(const uint64_t* addr, int n, isa::WarpTrace& w, DeltaLists* known = nullptr);

// Of an instruction on barrier objects: n >= 1 addresses and `operands` data operands, none or as many.
isa::MemRef with_operands(const uint64_t* addr, int n, const uint64_t* operand, int operands,
                          isa::WarpTrace& w);
// STAS, REDAS: the recorded addresses have the barrier object's in their upper halves, which become its
// operands.
isa::MemRef split_async_store(const isa::MemRef& ref, uint32_t mask, isa::WarpTrace& w);

// Both steps; mode 1 does not go through a list. Nothing has been appended to `w` when it returns nullptr.
const char* scan_mem_ref(const char* p, uint32_t mask, isa::WarpTrace& w, isa::MemRef& ref, ListError& error,
                         DeltaLists* known = nullptr);

}  // namespace heddle::accelsim
