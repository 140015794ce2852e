// The experiments of tools/microbench/device_launch.cu and device_calls.cu: kernels that launch kernels.
#include "analysis/validate/host/experiment.h"
#include "frontends/workload/device_builder.h"

namespace heddle::hostbench {
namespace {

using Into = host::DeviceCall::Into;

bool has(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

// How a row's children are launched, by its name.
ChildLaunch launch_of(const std::string& p, Kernel child) {
  ChildLaunch l;
  l.child = child;
  l.into = has(p, "fire and forget") ? Into::kFireAndForget
           : has(p, "tail")          ? Into::kTail
                                     : Into::kNullStream;
  l.stream = has(p, "own stream") ? "own" : "";
  return l;
}

double number_after(const std::string& p, const std::string& before) {
  const size_t at = p.find(before);
  return at == std::string::npos ? 0 : static_cast<double>(leading_number(p.substr(at + before.size())));
}

// The number behind the stream's name.
uint32_t children_of(const std::string& p) {
  return static_cast<uint32_t>(leading_number(p.substr(p.find_first_of("0123456789"))));
}

double one_parent(Experiment& e, Kernel parent) {
  return e.between_events([&] { e.main.launch(parent, e.s); });
}

// "null stream 10", "tail 8 x spin 100000 cycles", "fire and forget 10 x 20 us of a parent of 100 us".
double from_one_thread(Experiment& e, const std::string& p) {
  const double us = has(p, " us") ? number_after(p, " x ") : 0;
  const Kernel child = us > 0 ? e.w.kernel_blocks("child", 1, 1, us) : e.spin(number_after(p, " x spin "));
  const Kernel parent = e.w.kernel_blocks("parent", 1, 32, number_after(p, " of a parent of "));
  ChildLaunch l = launch_of(p, child);
  l.by.times = children_of(p);
  device_launch(e.w, parent, l);
  return one_parent(e, parent);
}

// "16 blocks 1 threads 10 each tail", "4 blocks one child each null stream".
double from_many(Experiment& e, const std::string& p) {
  const uint64_t blocks = leading_number(p);
  const auto threads = static_cast<uint32_t>(has(p, " threads ") ? number_after(p, " blocks ") : 1);
  const auto times = static_cast<uint32_t>(has(p, " threads ") ? number_after(p, " threads ") : 1);
  const Kernel parent = e.w.kernel_blocks("parent", static_cast<uint32_t>(blocks), std::max(threads, 32u), 0);
  ChildLaunch l = launch_of(p, e.spin(0));
  l.by.blocks = kAllBlocks;
  l.by.threads = threads;
  l.by.times = times;
  if (!l.stream.empty()) {  // each thread made one, so that none waits for another's
    l.stream.clear();
    l.into = threads == 1 ? Into::kNullStream : Into::kFireAndForget;
  }
  device_launch(e.w, parent, l);
  return one_parent(e, parent);
}

// "8 levels null stream".
double deep(Experiment& e, const std::string& p) {
  const Kernel k = e.w.kernel_blocks("chain", 1, 1, 0);
  ChildLaunch l = launch_of(p, k);
  l.by.levels = static_cast<uint32_t>(leading_number(p));
  device_launch(e.w, k, l);
  return one_parent(e, k);
}

}  // namespace

std::optional<double> device_experiments(Experiment& e, const Row& row) {
  const std::string& p = row.parameter;
  if (row.test == "cdp_depth_us") {
    return deep(e, p);
  }
  if (row.test == "cdp_many_us" || has(p, " blocks one child each ")) {
    return from_many(e, p);
  }
  if (p == "parent without children") {
    const Kernel k = e.spin(0);
    ChildLaunch never = {.child = e.spin(0)};
    never.by.levels = 0;
    device_launch(e.w, k, never);
    return one_parent(e, k);
  }
  if (p == "plain kernel" || has(p, " own streams of ")) {  // writes unified memory; several streams
    return std::nullopt;
  }
  if (row.test == "cdp_us" || row.test == "cdp_tree_us") {
    return from_one_thread(e, p);
  }
  return std::nullopt;
}

}  // namespace heddle::hostbench
