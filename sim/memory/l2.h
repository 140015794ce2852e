// The L2: hashed, sectored slices in partitions. An SM's requests go to the slice of its own partition; lines
// whose home is the other partition are fetched over the fabric and kept as replicas, so a second access is
// near. Writes and atomics are performed at the home slice. (Read off hw/h200/suite.csv:
// lts__t_sectors_srcunit_ltcfabric is half of the L1's misses and of its writes, and re-reads of far lines
// hit.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/bandwidth.h"
#include "sim/engine/time.h"
#include "sim/memory/access_policy.h"
#include "sim/memory/address_map.h"
#include "sim/memory/dram.h"
#include "sim/memory/fabric.h"
#include "sim/memory/l2_flags.h"
#include "sim/memory/message.h"
#include "sim/memory/tag_array.h"
#include "sim/stats/counters.h"

namespace heddle::memory {

// Some slices of each partition, the same ones: a request meets its near slice and its home slice, which have
// the same number, and the DRAM channels behind them. So a part of the L2 shares nothing with the others.
struct SliceRange {
  uint32_t first = 0, count = 0;  // of a partition's slices
};
// The smallest parts, each with DRAM channels of its own; their order is that of the slices.
std::vector<SliceRange> slice_ranges(const spec::GpuConfig& gpu);

class L2 {
 public:
  // The whole L2, or those slices.
  L2(const spec::GpuConfig& gpu, const Fabric& fabric, stats::CounterSet& counters);
  L2(const spec::GpuConfig& gpu, const Fabric& fabric, stats::CounterSet& counters, const SliceRange& slices);

  // Cold and idle; time counts from `origin`.
  void reset(Ticks origin = {});
  // Between two launches: the lines stay, with what is dirty and what persists. Goes through the slices that
  // have been used since, and says how many these are.
  uint32_t next_launch(Ticks origin = {});
  // For the launches from now on; lines that persist go on doing so.
  void set_policy(const L2Policy& policy);
  // cudaCtxResetPersistingL2Cache: all lines are normal again.
  void reset_persisting();
  // Lines that persist, replicas not counted.
  uint64_t persisting_lines();

  // When data or acknowledgement leaves the slice that was asked: not before `done`, nor before the end of a
  // transfer; `done` alone is what it would be if nobody else crossed the fabric.
  struct Served {
    Ticks done{};
    uint32_t transfer = 0;  // 1 + its number; 0: none
  };
  // Serves a request that left its SM at r.time and reaches the slice of `partition` (the requester's) at
  // `at`.
  Served serve(const Request& r, const Home& home, uint32_t partition, Ticks at);
  // From the slice of `partition` to the home.
  Ticks way(const Home& home, uint32_t partition) const {
    return partition == home.partition ? Ticks() : Ticks(hit_latency_.count() / 2);
  }
  // What has been sent across since the last settle(), for Fabric::book.
  std::vector<Transfer>& transfers() { return transfers_; }
  Ticks end(const Served& s) const { return std::max(s.done, end_of(transfers_, s.transfer)); }
  // They have been booked: lines that they fill get their time.
  void settle();
  // Nobody asks for their ends any more.
  void forget_transfers() { transfers_.clear(); }
  // Makes `line` valid at its home without counting anything: it was there before the kernel.
  void install(uint64_t line);

  // A hint that serve() will look at these soon.
  void prefetch(const Home& home, uint32_t partition) const {
    slices_[partition * range_.count + home.slice - range_.first].tags.prefetch(home.set);
    if (partition != home.partition) {
      slices_[home.partition * range_.count + home.slice - range_.first].tags.prefetch(home.set);
    }
  }

  // A second one, when less time is left.
  void prefetch_entry(const Home& home, uint32_t partition, uint64_t line) const {
    slices_[partition * range_.count + home.slice - range_.first].tags.prefetch_entry(home.set, line);
    if (partition != home.partition) {
      slices_[home.partition * range_.count + home.slice - range_.first].tags.prefetch_entry(home.set, line);
    }
  }

  // Between two exchanges: nothing is on its way. What follows from the policy is not state.
  template <class Archive>
  void serialize(Archive& ar) {
    ar(dram_);
    ar.elements(slices_);
  }

  // Which partition's GPCs: the first half of the GPCs belongs to partition 0, and so on.
  uint32_t partitions() const { return map_.partitions(); }
  const AddressMap& map() const { return map_; }

 private:
  struct Slice {
    Bandwidth port;
    Bandwidth fills;
    Bandwidth atomics;
    TagArray tags;
    uint32_t persisting = 0;  // lines in the set-aside
    uint32_t dirty = 0;       // lines, those of before the kernel included
    uint32_t old_dirty = 0;   // of before the kernel
    uint32_t partial = 0;     // lines with sectors that are known in part
    uint32_t settled = ~0u;   // the tags' clock when next_launch() had last gone through the lines

    template <class Archive>
    void serialize(Archive& ar) {
      settled = ~0u;
      ar(port, fills, atomics, tags, persisting, dirty, old_dirty, partial);
    }
  };

