#include "sim/memory/dram.h"

#include <algorithm>

namespace heddle::memory {
namespace {

constexpr uint64_t kRefreshedTogether = 4096;  // bytes

Ticks dram_ticks(const spec::GpuConfig& g, double cycles) {
  return domain_ticks(cycles, g.clocks().dram_mhz(), g.clocks().core_mhz());
}

}  // namespace

Dram::Dram(const spec::GpuConfig& g, stats::CounterSet& counters, uint32_t channels)
    : detailed_(g.dram().model() == spec::Dram::BANKS),
      channels_(channels),
      banks_(g.dram().banks()),
      row_bytes_(g.dram().row_bytes()),
      access_bytes_(g.dram().access_bytes()),
      full_batch_(g.dram().write_batch()),
      full_collect_(std::max(full_batch_, g.dram().collected_writes())),
      write_batch_(full_batch_),
      collect_(full_collect_),
      latency_(to_ticks(g.dram().latency())),
      burst_(dram_ticks(g, g.dram().access_bytes() / (g.dram().bytes_per_cycle() * g.dram().efficiency()))),
      t_rcd_(dram_ticks(g, g.dram().t_rcd())),
      t_rp_(dram_ticks(g, g.dram().t_rp())),
      t_cl_(dram_ticks(g, g.dram().t_cl())),
      t_ras_(dram_ticks(g, g.dram().t_ras())),
      t_ccd_(dram_ticks(g, g.dram().t_ccd())),
      t_rrd_(dram_ticks(g, g.dram().t_rrd())),
      turnaround_(dram_ticks(g, g.dram().t_wr_turnaround())),
      t_rfc_(dram_ticks(g, g.dram().t_rfc())),
      t_refi_(dram_ticks(g, g.dram().t_refi())),
      channel_(channels_),
      counters_(counters) {
  for (Channel& c : channel_) {
    c.banks.resize(banks_);
  }
}

void Dram::reset(Ticks origin) {
  begin_ = origin;
  for (Channel& c : channel_) {
    c.bus.reset(origin);
    c.activations.reset(origin);
    c.writes = c.written_rows = c.batch = 0;
    c.read = false;
    c.taken = {};
    std::fill(c.banks.begin(), c.banks.end(), Bank{});
  }
}

// How long a read that comes at `at` waits. Lines that lie together wait together: those of 4 KB, in whatever
// channels they are (tools/microbench/FINDINGS.md 28); nobody else does. Counted from where the blocks of a
// launch begin, so that nothing depends on how long that takes; what a launch fetches before does not wait.
Ticks Dram::refresh(uint64_t addr, Ticks at) const {
  if (t_rfc_ == Ticks() || at < begin_) {
    return {};
  }
  const uint64_t turn = AddressMap::mix(addr / kRefreshedTogether) % t_refi_.count();
  const Ticks into(((at - begin_).count() + turn) % t_refi_.count());
  return into < t_rfc_ ? t_rfc_ - into : Ticks();
}

void Dram::count_row(Channel& c, uint64_t row) {
  Bank& b = bank(c, row);
  if (b.written != row || b.written_batch != c.batch) {
    b.written = row;
    b.written_batch = c.batch;
    ++c.written_rows;
  }
}

Ticks Dram::access(uint32_t channel, uint64_t addr, uint32_t bytes, bool write, Ticks at) {
  Channel& c = channel_[channel];
  counters_[write ? stats::Counter::kDramWriteBytes : stats::Counter::kDramReadBytes] += bytes;
  uint32_t transfers = (bytes + access_bytes_ - 1) / access_bytes_;
  Ticks service = burst_ * transfers;
  const uint64_t row_number = addr / row_bytes_;
  if (write) {
    // Sorted by bank and row before they go, so only the bus counts, and how many rows there are.
    c.writes += transfers;
    if (t_rrd_ != Ticks()) {
      count_row(c, row_number);
    }
    if (c.writes >= collect_) {
      // A batch opens rows of its own; the bus turns round for each if it has read since the last ones.
      const uint32_t batches = collect_ / write_batch_;
      const Ticks overhead = detailed_ ? (t_rcd_ + (c.read ? 2 * turnaround_ : Ticks())) * batches : Ticks();
      const Ticks service = burst_ * c.writes + overhead, opening = t_rrd_ * c.written_rows;
      Ticks end = c.bus.reserve(at, service);
      if (opening != Ticks()) {
        end = std::max(end, c.activations.reserve(at, opening));
      }
      c.taken = std::max(at, end - std::min(end, 2 * std::max(service, opening)));
      c.writes = c.written_rows = 0;
      ++c.batch;
      c.read = false;
    }
    return std::max(at, c.taken);
  }
  c.read = true;
  if (!detailed_) {
    return c.bus.reserve(at, service) + t_rcd_ + t_cl_ + latency_;
  }
  Bank& b = bank(c, row_number);
  Ticks column = std::max(at, b.ready);
  if (b.row == row_number) {
    ++counters_[stats::Counter::kDramRowHits];
  } else {
    ++counters_[stats::Counter::kDramRowMisses];
    Ticks precharge = b.row == ~uint64_t{0} ? column : std::max(column, b.activated + t_ras_) + t_rp_;
    if (t_rrd_ != Ticks()) {
      precharge = std::max(precharge, c.activations.reserve(at, t_rrd_) - t_rrd_);
    }
    b.row = row_number;
    b.activated = precharge;
    column = precharge + t_rcd_;
  }
  b.ready = column + t_ccd_ * transfers;
  // The controller reorders: while one bank opens a row, the bus serves others. So the bus is booked from the
  // arrival, not from the moment this bank is ready.
  Ticks bus = c.bus.reserve(at, service);
  const Ticks last = column + t_ccd_ * (transfers - 1);
  return std::max(bus, last + t_cl_ + burst_) + refresh(addr, at) + latency_;
}

}  // namespace heddle::memory
