// What the experiments of experiments.cc and graph_experiments.cc share.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "analysis/validate/host/experiments.h"
#include "frontends/workload/graph_builder.h"

namespace heddle::hostbench {

using namespace workload;

// A program, timed by its host thread from `from` calls on, or by its two events a and b.
class Experiment {
 public:
  explicit Experiment(const config::GpuConfig& gpu) : gpu_(gpu) {}

  Builder w;
  Thread& main = w.thread("main");
  Stream s = w.stream("s", true), s2 = w.stream("s2", true);
  Event a = w.event("a"), b = w.event("b");
  host::Rules rules;

  // spin kernels: `cycles` of the core clock in every block.
  Kernel spin(double cycles, uint32_t blocks = 1, uint32_t threads = 32) {
    return w.kernel_blocks("spin", blocks, threads, cycles / gpu_.clocks().core_mhz());
  }
  double between_events(const std::function<void()>& work) {
    main.eventRecord(a, s);
    work();
    main.eventRecord(b, s);
    main.eventSynchronize(b).eventElapsedTime(a, b);
    return between_events_done();
  }
  // The same, where the program records a and b and asks for the time between them.
  double between_events_done() {
    const host::Result r = run();
    return r.elapsed.empty() ? NAN : host::to_us(r.elapsed[0].time);
  }
  const config::GpuConfig& gpu() const { return gpu_; }
  // What the host thread takes from before these calls, its last ones, to their return.
  double last_call(const std::function<void()>& calls) {
    const double before = host_time();
    calls();
    return host_time() - before;
  }
  // From the thread's start to its end.
  double host_time() { return host::to_us(run().thread_end[0]); }
  // From the start to the end of whichever thread is the last.
  double longest_thread() {
    const host::Result r = run();
    return host::to_us(*std::max_element(r.thread_end.begin(), r.thread_end.end()));
  }
  // What the call of that name, the only one, takes on the host.
  double call_time(host::Op op) {
    const host::Result r = host::run(w.program(), gpu_, {rules, true});
    for (const host::TrackSpan& s : r.spans) {
      if (r.names[s.name] == host::type_of(op).name) {
        return host::to_us(s.end - s.start);
      }
    }
    return NAN;
  }

 private:
  host::Result run() { return host::run(w.program(), gpu_, {rules, false}); }
  const config::GpuConfig& gpu_;
};

inline uint64_t leading_number(const std::string& text) { return std::stoull(text); }

// Those of tools/microbench/host_graphs.cu.
std::optional<double> more_graphs(Experiment& e, const Row& row);
// Those of tools/microbench/device_launch.cu and device_calls.cu.
std::optional<double> device_experiments(Experiment& e, const Row& row);
// Those of tools/microbench/host_memory.cu.
std::optional<double> memory_experiments(Experiment& e, const Row& row);
// Those of tools/microbench/graph_shapes.cu and host_shapes.cu.
std::optional<double> shape_experiments(Experiment& e, const Row& row);
std::optional<double> service_experiments(Experiment& e, const Row& row);
// Those of tools/microbench/host_wake.cu.
std::optional<double> wake_experiments(Experiment& e, const Row& row);
// Those of tools/microbench/host_links.cu.
std::optional<double> link_experiments(Experiment& e, const Row& row);

}  // namespace heddle::hostbench
