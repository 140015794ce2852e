#include "configs/fit/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/base/error.h"

namespace heddle::config {
namespace {

constexpr double kMiB = 1 << 20, kGiB = 1 << 30;
// Cycles of a load that no configuration value stands for: its issue and the writeback, and a sector's way
// out of DRAM (tests/configs/latency_test.cc).
constexpr uint32_t kLoadPath = 8, kDramPath = 3;
// A DRAM of the same kind may be so many times as fast as the base's.
constexpr double kOtherClock = 1.25;
constexpr uint32_t kFewestWays = 8, kMostWays = 64;

// The rest is of the capability: the SM and the limits.
bool of_chip(const std::string& path) {
  static const std::set<std::string> groups = {"topology", "clocks", "launch", "noc",
                                               "l2",       "dram",   "tlb",    "host"};
  return groups.contains(path.substr(0, path.find('.')));
}

class Fitter {
 public:
  Fitter(const Figures& figures, const LoadOptions& options) : f_(figures) {
    if (f_.name.empty()) {
      throw Error("--name: the configuration needs a name");
    }
    fit_.base = f_.base.empty() ? nearest(options) : f_.base;
    base_ = load(fit_.base, options);
    if (!f_.capability.empty() && base_.capability() != f_.capability) {
      throw Error(
          fmt::format("--base {}: is of {}, not of {}", fit_.base, base_.capability(), f_.capability));
    }
    fit_.config = base_;
    fit_.config.set_name(f_.name);
    fit_.config.set_product(f_.product.empty() ? f_.name : f_.product);
  }

  Fit run() {
    topology();
    clocks();
    dram();
    l2();
    latencies();
    provenance();
    if (const std::vector<std::string> problems = check(fit_.config); !problems.empty()) {
      throw Error(fmt::format("these figures make no possible GPU: {}", problems.front()));
    }
    return std::move(fit_);
  }

 private:
  std::string nearest(const LoadOptions& options) const {
    std::set<std::string> capabilities;
    std::string best;
    double least = 0;
    for (const std::string& name : gpu_names(options)) {
      const GpuConfig c = load(name, options);
      capabilities.insert(c.capability());
      const double away = std::abs(std::log(static_cast<double>(c.topology().sms()) / f_.sms.value_or(1)));
      if (c.capability() == f_.capability && (best.empty() || away < least)) {
        best = name;
        least = away;
      }
    }
    if (best.empty()) {
      throw Error(fmt::format("--capability {}: no GPU of it is shipped to start from; legal values: {}",
                              f_.capability, fmt::join(capabilities, ", ")));
    }
    return best;
  }

  void take(const std::string& path, const std::string& value, Provenance::Kind kind,
            const std::string& why) {
    set(fit_.config, path + "=" + value);
    fit_.values.push_back({path, value, kind, why});
  }
  void given(const std::string& path, const std::string& value) {
    take(path, value, Provenance::PUBLISHED, f_.source.empty() ? "given to heddle config fit" : f_.source);
  }
  void derived(const std::string& path, const std::string& value, const std::string& why) {
    take(path, value, Provenance::DERIVED, why);
  }
  void assumed(const std::string& path, const std::string& value, const std::string& why) {
    take(path, value, Provenance::ASSUMED, why);
  }
  void not_given(const std::string& option, const std::string& what) {
    fit_.notes.push_back(fmt::format("{} is not given: {} as {}", option, what, fit_.base));
  }
  static std::string number(double v) { return fmt::format("{:.6g}", v); }

