#include "sim/sampling/share.h"

#include <algorithm>
#include <cmath>

namespace heddle::sampling {
namespace {

using stats::Counter;

// Of the cycles. A value of experience: nine in ten of the differences between share and whole machine are
// less (traces/h200/SAMPLING.md).
constexpr double kShareError = 0.09;

uint32_t at_least_one(double x) { return static_cast<uint32_t>(std::max(1.0, std::round(x))); }

void scale(spec::L2& l2, double part) {
  const uint64_t one_set = uint64_t{l2.slices()} * l2.ways() * l2.line_bytes();
  const uint64_t sets = l2.total_bytes() / one_set;
  l2.set_total_bytes(one_set * at_least_one(static_cast<double>(sets) * part));
  l2.set_fabric_bytes(l2.fabric_bytes() * part);
  l2.set_slice_bytes_per_cycle(l2.slice_bytes_per_cycle() * part);
  l2.set_slice_write_bytes_per_cycle(l2.slice_write_bytes_per_cycle() * part);
  l2.set_slice_requests_per_cycle(l2.slice_requests_per_cycle() * part);
  l2.set_atomic_interval(l2.atomic_interval() / part);
  l2.set_max_persisting_bytes(static_cast<uint64_t>(static_cast<double>(l2.max_persisting_bytes()) * part));
  auto scaled = [&](uint64_t bytes) { return static_cast<uint64_t>(static_cast<double>(bytes) * part); };
  // 0: no limit, not the smallest one.
  auto limit = [&](uint64_t bytes) { return bytes == 0 ? 0 : std::max<uint64_t>(1, scaled(bytes)); };
  l2.set_max_dirty_bytes(limit(l2.max_dirty_bytes()));
  l2.set_max_partial_bytes(limit(l2.max_partial_bytes()));
  l2.set_dirty_full_aside_bytes(scaled(l2.dirty_full_aside_bytes()));
  l2.set_dirty_none_aside_bytes(scaled(l2.dirty_none_aside_bytes()));
  l2.set_scarce_dirty_bytes(scaled(l2.scarce_dirty_bytes()));
}

// As many channels as divide the slices evenly, each a little faster or slower for the difference.
void scale(spec::Dram& d, uint32_t slices, double part) {
  const double wanted = d.channels() * part;
  uint32_t channels = 1;
  for (uint32_t n = 1; n <= d.channels(); ++n) {
    if (slices % n == 0 && std::abs(n - wanted) < std::abs(channels - wanted)) {
      channels = n;
    }
  }
  d.set_bytes_per_cycle(d.bytes_per_cycle() * wanted / channels);
  d.set_t_rrd(d.t_rrd() * channels / wanted);
  d.set_channels(channels);
}

}  // namespace

std::optional<spec::GpuConfig> share_of(const spec::GpuConfig& gpu, uint32_t sms) {
  const spec::Topology& whole = gpu.topology();
  if (sms >= whole.sms()) {
    return std::nullopt;
  }
  const double tpcs = static_cast<double>(whole.sms()) / whole.sms_per_tpc();
  const double gpc = tpcs / whole.tpcs_per_gpc_size();  // TPCs of a mean one
  const uint32_t wanted = sms / whole.sms_per_tpc();
  uint32_t gpcs = gpu.l2().partitions();
  while (wanted > gpcs * std::floor(gpc) && gpcs < static_cast<uint32_t>(whole.tpcs_per_gpc_size())) {
    gpcs += gpu.l2().partitions();
  }
  const uint32_t each = std::max(1u, wanted / gpcs);
  if (gpcs * each >= tpcs) {
    return std::nullopt;
  }
  spec::GpuConfig c = gpu;
  spec::Topology& t = *c.mutable_topology();
  t.clear_tpcs_per_gpc();
  t.clear_singleton_tpcs();
  for (uint32_t i = 0; i < gpcs; ++i) {
    t.add_tpcs_per_gpc(each);
  }
  t.set_sms(gpcs * each * t.sms_per_tpc());
  const double part = static_cast<double>(t.sms()) / whole.sms();
  spec::Noc& n = *c.mutable_noc();
  n.set_gpc_request_bytes(n.gpc_request_bytes() * each / gpc);
  n.set_gpc_response_bytes(n.gpc_response_bytes() * each / gpc);
  scale(*c.mutable_l2(), part);
  scale(*c.mutable_dram(), c.l2().slices(), part);
  spec::Launch& l = *c.mutable_launch();
  l.set_block_interval(l.block_interval() / part);
  l.set_retire_interval(l.retire_interval() / part);
  l.set_flush_half_bytes(
      std::max<uint64_t>(1, std::llround(static_cast<double>(l.flush_half_bytes()) * part)));
  l.set_dirty_bytes(static_cast<uint64_t>(static_cast<double>(l.dirty_bytes()) * part));
  return c;
}

BlockShare::BlockShare(isa::BlockSource& inner, uint64_t kept, uint32_t sms_per_tpc)
    : inner_(inner),
      image_(inner.image()),
      blocks_per_cluster_(std::max<uint64_t>(1, image_.shape.cluster.count())),
      kept_(kept),
      together_(blocks_per_cluster_ == 1 ? sms_per_tpc : 1),
      units_(std::max<uint64_t>(1, image_.shape.grid.count() / blocks_per_cluster_ / together_)),
      units_kept_((kept + together_ - 1) / together_) {
  image_.shape.grid = {static_cast<uint32_t>(kept * blocks_per_cluster_), 1, 1};
}

bool BlockShare::keeps(uint64_t cluster) const {
  const uint64_t unit = cluster / together_;
  const uint64_t before = unit * units_kept_ / units_;
  if (unit >= units_ || (unit + 1) * units_kept_ / units_ == before) {
    return false;
  }
  return before * together_ + cluster % together_ < kept_;  // the last one may be kept in part
}

bool BlockShare::next(isa::BlockTrace& out) {
  while (true) {
    const bool kept = keeps(position_ / blocks_per_cluster_);
    if (!(kept ? inner_.next(out) : inner_.next_runs(out))) {
      return false;
    }
    ++position_;
    const isa::BlockWork work = isa::work_of(out);
    all_ += work;
    if (kept) {
      own_ += work;
      return true;
    }
  }
}

void BlockShare::complete(stats::KernelResult& r, const spec::GpuConfig& gpu) const {
  const double grown = static_cast<double>(all_.instructions) / static_cast<double>(own_.instructions);
  for (uint64_t& n : r.totals.count) {
    n = stats::scaled(n, grown);
  }
  for (uint64_t& n : r.totals.stall) {
    n = stats::scaled(n, grown);
  }
  for (auto& [opcode, n] : r.unknown_opcodes) {
    n = stats::scaled(n, grown);
  }
  r.totals[Counter::kInstExecuted] = all_.instructions;
  r.totals[Counter::kThreadInstPredOn] = all_.thread_pred_on;
  r.totals[Counter::kBlocksLaunched] = inner_.image().shape.grid.count();
  const uint32_t sms = gpu.topology().sms();
  r.sm_active_cycles_sum = stats::scaled(r.sm_active_cycles_sum, static_cast<double>(sms) / r.sms);
  r.shape = inner_.image().shape;

  stats::Sampling& s = r.sampling;
  const bool waves_too = s.requested && s.sampled();
  s.requested = true;
  s.detailed_sms = r.sms;
  s.total_sms = sms;
  s.detailed_blocks = waves_too ? s.detailed_blocks : image_.shape.grid.count();
  s.total_blocks = inner_.image().shape.grid.count();
  s.reason.clear();
  const auto bound = static_cast<uint64_t>(std::ceil(kShareError * static_cast<double>(r.cycles)));
  s.cycles_low = (waves_too ? s.cycles_low : r.cycles) - bound;
  s.cycles_high = (waves_too ? s.cycles_high : r.cycles) + bound;
  r.sms = sms;
}

}  // namespace heddle::sampling
