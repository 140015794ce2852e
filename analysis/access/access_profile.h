// The memory accesses of a kernel by static instruction, from its trace alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/access/access_cost.h"
#include "analysis/access/memory_walk.h"
#include "analysis/access/pattern_counts.h"
#include "frontends/trace/packed.h"
#include "sim/isa/recording.h"

namespace heddle::analysis {

// One warp's access.
struct AccessPattern {
  AccessCost cost;
  uint32_t mask = 0;
  std::array<uint64_t, 32> address{};  // of the side; for the lanes of `mask`
  std::array<uint64_t, 32> from{};     // copies: where the data come from, when `address` is where they go
  uint64_t block = 0;                  // in launch order
  uint32_t warp = 0;
};

struct InstrAccesses {
  uint32_t index = 0;  // in KernelImage::code
  AccessKind kind = AccessKind::kNone;
  uint64_t requests = 0;
  uint64_t total = 0;  // wavefronts, or sectors
  uint64_t ideal = 0;
  uint64_t lowest = ~uint64_t{0};  // address
  uint64_t highest = 0;            // behind the last byte
  AccessPattern worst;             // the first with the most beyond its ideal
  uint64_t as_bad = 0;             // accesses that cost as much beyond their ideal

  uint64_t excess() const { return total - ideal; }
};

// Adds up blocks as they come. Costs of shapes seen before are remembered: a cost does not change when all
// addresses move by whole lines, in shared memory by whole words.
class AccessProfile {
 public:
  // `image` must outlive the object.
  AccessProfile(const isa::KernelImage& image, AccessSide side);

  void add(const isa::BlockTrace& block);
  // Faster: shapes are told apart by their numbers. Blocks of one reader.
  void add(const trace::PackedBlock& block);
  // The same, and counts the patterns, until settle().
  template <typename Block>
  void add(const Block& block, PatternCounts& patterns) {
    patterns_ = &patterns;
    add(block);
  }
  // What was counted is in `patterns` then, which may be cleared.
  void settle(PatternCounts& patterns);
  // Passes over this instruction.
  void ignore(uint32_t number) { ways_[number] = Way::kIgnored; }

  // What another one of the same image counted, of blocks behind those of this.
  void append(AccessProfile& later);

  const std::vector<MemoryWalk::Code>& code() const { return walk_.code(); }
  uint64_t accesses();  // warp accesses that were counted
  // Of the instructions that made an access, those with the most beyond the ideal first, then by address.
  std::vector<InstrAccesses> by_excess();

 private:
  // What a shape costs, and how far it reaches to both sides of its first address.
  struct Shape {
    AccessCost cost;
    int32_t least = 0, most = 0;
  };
  // A cost by the content of the address list.
  struct Remembered {
    uint32_t counted = ~0u, mask = 0, phase = 0, deltas = 0;
    std::array<int32_t, 31> delta{};
    Shape result;
  };
  // Accesses of one cost, told by what says the same within one epoch.
  struct Key {
    uint64_t epoch = 0;              // chunk; number of the warp; 0: any
    uint32_t counted = 0, mask = 0;  // that is not 0, if the key is one
    uint32_t shape = 0, second = 0;  // by number, stride or place of the list; a copy's second one
    // Where these begin: within the period of the costs, or with patterns, everywhere.
    uint64_t base = 0, second_base = 0;
    uint64_t kinds = 0;  // of the references

    bool operator==(const Key& o) const {
      return ((epoch ^ o.epoch) | (counted ^ o.counted) | (mask ^ o.mask) | (shape ^ o.shape) |
              (second ^ o.second) | (base ^ o.base) | (second_base ^ o.second_base) | (kinds ^ o.kinds)) == 0;
    }
  };
  struct Recent {
    Key key;
    uint32_t pattern = 0;                   // where they are counted
    uint64_t times = 0;                     // not yet in counts_
    uint64_t low = ~uint64_t{0}, high = 0;  // the base addresses of these
    Shape result;
  };
  struct Place {
    uint64_t block = 0;  // in launch order
    uint32_t warp = 0;
  };

  enum class Way : uint8_t { kPlain, kCopy, kByAddress, kIgnored };
  struct Addresses {
    std::array<uint64_t, 32> first{}, second{};
  };
  static constexpr Shape kNotCounted = {{}, 0, -1};

  template <typename Ref>
  void access(const Place& at, uint32_t counted, const Ref* ref, uint32_t mask, const isa::WarpTrace* w);
  bool identify(const trace::Reference& r, uint32_t which, uint32_t& shape, Key& key) const;
  bool identify(const isa::MemRef& r, uint32_t which, uint32_t& shape, Key& key) const;
  std::optional<isa::MemSpace> space_of(const isa::Instr& in, const trace::Reference& r,
                                        const isa::WarpTrace* w) const;
  std::optional<isa::MemSpace> space_of(const isa::Instr& in, const isa::MemRef& r,
                                        const isa::WarpTrace* w) const;
  void first_seen(const Place& at, const trace::Reference* ref, const isa::WarpTrace* w, uint64_t base,
                  bool cheap, Recent& r);
  void first_seen(const Place& at, const isa::MemRef* ref, const isa::WarpTrace* w, uint64_t base, bool cheap,
                  Recent& r);
  Shape shape_of(const isa::Instr& in, AccessKind kind, const Addresses& p, uint32_t mask,
                 uint64_t base) const;
  bool known_list(const isa::WarpTrace& w, const Key& key, const isa::MemRef& r, Remembered*& slot);
  void settle(Recent& r);
  void settle_all();

  const isa::KernelImage& image_;
  const AccessSide side_;
  const MemoryWalk walk_;
  std::vector<InstrAccesses> counts_;
  std::vector<Way> ways_;              // parallel
  PatternCounts* patterns_ = nullptr;  // null: they are not counted
  std::vector<Remembered> remembered_;
  std::vector<Recent> recent_;
  const trace::ShapeTable* shapes_ = nullptr;  // of the packed block at hand
  isa::WarpTrace unpacked_;                    // one instruction's references
  uint64_t chunk_ = 0;
  uint64_t warps_ = 0;
  uint64_t accesses_ = 0;
};

}  // namespace heddle::analysis