  void topology() {
    const Topology& b = base_.topology();
    if (!f_.sms) {
      not_given("--sms", fmt::format("{} SMs", b.sms()));
      return;
    }
    const uint32_t per_tpc = b.sms_per_tpc(), tpcs = *f_.sms / per_tpc;
    if (*f_.sms == 0 || *f_.sms % per_tpc != 0) {
      throw Error(fmt::format("--sms {}: SMs of {} come in TPCs of {}; legal values: multiples of {}",
                              *f_.sms, base_.capability(), per_tpc, per_tpc));
    }
    given("topology.sms", std::to_string(*f_.sms));
    const auto base_gpcs = static_cast<uint32_t>(b.tpcs_per_gpc_size());
    const uint32_t largest = *std::max_element(b.tpcs_per_gpc().begin(), b.tpcs_per_gpc().end());
    const uint32_t gpcs =
        f_.gpcs.value_or(std::max((tpcs + largest - 1) / largest, std::min(tpcs, base_.l2().partitions())));
    if (gpcs == 0 || gpcs > tpcs) {
      throw Error(
          fmt::format("--gpcs {}: {} SMs are {} TPCs; legal values: 1 to {}", gpcs, *f_.sms, tpcs, tpcs));
    }
    std::vector<uint32_t> each(gpcs, tpcs / gpcs);
    for (uint32_t i = 0; i < tpcs % gpcs; ++i) {
      ++each[i];
    }
    const std::string list = fmt::format("[{}]", fmt::join(each, ","));
    if (f_.gpcs) {
      derived("topology.tpcs_per_gpc", list, "the TPCs spread evenly over the GPCs that were given");
    } else if (gpcs != base_gpcs || *f_.sms != b.sms()) {
      assumed("topology.tpcs_per_gpc", list,
              fmt::format("GPCs of at most {} TPCs, as {}", largest, fit_.base));
      fit_.notes.push_back(
          fmt::format("--gpcs is not given: {} GPCs of up to {} TPCs are assumed", gpcs, each[0]));
    }
    if (b.singleton_tpcs() > 0) {
      assumed("topology.singleton_tpcs", std::to_string(std::min(b.singleton_tpcs(), each[0])),
              "as " + fit_.base);
    }
  }

  void clocks() {
    if (!f_.core_mhz) {
      not_given("--core-mhz", fmt::format("{:g} MHz", base_.clocks().core_mhz()));
      return;
    }
    given("clocks.core_mhz", number(*f_.core_mhz));
    assumed("clocks.l2_mhz", number(base_.clocks().l2_mhz() * *f_.core_mhz / base_.clocks().core_mhz()),
            fmt::format("in proportion to the core's clock, as {}", fit_.base));
  }

  uint64_t l2_wanted() const {
    return f_.l2_mib ? static_cast<uint64_t>(std::llround(*f_.l2_mib * kMiB)) : base_.l2().total_bytes();
  }
  uint32_t slices_per_channel() const { return base_.l2().slices() / base_.dram().channels(); }
  bool whole_sets(uint32_t slices, uint32_t ways) const {
    return l2_wanted() > 0 && l2_wanted() % (uint64_t{slices} * ways * base_.l2().line_bytes()) == 0;
  }

  // About `ideal`: the nearest number of which the L2's slices have whole sets; failing that, the nearest.
  uint32_t channels_for(double ideal) const {
    const uint32_t step = base_.l2().partitions();
    uint32_t best = 0;
    double least = 0;
    const auto most = static_cast<uint32_t>(std::ceil(ideal * kOtherClock)) + step;
    for (uint32_t c = step; c <= most; c += step) {
      const double away = std::abs(std::log(c / ideal));
      const bool near =
          away <= std::log(kOtherClock) && whole_sets(c * slices_per_channel(), base_.l2().ways());
      const double score = away + (near ? 0 : 1);
      if (best == 0 || score < least) {
        best = c;
        least = score;
      }
    }
    return best;
  }

