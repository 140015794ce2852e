#include "tests/metamorphic/harness.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "configs/loader/config.h"
#include "sim/base/error.h"
#include "sim/sampling/simulate.h"

namespace heddle::metamorphic {
namespace {

// 32 SMs with a quarter of the rest of the H200: kernels of some ten thousand instructions fill it.
const Settings kQuarter = {
    "topology.sms=32",
    "topology.tpcs_per_gpc=[4,4,4,4]",
    "noc.gpc_request_bytes=225",
    "noc.gpc_response_bytes=306",
    "l2.total_bytes=15728640",
    "l2.slices=24",
    "l2.fabric_bytes=194",
    "l2.max_dirty_bytes=7372800",
    "l2.max_persisting_bytes=9830400",
    "dram.channels=24",
    "launch.block_interval=4.68",
    "launch.dirty_bytes=589824",
    // Whether a read meets a refresh is a matter of its cycle: whatever moves requests by a few cycles, be it
    // for the better, moves some of them into one. Relations of its own have it (relations_latency.cc).
    "dram.t_rfc=0",
};

// Whole numbers are rounded up where the field is one.
void scale(config::GpuConfig& c, const Scale& s) {
  const std::string flat = config::to_text(c, {.annotate = false, .flat = true, .under = ""});
  bool found = false;
  for (size_t at = 0; at < flat.size();) {
    const size_t end = flat.find('\n', at);
    const std::string line = flat.substr(at, end - at);
    at = end == std::string::npos ? flat.size() : end + 1;
    const size_t equals = line.rfind('=');
    const std::string path = line.substr(0, equals);
    if (!path.starts_with(s.under) || !path.ends_with(s.ending)) {
      continue;
    }
    const double value = std::stod(line.substr(equals + 1)) * s.factor;
    found = true;
    try {
      config::set(c, fmt::format("{}={}", path, value));
    } catch (const Error&) {
      config::set(c, fmt::format("{}={}", path, static_cast<uint64_t>(std::ceil(value))));
    }
  }
  if (!found) {
    throw Error("no value begins with " + s.under + " and ends with '" + s.ending + "'");
  }
}

std::string key(const Side& side) {
  std::string k = side.whole_h200 ? "H200" : "quarter";
  for (const std::string& s : side.set) {
    k += ' ' + s;
  }
  for (const Scale& s : side.scale) {
    k += fmt::format(" {}..{} x {}", s.under, s.ending, s.factor);
  }
  return k;
}

stats::KernelResult simulated(const Side& side, const Recording& kernel) {
  static std::map<std::string, config::GpuConfig> machines;
  auto machine = machines.find(key(side));
  if (machine == machines.end()) {
    machine = machines.emplace(key(side), machine_of(side)).first;
  }
  if (side.runner.run) {
    return side.runner.run(machine->second, kernel);
  }
  Replay replay(kernel);
  return sampling::simulate(machine->second, replay);
}

// Each side is run once.
const stats::KernelResult& result(const Side& side, const Recording& kernel) {
  static std::map<std::string, stats::KernelResult> results;
  const std::string k = kernel.name + '|' + key(side) + '|' + side.change.name + '|' + side.runner.name;
  auto r = results.find(k);
  if (r == results.end()) {
    r = results
            .emplace(k,
                     side.change.make ? simulated(side, side.change.make(kernel)) : simulated(side, kernel))
            .first;
  }
  return r->second;
}

// How far off, of the right-hand side; 0 or less: it holds.
double off(const Expectation& e, double changed, double wanted) {
  const double unit = std::max(std::abs(wanted), std::numeric_limits<double>::min());
  switch (e.kind) {
    case Expectation::Kind::kAtLeast:
      return (wanted * (1 - e.tolerance) - changed) / unit;
    case Expectation::Kind::kAtMost:
      return (changed - wanted * (1 + e.tolerance)) / unit;
    case Expectation::Kind::kNear:
      return std::abs(changed - wanted) / unit - e.tolerance;
    case Expectation::Kind::kEqual:
      return std::abs(changed - wanted) / unit;
  }
  return 0;
}

const char* sign(Expectation::Kind kind) {
  switch (kind) {
    case Expectation::Kind::kAtLeast:
      return ">=";
    case Expectation::Kind::kAtMost:
      return "<=";
    case Expectation::Kind::kNear:
      return "about";
    case Expectation::Kind::kEqual:
      return "==";
  }
  return "";
}

}  // namespace

config::GpuConfig machine_of(const Side& side) {
  config::LoadOptions options;
  options.search = {"configs"};
  if (!side.whole_h200) {
    options.overrides = kQuarter;
  }
  config::GpuConfig c = config::load("h200", options);
  for (const std::string& s : side.set) {
    config::set(c, s);
  }
  for (const Scale& s : side.scale) {
    scale(c, s);
  }
  return c;
}

std::vector<Violation> violations(const Relation& relation, const Recording& kernel) {
  const stats::KernelResult& base = result(relation.base, kernel);
  const stats::KernelResult& changed = result(relation.changed, kernel);
  std::vector<Violation> out;
  for (const Expectation& e : relation.expect) {
    const double is = e.changed.of(changed), was = e.base.of(base);
    const double wanted = was * e.factor + e.offset;
    if (const double by = off(e, is, wanted); by > 0) {
      out.push_back({e.changed.name, by, e.kind == Expectation::Kind::kEqual,
                     fmt::format("{}: {} should be {} {} ({} x {} + {}, tolerance {}), is off by {:.4f} %",
                                 e.changed.name, is, sign(e.kind), wanted, e.factor, was, e.offset,
                                 e.tolerance, 100 * by)});
    }
  }
  return out;
}

std::string not_on(const Relation& relation, const Recording& kernel) {
  for (const Except& e : relation.except) {
    if (e.when(kernel)) {
      return e.reason;
    }
  }
  return "";
}

}  // namespace heddle::metamorphic