  Slice& slice(uint32_t partition, uint32_t index) {
    return slices_[partition * range_.count + index - range_.first];
  }
  struct LookUp {
    uint8_t missing = 0;  // sectors asked for that are not there
    uint8_t fetch = 0;    // these and their neighbours
  };
  LookUp look_up(const Request& r, const CacheLine* l);
  Served read(const Request& r, const Home& home, uint32_t partition, Ticks at);
  Ticks read_for_fabric(const Request& r, const Home& home, uint8_t sectors, Ticks at);
  Ticks fill_home(CacheLine& l, const Home& home, uint8_t fetch, Ticks at);
  Served write(const Request& r, const Home& home, uint32_t partition, Ticks at);
  Served atomic(const Request& r, const Home& home, uint32_t partition, Ticks at);
  // A line for `r` in the slice of `partition`. Persisting lines are evicted last, and there are at most so
  // many.
  // `evicted`: when DRAM has taken what had to go.
  CacheLine& allocate(const Home& home, uint32_t partition, const Request& r, Ticks at,
                      Ticks* evicted = nullptr);
  // The same under an L2Policy.
  CacheLine& victim_under_policy(Slice& s, const Home& home, AccessProperty property);
  AccessProperty property(const Request& r) const {
    return r.persisting ? AccessProperty::kPersisting : policy_.window.of(r.line);
  }
  // An access to a line that is there, which its window gives a property.
  void touch(CacheLine& l, const Home& home, uint32_t partition, const Request& r);
  uint32_t set_aside_ways(uint32_t set) const;
  // Sectors of `l` have been written; writes back the oldest dirty lines when there are too many.
  // Returns when DRAM has taken what that sends away.
  Ticks set_dirty(CacheLine& l, uint8_t sectors, const Home& home, Ticks at);
  Ticks write_back(CacheLine& l, const Home& home, Ticks at);
  // The oldest line of the set that is `wanted`, other than `but`, if there is one: it stays, clean.
  template <class Wanted>
  Ticks write_back_oldest(const CacheLine& but, Wanted&& wanted, const Home& home, Ticks at);
  // Which of the sectors that `r` writes into a line at home are known in whole by then.
  uint8_t known(CacheLine& l, const Request& r) const;
  // Puts what `r` writes into a line at home; returns when DRAM has taken what that sends away.
  Ticks put(CacheLine& l, const Request& r, const Home& home, Ticks at);
  // `sectors` that come from DRAM or are written go into the home slice's data array, one after the other
  // (FINDINGS.md 38). Returns when their turn is.
  Ticks fill(const Home& home, double sectors, Ticks at) {
    const Ticks service = Ticks::truncated(sectors * fill_service_);
    return slice(home.partition, home.slice).fills.reserve(at, service) - service;
  }
  // How long a request of `sectors` has a slice's port.
  Ticks look_up_service(uint32_t sectors) const {
    return std::max(tag_service_, Ticks::truncated(sectors * sector_service_));
  }
  // One of the dirty lines of before the kernel leaves.
  Ticks evict_old(Slice& s, const Home& home, Ticks at);
  void invalidate_replica(const Home& home, uint64_t line, uint8_t sectors, uint32_t except);
  // Sectors that DRAM moves together when one of `sectors` is fetched.
  uint8_t fetch_group(uint8_t sectors) const;
  uint32_t channel(const Home& home) const {
    return channel_[home.partition * range_.count + home.slice - range_.first];
  }
  // Sends data across; returns the transfer's number + 1. It ends at `at` + crossing() if nobody else is
  // there.
  uint32_t cross(const Request& r, uint32_t from, uint32_t to, uint32_t bytes, Ticks at, Ticks latency);
  Ticks crossing(uint32_t bytes) const { return fabric_.service(bytes) + far_latency_; }

  AddressMap map_;
  const SliceRange range_;
  const std::vector<uint32_t> channel_;  // of each of slices_, in dram_
  L2Policy policy_;
  stats::CounterSet& counters_;
  const Fabric& fabric_;
  Dram dram_;
  const Ticks tag_service_, hit_latency_, far_latency_, atomic_interval_, atomic_latency_;
  const double sector_service_, fill_service_, header_sectors_;
  const bool keeps_persisting_;
  const uint64_t total_bytes_;
  const uint32_t max_persisting_lines_, max_partial_lines_, full_dirty_lines_, old_dirty_lines_;  // per slice
  uint32_t max_dirty_lines_;  // per slice: full_dirty_lines_, or what a set-aside leaves of them
  const spec::L2 config_;
  std::vector<Slice> slices_;
  std::vector<Transfer> transfers_;
  struct Filling {
    CacheLine* line;
    uint32_t transfer;
  };
  // CacheLine::aux of a line at home: the words that have been written of sectors that are not known in
  // whole. Of a replica: the transfer that fills it.
  static uint32_t transfer_of(const CacheLine& l) { return l.flags & kReplica ? l.aux : 0; }
  std::vector<Filling> filling_;  // replicas whose data is on its way
};

}  // namespace heddle::memory