  // Channels of the base's width and about its speed; the clock is what makes the bandwidth exact.
  void dram() {
    const Dram& b = base_.dram();
    const double base_mhz = base_.clocks().dram_mhz();
    if (f_.memory_gib) {
      given("dram.total_bytes", fmt::format("{:.0f}", *f_.memory_gib * kGiB));
    } else {
      not_given("--memory-gib", fmt::format("{:.4g} GiB", static_cast<double>(b.total_bytes()) / kGiB));
    }
    if (!f_.dram_gb_per_s) {
      not_given("--dram-gb-per-s",
                fmt::format("{:.4g} GB/s", b.channels() * b.bytes_per_cycle() * base_mhz / 1e3));
      return;
    }
    const double per_mhz = b.bytes_per_cycle() / 1e3;  // GB/s of a channel
    const uint32_t channels = channels_for(*f_.dram_gb_per_s / (per_mhz * base_mhz));
    const double mhz = *f_.dram_gb_per_s / (per_mhz * channels);
    assumed("dram.channels", std::to_string(channels),
            fmt::format("as many of {}'s as make the bandwidth at about its clock", fit_.base));
    derived("clocks.dram_mhz", number(mhz),
            fmt::format("{:g} GB/s over {} channels of {:g} bytes per cycle", *f_.dram_gb_per_s, channels,
                        b.bytes_per_cycle()));
    const double faster = mhz / base_mhz;
    const std::pair<const char*, uint32_t> times[] = {{"t_rcd", b.t_rcd()},
                                                      {"t_rp", b.t_rp()},
                                                      {"t_cl", b.t_cl()},
                                                      {"t_ras", b.t_ras()},
                                                      {"t_wr_turnaround", b.t_wr_turnaround()},
                                                      {"t_rfc", b.t_rfc()},
                                                      {"t_refi", b.t_refi()}};
    for (const auto& [field, cycles] : times) {
      const auto scaled = std::max<long>(1, std::lround(cycles * faster));
      if (cycles > 0 && scaled != static_cast<long>(cycles)) {
        assumed(fmt::format("dram.{}", field), std::to_string(scaled),
                fmt::format("{}'s in nanoseconds", fit_.base));
      }
    }
    if (b.t_rrd() > 0 && faster != 1) {
      assumed("dram.t_rrd", number(b.t_rrd() * faster), fmt::format("{}'s in nanoseconds", fit_.base));
    }
    const uint32_t slices = slices_per_channel() * channels;
    if (slices != base_.l2().slices()) {
      const double more = static_cast<double>(slices) / base_.l2().slices();
      assumed("l2.slices", std::to_string(slices),
              fmt::format("{} for each DRAM channel, as {}", slices_per_channel(), fit_.base));
      assumed("l2.fabric_bytes", number(std::max(1.0, base_.l2().fabric_bytes() * more)),
              fmt::format("in proportion to the slices, as {}", fit_.base));
    }
  }

  void l2() {
    const L2& b = base_.l2();
    const uint32_t slices = fit_.config.l2().slices();
    const uint64_t wanted = l2_wanted();
    if (!f_.l2_mib) {
      not_given("--l2-mib", fmt::format("{:.4g} MiB", static_cast<double>(b.total_bytes()) / kMiB));
      if (slices == b.slices()) {
        return;
      }
    }
    // Ways near the base's that give whole sets; failing that, the size that does.
    uint32_t ways = b.ways();
    uint64_t bytes = wanted;
    const auto whole = [&](uint32_t w) { return whole_sets(slices, w); };
    if (!whole(ways)) {
      const auto better = [&](uint32_t a, uint32_t c) {
        return std::abs(std::log(static_cast<double>(a) / b.ways())) <
               std::abs(std::log(static_cast<double>(c) / b.ways()));
      };
      uint32_t found = 0;
      for (uint32_t w = kFewestWays; w <= kMostWays; ++w) {
        found = whole(w) && (found == 0 || better(w, found)) ? w : found;
      }
      if (found != 0) {
        ways = found;
        assumed("l2.ways", std::to_string(ways), "gives a whole number of sets");
      } else {
        const uint64_t one_set = uint64_t{slices} * ways * b.line_bytes();
        bytes = std::max<uint64_t>(1, (wanted + one_set / 2) / one_set) * one_set;
        fit_.notes.push_back(fmt::format(
            "--l2-mib {:g}: {} slices of {} ways have no whole number of sets; {} bytes are taken",
            static_cast<double>(wanted) / kMiB, slices, ways, bytes));
      }
    }
    if (bytes != b.total_bytes()) {
      if (bytes == wanted) {
        given("l2.total_bytes", std::to_string(bytes));
      } else {
        assumed("l2.total_bytes", std::to_string(bytes), "the nearest whole number of sets");
      }
    }
    const double more = static_cast<double>(bytes) / static_cast<double>(b.total_bytes());
    const auto scale = [&](const char* field, uint64_t value) {
      if (value > 0 && more != 1) {
        assumed(fmt::format("l2.{}", field),
                fmt::format("{:.0f}", std::floor(static_cast<double>(value) * more)),
                fmt::format("the same share of the L2 as {}", fit_.base));
      }
    };
    scale("max_persisting_bytes", b.max_persisting_bytes());
    scale("max_dirty_bytes", b.max_dirty_bytes());
    scale("max_partial_bytes", b.max_partial_bytes());
    scale("dirty_full_aside_bytes", b.dirty_full_aside_bytes());
    scale("dirty_none_aside_bytes", b.dirty_none_aside_bytes());
    scale("scarce_dirty_bytes", b.scarce_dirty_bytes());
  }

