// What a relation is. Relations are tables (relations_*.cc): two sides, which differ in the configuration, in
// the kernel or in how it is run, and what must hold between their results on every kernel on which the
// relation applies.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/device/gpu.h"
#include "sim/stats/result.h"
#include "tests/metamorphic/kernels.h"

namespace heddle::metamorphic {

// ---- what is compared

struct Measure {
  std::string name;
  std::function<double(const stats::KernelResult&)> of;
};
Measure cycles();
Measure seconds();
Measure counter(stats::Counter c);

// `changed` (of the changed side) against factor x `base` (of the base) + offset.
struct Expectation {
  enum class Kind { kEqual, kAtLeast, kAtMost, kNear };
  Kind kind;
  Measure changed, base;
  double factor = 1, offset = 0;
  double tolerance = 0;  // of the right-hand side
};
using Expectations = std::vector<Expectation>;

// Greedy choices (of warps, SMs, victims) are no monotone functions of the machine: with a resource more, a
// list schedule can take longer (R. L. Graham, 1969). What must not become slower may do so by this much.
inline constexpr double kAnomaly = 0.01;

Expectation equal(const Measure& m, double factor = 1, double offset = 0);
Expectation at_least(const Measure& m, double tolerance = 0, double factor = 1);
Expectation at_most(const Measure& m, double tolerance = 0, double factor = 1);
Expectation near(const Measure& m, double tolerance, double factor = 1);

inline Expectation not_faster(double tolerance = kAnomaly) { return at_least(cycles(), tolerance); }
inline Expectation not_slower(double tolerance = kAnomaly) { return at_most(cycles(), tolerance); }

// Counters that follow from the instructions and addresses of the kernel alone, whatever the machine.
const std::vector<stats::Counter>& work_counters();
Expectations same_work(double factor = 1);
// All counters, all stalls, cycles and active cycles.
Expectations same_everything();
Expectations operator+(Expectations a, const Expectations& b);
Expectations operator+(Expectations a, const Expectation& b);

// ---- the sides

// `factor` times every value of the configuration whose path begins with `under` and ends with `ending`.
struct Scale {
  std::string under;
  double factor;
  std::string ending = "";
};
using Settings = std::vector<std::string>;  // as LoadOptions::overrides

struct Change {
  std::string name;  // unique
  std::function<Recording(const Recording&)> make;
};
struct Runner {
  std::string name;  // unique
  std::function<stats::KernelResult(const config::GpuConfig&, const Recording&)> run;
};

// As it stands: the kernel as it is, on 32 SMs with a quarter of the H200 behind them, whose
// DRAM is not refreshed.
struct Side {
  bool whole_h200 = false;
  Settings set = {};
  std::vector<Scale> scale = {};
  Change change = {};
  Runner runner = {};
};
inline Side set(Settings s) { return {.set = std::move(s)}; }
inline Side scaled(std::vector<Scale> s) { return {.scale = std::move(s)}; }
inline Side changed(Change c) { return {.change = std::move(c)}; }
inline Side run_by(Runner r) { return {.runner = std::move(r)}; }

// ---- the relation

// Kernels on which it does not apply.
struct Except {
  std::string reason;
  std::function<bool(const Recording&)> when;
};

struct Relation {
  std::string name;
  std::string why;
  Side base, changed;
  Expectations expect;
  std::vector<Except> except;
};
using Relations = std::vector<Relation>;

// The tables.
Relations bandwidth_relations();
Relations latency_relations();
Relations perfect_relations();
Relations capacity_relations();
Relations clock_relations();
Relations launch_relations();
Relations order_relations();
Relations notation_relations();
Relations address_relations();
Relations execution_relations();
Relations sum_relations();

// ---- except ...
bool has_clusters(const Recording& k);
Except only(std::string reason, std::function<bool(const Recording&)> where);  // everywhere else

// ---- relations that are known not to hold

struct Deviation {
  std::string relation, kernel;  // "*": any; on one at least
  std::string measure;           // "*": any
  double at_most;                // how far off, of the right-hand side
  std::string owner, reason;
};
const std::vector<Deviation>& known_deviations();

}  // namespace heddle::metamorphic
