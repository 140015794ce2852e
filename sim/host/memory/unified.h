// Unified memory: where each page of managed (and, with HMM, of pageable) memory is, and what an access or a
// prefetch has to do before it can go on: faults, moves, evictions, accesses over the link (UM01-UM16).
// It decides; Migration (migration.h) makes time pass.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/host/core/kernel_model.h"
#include "sim/host/core/params.h"
#include "sim/host/core/result.h"
#include "sim/host/memory/allocations.h"
#include "sim/host/program/program.h"

namespace heddle::host {

class Unified {
 public:
  Unified(const Program& p, const Params& n, Allocations& memory);

  // The program has more buffers than before. Throws as at the start.
  void grow();
  // Whether the program has any such memory: without, nothing of this is asked.
  bool active() const { return active_; }
  bool moves(uint32_t buffer) const { return regions_[buffer].on; }
  bool limited() const { return params_.um.support == spec::UnifiedMemory::LIMITED; }
  // Managed memory has its place from its allocation on: it cannot leave the device's memory.
  bool at_once() const { return limited() || params_.integrated; }

  // One batch of work: the delay first, then the bytes that leave the device, then those that come.
  struct Step {
    Ps delay{};
    uint64_t to_host = 0, to_device = 0;
  };
  struct Plan {
    std::vector<Step> steps;
    uint64_t remote = 0;  // bytes that the kernel reads and writes over the link while it runs
    Ps populated{};       // the host's time for pages that nobody had, and to map what it touches first
  };
  // A kernel of a stream of the device is about to start (UM03-UM05). It is taken to touch its accesses'
  // pages in order, a batch of faults at a time.
  Plan kernel(uint32_t device, uint32_t stream, const std::vector<Access>& accesses, Ps now);
  // A kernel that runs has touched pages that were not in its reach. `first`: the driver was idle.
  struct Fault {
    uint32_t buffer = 0;
    size_t page = 0;
    bool writes = false;
  };
  Plan fault(uint32_t device, const std::vector<Fault>& faults, bool first, Ps now);
  Reach reach(uint32_t device, uint32_t buffer, size_t page) const;
  // The host's instructions find it there; for stores, too.
  bool host_has(uint32_t buffer, size_t page) const {
    return (regions_[buffer].pages[page].copies & kHost) != 0;
  }
  bool only_host_has(uint32_t buffer, size_t page) const {
    return regions_[buffer].pages[page].copies == kHost;
  }
  // The host accesses memory: one step of the device that has the pages.
  Plan host(uint32_t device, const Access& a, Ps now);
  // Pages whose place has changed since they were asked for last; none unless they are wanted.
  struct Moved {
    uint32_t buffer;
    size_t page;
  };
  void tell_moves() { tells_ = true; }
  std::vector<Moved> take_moves();
  // To a device, or to the host (kNone) (UM07).
  Plan prefetch(uint32_t buffer, uint64_t offset, uint64_t bytes, uint32_t to, Ps now);
  // The host's work for a prefetch's pages: the call goes on for so long while they move already.
  Ps prefetch_work(uint32_t buffer, uint64_t offset, uint64_t bytes, uint32_t to) const;

  // ---- allocation
  bool allocate(uint32_t buffer);  // false: no memory (limited support takes it at once, UM06)
  void release(uint32_t buffer);

  // ---- advice (UM08), attachment (UM15), what a query says (UM16)
  void advise(uint32_t buffer, Advice what, uint32_t device);
  void attach(uint32_t buffer, Attach to, uint32_t stream);
  Attach attached(uint32_t buffer) const { return regions_[buffer].attach; }
  uint32_t attached_stream(uint32_t buffer) const { return regions_[buffer].stream; }
  std::string attributes(uint32_t buffer) const;
  // The device that has a buffer's first page, kNone: the host, or none yet.
  uint32_t home(uint32_t buffer) const;

  void count(Result& result) const;

 private:
  static constexpr uint64_t kHost = uint64_t{1} << 63;
  struct Page {
    uint64_t copies = 0;  // a bit for each device, kHost
    uint64_t mapped = 0;  // devices that reach it where it is, without a fault
    Ps moved{};
    uint16_t bounces = 0;
    uint16_t touched = 0;  // a bit for each sixteenth that the host has touched since it has the page
    bool evicted = false;
  };
  struct Region {
    bool on = false;
    bool read_mostly = false;
    bool prefers = false;
    uint32_t preferred = kNone;  // kNone: the host
    uint64_t accessed_by = 0;    // like Page::copies
    uint32_t prefetched = kNone;
    bool was_prefetched = false;
    Attach attach = Attach::kGlobal;
    uint32_t stream = 0;
    std::vector<Page> pages;
    std::vector<bool> populated;                // blocks that have memory of the host's
    std::vector<std::vector<uint64_t>> stamps;  // of each device and block; 0: not resident
  };
  struct Device {
    std::map<uint64_t, std::pair<uint32_t, uint32_t>> least_recent;  // buffer and block, by stamp
    uint64_t faults = 0, batches = 0, to_device = 0, to_host = 0, evicted = 0, refaults = 0, remote = 0,
             prefetched = 0, cpu_faults = 0, thrashing = 0, duplicated = 0;
  };
  struct Range {
    size_t begin, end;
  };
  Range pages(uint32_t buffer, uint64_t offset, uint64_t bytes) const;
  static uint64_t bit(uint32_t device) { return uint64_t{1} << device; }
  void touch(uint32_t device, uint32_t buffer, size_t page);
  bool make_room(uint32_t device, uint32_t buffer, size_t page, Step& step, Ps now);
  bool evict(uint32_t device, std::pair<uint32_t, uint32_t> keep, Step& step, Ps now);
  void drop(uint32_t device, uint32_t buffer, size_t page);
  void drop_others(uint32_t buffer, size_t page, uint64_t keep);
  void moved(Device& d, Page& p, Ps now);
  bool bring(uint32_t device, uint32_t buffer, size_t page, bool duplicate, Step& step, Ps now);
  bool stays(const Region& r, uint32_t buffer, size_t page, uint32_t device, bool& faults);
  enum class Found : uint8_t { kHere, kRemote, kFaultsInPlace, kFaultsRemote, kFaults };
  Found find(uint32_t device, const Fault& f);
  struct Batched : Fault {
    bool moves = false;
  };
  void serve(uint32_t device, std::vector<Batched>& batch, bool first, Plan& plan, Ps now);
  Range block_of(const Region& r, size_t page) const;
  // With page `page` of its block come these; `there`: what is, by page of the block.
  Range along(Range block, size_t page, const std::vector<bool>& there) const;
  void host_touches(const Access& a, size_t page, Plan& plan);
  void host_faults(uint32_t device, const Access& a, size_t page, Step& step, Ps now);
  void told(uint32_t buffer, size_t page) {
    if (tells_) {
      moves_.push_back({buffer, page});
    }
  }
  void bulk(uint32_t device, uint32_t stream, Plan& plan, Ps now);

  const Program& program_;
  const Params& params_;
  Allocations& memory_;
  bool active_ = false, tells_ = false;
  std::vector<Moved> moves_;
  uint64_t pages_ = 0;  // of all buffers
  uint64_t stamp_ = 0;
  uint32_t pages_per_block_;
  std::vector<Region> regions_;  // of each buffer
  std::vector<Device> devices_;
};

}  // namespace heddle::host