  void latencies() {
    const GpuConfig& c = fit_.config;
    const double look_up = c.l2().hit_latency() * c.clocks().core_mhz() / c.clocks().l2_mhz();
    const double fixed = kLoadPath + c.sm().l1().miss_latency() + look_up;
    double hit = fixed + c.noc().request_latency() + c.noc().response_latency();
    if (f_.l2_latency) {
      const auto each = std::lround((*f_.l2_latency - fixed) / 2);
      if (each < 1) {
        throw Error(fmt::format(
            "--l2-latency {}: less than what the L1's miss and the slice take; legal values: {:.0f} or more",
            *f_.l2_latency, std::ceil(fixed + 2)));
      }
      const std::string why = fmt::format("an L2 hit takes {} cycles; the split is assumed", *f_.l2_latency);
      derived("noc.request_latency", std::to_string(each), why);
      derived("noc.response_latency", std::to_string(each), why);
      hit = *f_.l2_latency;
    } else {
      not_given("--l2-latency", fmt::format("a hit takes about {:.0f} cycles,", hit));
    }
    const double rows =
        (c.dram().t_rcd() + c.dram().t_cl()) * c.clocks().core_mhz() / c.clocks().dram_mhz() + kDramPath;
    if (!f_.dram_latency) {
      not_given("--dram-latency",
                fmt::format("an access to DRAM takes about {:.0f} cycles,", hit + rows + c.dram().latency()));
      return;
    }
    const auto rest = std::lround(*f_.dram_latency - hit - rows);
    if (rest < 0) {
      throw Error(fmt::format(
          "--dram-latency {}: less than an L2 hit and DRAM's own timings; legal values: {:.0f} or more",
          *f_.dram_latency, std::ceil(hit + rows)));
    }
    derived("dram.latency", std::to_string(rest),
            fmt::format("an access to DRAM takes {} cycles", *f_.dram_latency));
  }

  // What the chip has and nobody said is an assumption, whatever it was for the base.
  void provenance() {
    google::protobuf::RepeatedPtrField<Provenance> entries;
    for (const Provenance& p : base_.provenance()) {
      Provenance* e = entries.Add();
      *e = p;
      if (of_chip(p.path())) {
        e->set_source(fmt::format("as {} ({}: {})", fit_.base, Provenance::Kind_Name(p.kind()), p.source()));
        e->set_kind(Provenance::ASSUMED);
      }
    }
    for (const FittedValue& v : fit_.values) {
      auto it = std::find_if(entries.begin(), entries.end(),
                             [&](const Provenance& p) { return p.path() == v.path; });
      Provenance* e = it == entries.end() ? entries.Add() : &*it;
      e->set_path(v.path);
      e->set_kind(v.kind);
      e->set_source(v.source);
    }
    fit_.config.mutable_provenance()->Swap(&entries);
  }

  const Figures f_;
  GpuConfig base_;
  Fit fit_;
};

}  // namespace

Fit fit(const Figures& figures, const LoadOptions& options) { return Fitter(figures, options).run(); }

}  // namespace heddle::config
