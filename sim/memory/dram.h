// DRAM channels. Each access moves `access_bytes`; a channel has banks with one open row each, a data bus,
// and a limit to how many rows it activates (FINDINGS.md 63).
#pragma once

#include <cstdint>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/bandwidth.h"
#include "sim/engine/time.h"
#include "sim/memory/address_map.h"
#include "sim/stats/counters.h"

namespace heddle::memory {

class Dram {
 public:
  Dram(const spec::GpuConfig& gpu, stats::CounterSet& counters)
      : Dram(gpu, counters, gpu.dram().channels()) {}
  // The device's channels, or some of them, numbered from 0.
  Dram(const spec::GpuConfig& gpu, stats::CounterSet& counters, uint32_t channels);

  // Idle; time counts from `origin`.
  void reset(Ticks origin = {});

  // Reads or writes `bytes` (whole sectors; they take whole accesses) at byte address `addr` in `channel`.
  // The request reaches the controller at `at`; returns when the last byte has left (read) or been taken
  // (write). Writes are collected (FINDINGS 61), and what has been collected takes the bus at once, batch
  // after batch; there is room for what is collected, for as much that waits and as much that goes.
  Ticks access(uint32_t channel, uint64_t addr, uint32_t bytes, bool write, Ticks at);

  // Transfers of a batch of writes from now on, each of which goes when it is complete; 0: as configured.
  void set_write_batch(uint32_t transfers) {
    write_batch_ = transfers == 0 ? full_batch_ : transfers;
    collect_ = transfers == 0 ? full_collect_ : transfers;
  }

  // Of a read while nobody else is there, in a closed row.
  Ticks unloaded() const { return latency_ + t_rcd_ + t_cl_; }
  uint32_t channels() const { return channels_; }
  uint32_t access_bytes() const { return access_bytes_; }

  // How writes are collected follows from the policy of the L2.
  template <class Archive>
  void serialize(Archive& ar) {
    ar(begin_);
    ar.elements(channel_);
  }

 private:
  struct Bank {
    uint64_t row = ~uint64_t{0};
    uint64_t written = ~uint64_t{0};  // row of the newest write, and the batch it is of
    uint32_t written_batch = 0;
    Ticks ready{};      // when the open row takes the next column command
    Ticks activated{};  // for tRAS

    template <class Archive>
    void serialize(Archive& ar) {
      ar(row, written, written_batch, ready, activated);
    }
  };
  struct Channel {
    Bandwidth bus, activations;
    uint32_t writes = 0;        // transfers collected
    uint32_t written_rows = 0;  // of these
    uint32_t batch = 0;         // how many have gone
    bool read = false;          // since the last batch of writes
    Ticks taken{};              // when there was room for the last batch behind one that goes
    std::vector<Bank> banks;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(bus, activations, writes, written_rows, batch, read, taken);
      ar.elements(banks);
    }
  };

  Bank& bank(Channel& c, uint64_t row) const { return c.banks[AddressMap::mix(row) % banks_]; }
  // A write to `row` has been collected.
  void count_row(Channel& c, uint64_t row);
  Ticks refresh(uint64_t addr, Ticks at) const;

  const bool detailed_;
  const uint32_t channels_, banks_, row_bytes_, access_bytes_, full_batch_, full_collect_;
  uint32_t write_batch_, collect_;
  const Ticks latency_, burst_, t_rcd_, t_rp_, t_cl_, t_ras_, t_ccd_, t_rrd_, turnaround_, t_rfc_, t_refi_;
  Ticks begin_{};  // refreshes count from here
  std::vector<Channel> channel_;
  stats::CounterSet& counters_;
};

}  // namespace heddle::memory
