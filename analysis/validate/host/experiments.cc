#include "analysis/validate/host/experiments.h"

#include "analysis/validate/host/experiment.h"

namespace heddle::hostbench {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// hostbench.cu's copies: from 4 bytes to 256 MiB.
std::optional<double> copies(Experiment& e, const Row& row) {
  const uint64_t n = leading_number(row.parameter);
  const Buffer pinned = e.w.pinned("pinned", n), pageable = e.w.pageable("pageable", n);
  const Buffer dev = e.w.device("dev", n), dev2 = e.w.device("dev2", n);
  if (row.test == "h2d_pinned_us") {
    return e.between_events([&] { e.main.memcpyAsync(dev, pinned, e.s); });
  }
  if (row.test == "d2h_pinned_us") {
    return e.between_events([&] { e.main.memcpyAsync(pinned, dev, e.s); });
  }
  if (row.test == "d2d_us") {
    return e.between_events([&] { e.main.memcpyAsync(dev2, dev, e.s); });
  }
  if (row.test == "memset_us") {
    return e.between_events([&] { e.main.memsetAsync(dev, e.s); });
  }
  if (row.test == "h2d_pageable_us") {
    e.main.memcpy(dev, pageable).deviceSynchronize();
    return e.host_time();
  }
  if (row.test == "d2h_pageable_us") {
    e.main.memcpy(pageable, dev);
    return e.host_time();
  }
  if (row.test == "h2d_pageable_return_us") {
    e.main.memcpyAsync(dev, pageable, e.s);
    return e.host_time();
  }
  return std::nullopt;
}

std::optional<double> pairs(Experiment& e, const Row& row) {
  const Buffer h1 = e.w.pinned("h1", 64 * kMiB), h2 = e.w.pinned("h2", 64 * kMiB);
  const Buffer d1 = e.w.device("d1", 64 * kMiB), d2 = e.w.device("d2", 64 * kMiB);
  e.main.memcpyAsync(d1, h1, e.s);
  if (row.test == "bidir_64MiB_us") {
    e.main.memcpyAsync(h2, d2, e.s2);
  } else if (row.test == "two_h2d_64MiB_us") {
    e.main.memcpyAsync(d2, h2, e.s2);
  }
  e.main.deviceSynchronize();
  return e.host_time();
}

std::optional<double> launches(Experiment& e, const Row& row) {
  if (row.test == "launch_return_us") {
    e.main.launch(e.spin(0), e.s);
    return e.host_time();
  }
  if (row.test == "launch_sync_us") {
    e.main.launch(e.spin(0), e.s).streamSynchronize(e.s);
    return e.host_time();
  }
  if (row.test == "event_pair_us") {
    return e.between_events([] {});
  }
  const auto blocks =
      static_cast<uint32_t>(leading_number(row.parameter.substr(row.parameter.find("grid ") + 5)));
  const Kernel k = e.spin(0, blocks, 128);
  if (row.test == "empty_kernel_event_us") {
    return e.between_events([&] { e.main.launch(k, e.s); });
  }
  return e.between_events([&] { e.main.repeat(200, [&](Thread& t) { t.launch(k, e.s); }); }) / 200;
}

// Empty kernels that trigger nothing and wait for nothing: what the attribute itself changes.
std::optional<double> programmatic(Experiment& e, const Row& row) {
  const Kernel k = e.spin(0, 132, 128);
  const LaunchAttributes attributes{.programmatic = row.parameter == "on"};
  return e.between_events([&] { e.main.repeat(100, [&](Thread& t) { t.launch(k, e.s, attributes); }); }) /
         100;
}

std::optional<double> concurrent_streams(Experiment& e, const Row& row) {
  const Kernel k = e.spin(1e6);
  const uint64_t n = leading_number(row.parameter);
  for (uint64_t i = 0; i < n; ++i) {
    e.main.launch(k, e.w.stream("q" + std::to_string(i), true));
  }
  e.main.deviceSynchronize();
  return e.host_time();
}

std::optional<double> two_kernels(Experiment& e, const Row& row) {
  const size_t c = row.test.find("_c");
  if (c != std::string::npos) {
    e.rules.connections = static_cast<uint32_t>(leading_number(row.test.substr(c + 2)));
  }
  const Kernel k = e.spin(1e6);
  const uint64_t n = leading_number(row.parameter);
  for (uint64_t i = 0; i < n; ++i) {
    const Stream q = e.w.stream("q" + std::to_string(i), true);
    e.main.launch(k, q).launch(k, q);
  }
  e.main.deviceSynchronize();
  return e.host_time();
}

// Copy in, kernel, copy out, in k pieces over k streams, depth-first.
std::optional<double> pipeline(Experiment& e, const Row& row, const KernelTimes& times) {
  const uint64_t k = leading_number(row.parameter);
  const uint64_t n = 64 * kMiB / k;
  host::KernelDesc d;
  d.name = "touch";
  d.has_grid = true;
  d.grid.x = 264;
  d.block.x = 512;
  Kernel kernel;
  if (row.test == "overlap_spin_us") {
    kernel = e.spin(2e6 / static_cast<double>(k), 264, 512);
  } else {
    const double us = k == 1   ? times.touch_64mib
                      : k == 2 ? times.touch_32mib
                      : k == 4 ? times.touch_16mib
                               : times.touch_8mib;
    if (us <= 0) {
      return std::nullopt;
    }
    d.duration = host::from_us(us);
    kernel = e.w.kernel(d);
  }
  const Buffer h = e.w.pinned("h", n), dev = e.w.device("d", n);
  for (uint64_t i = 0; i < k; ++i) {
    const Stream q = e.w.stream("q" + std::to_string(i), true);
    e.main.memcpyAsync(dev, h, q).launch(kernel, q).memcpyAsync(h, dev, q);
  }
  e.main.deviceSynchronize();
  return e.host_time();
}

std::optional<double> priority(Experiment& e, const Row& row) {
  const Stream low = e.w.stream("low", true, 0), high = e.w.stream("high", true, -5);
  const bool is_high = row.parameter.starts_with("high");
  const Stream q = is_high ? high : e.s;
  e.main.launch(e.spin(40000, 132 * 16 * 20, 128), low).compute_us(50);
  e.main.eventRecord(e.a, q).launch(e.spin(100, 132, 128), q).eventRecord(e.b, q);
  e.main.eventSynchronize(e.b).eventElapsedTime(e.a, e.b);
  return e.between_events_done();
}

std::optional<double> chains(Experiment& e, const Row& row) {
  const Kernel k = e.spin(20000);
  const Event c = e.w.event("c", false);
  const Buffer h = e.w.pinned("h", 4), d = e.w.device("d", 4);
  const uint64_t n = leading_number(row.parameter);
  const auto chain = [&](const std::function<void(Thread&)>& between) {
    return e.between_events([&] {
      e.main.repeat(n, [&](Thread& t) {
        t.launch(k, e.s);
        between(t);
      });
    }) / static_cast<double>(n);
  };
  if (row.parameter.ends_with("one stream")) {
    return chain([](Thread&) {});
  }
  if (row.parameter.ends_with("two streams by events")) {
    return e.between_events([&] {
      e.main.repeat(n / 2, [&](Thread& t) {
        t.launch(k, e.s).eventRecord(c, e.s).streamWaitEvent(e.s2, c);
        t.launch(k, e.s2).eventRecord(c, e.s2).streamWaitEvent(e.s, c);
      });
    }) / static_cast<double>(n);
  }
  if (row.parameter.ends_with("host function between")) {
    return chain([&](Thread& t) { t.launchHostFunc(e.s, 0); });
  }
  if (row.parameter.ends_with("event record between")) {
    return chain([&](Thread& t) { t.eventRecord(c, e.s); });
  }
  if (row.parameter.ends_with("h2d 4B between")) {
    return chain([&](Thread& t) { t.memcpyAsync(d, h, e.s); });
  }
  if (row.parameter.ends_with("d2h 4B between")) {
    return chain([&](Thread& t) { t.memcpyAsync(h, d, e.s); });
  }
  return std::nullopt;
}

std::optional<double> fork_join(Experiment& e, const Row& row) {
  const Kernel k = e.spin(200000);
  const Event c = e.w.event("c", false);
  const uint64_t n = leading_number(row.parameter);
  return e.between_events([&] {
    e.main.launch(k, e.s).eventRecord(c, e.s);
    for (uint64_t i = 0; i < n; ++i) {
      const Stream q = e.w.stream("q" + std::to_string(i), true);
      const Event done = e.w.event("e" + std::to_string(i), false);
      e.main.streamWaitEvent(q, c).launch(k, q).eventRecord(done, q).streamWaitEvent(e.s, done);
    }
    e.main.launch(k, e.s);
  });
}

// hostbench.cu's graphs. Each was launched once before it was timed.
std::optional<double> graphs(Experiment& e, const Row& row) {
  const uint64_t n = leading_number(row.parameter);
  const Graph g = add_graph(e.w, "g");
  const GraphExec x = add_graph_exec(e.w, "x");
  if (row.test == "graph_forkjoin_us") {
    const Kernel k = e.spin(20000);
    const Node root = kernel_node(e.w, g, k);
    Nodes branches;
    for (uint64_t i = 0; i < n; ++i) {
      branches.push_back(kernel_node(e.w, g, k, {root}));
    }
    kernel_node(e.w, g, k, branches);
  } else {
    const Kernel k = e.spin(0);
    for (uint32_t i = 0; i < n; ++i) {
      kernel_node(e.w, g, k, i == 0 ? Nodes{} : Nodes{Node{i - 1}});
    }
  }
  if (row.test == "graph_instantiate_us" && n > 1) {  // that of one node was the process's first
    const Graph one = add_graph(e.w, "one");
    kernel_node(e.w, one, e.spin(0));
    e.main.graphInstantiate(x, one);
    const double first = e.host_time();
    e.main.graphInstantiate(x, g);
    return e.host_time() - first;
  }
  e.main.graphInstantiate(x, g);
  if (row.test == "graph_instantiate_us") {
    return e.host_time();
  }
  e.main.graphLaunch(x, e.s).streamSynchronize(e.s);
  if (row.test == "graph_launch_return_us") {
    const double before = e.host_time();
    e.main.graphLaunch(x, e.s);
    return e.host_time() - before;
  }
  return e.between_events([&] { e.main.graphLaunch(x, e.s); });
}

// Two kernels of 1 ms in two streams with something between them.
std::optional<double> between(Experiment& e, const Row& row) {
  const bool blocking = row.parameter.ends_with(" blocking");
  const Stream x = e.w.stream("x", !blocking), y = e.w.stream("y", !blocking);
  const Kernel k = e.spin(1980000);
  const Buffer d = e.w.device("d", kMiB), d2 = e.w.device("d2", kMiB);
  e.main.launch(k, x);
  if (row.parameter.starts_with("legacy kernel")) {
    e.main.launch(e.spin(0));
  } else if (row.parameter.starts_with("mallocHost")) {
    e.main.mallocHost(kMiB);
  } else if (row.parameter.starts_with("malloc")) {
    e.main.malloc(kMiB);
  } else if (row.parameter.starts_with("memsetAsync")) {
    e.main.memsetAsync(d, y);
  } else if (row.parameter.starts_with("memcpyAsync d2d")) {
    e.main.memcpyAsync(d2, d, y);
  }
  e.main.launch(k, y).deviceSynchronize();
  return e.host_time();
}

std::optional<double> memcpy_return(Experiment& e, const Row& row) {
  const uint64_t n = leading_number(row.parameter.substr(row.parameter.rfind(' ') + 1));
  const Buffer h = e.w.pinned("h", n), d = e.w.device("d", n);
  if (row.parameter.starts_with("h2d")) {
    e.main.memcpy(d, h);
  } else {
    e.main.memcpy(h, d);
  }
  return e.host_time();
}

std::optional<double> rows_copy(Experiment& e, const Row& row) {
  const uint64_t width = leading_number(row.parameter.substr(row.parameter.rfind(' ') + 1));
  const Buffer h = e.w.pinned("h", width * 8192), d = e.w.device("d", width * 8192);
  return e.between_events([&] { e.main.memcpyAsync(d, h, e.s, 0, 8192); });
}

std::optional<double> sync_kinds(Experiment& e, const Row& row) {
  e.rules.wait = row.parameter.starts_with("blocking") ? host::Rules::Wait::kBlock
                 : row.parameter.starts_with("yield")  ? host::Rules::Wait::kYield
                                                       : host::Rules::Wait::kSpin;
  e.main.launch(e.spin(0), e.s).streamSynchronize(e.s);
  return e.host_time();
}

}  // namespace

std::optional<double> simulate(const Row& row, const config::GpuConfig& gpu, const KernelTimes& times) {
  Experiment e(gpu);
  const std::string& t = row.test;
  const auto is = [&](std::initializer_list<const char*> names) {
    for (const char* n : names) {
      if (t == n) {
        return true;
      }
    }
    return false;
  };
  if (is({"h2d_pinned_us", "d2h_pinned_us", "d2d_us", "memset_us", "h2d_pageable_us", "d2h_pageable_us",
          "h2d_pageable_return_us"})) {
    return copies(e, row);
  }
  if (is({"bidir_64MiB_us", "two_h2d_64MiB_us", "one_h2d_64MiB_us"})) {
    return pairs(e, row);
  }
  if (is({"launch_return_us", "launch_sync_us", "event_pair_us", "empty_kernel_period_us",
          "empty_kernel_event_us"})) {
    return launches(e, row);
  }
  if (t == "pdl_period_us") {
    return programmatic(e, row);
  }
  if (t == "concurrent_streams_us") {
    return concurrent_streams(e, row);
  }
  if (t.starts_with("two_kernels_per_stream")) {
    return two_kernels(e, row);
  }
  if (is({"overlap_us", "overlap_spin_us"})) {
    return pipeline(e, row, times);
  }
  if (t == "priority_latency_us") {
    return priority(e, row);
  }
  if (t == "chain_us") {
    return chains(e, row);
  }
  if (t == "stream_forkjoin_us") {
    return fork_join(e, row);
  }
  if (is({"graph_instantiate_us", "graph_exec_us", "graph_launch_return_us", "graph_forkjoin_us"})) {
    return graphs(e, row);
  }
  if (const auto v = shape_experiments(e, row)) {
    return v;
  }
  if (const auto v = wake_experiments(e, row)) {
    return v;
  }
  if (const auto v = service_experiments(e, row)) {
    return v;
  }
  if (t.starts_with("graph_") || t.starts_with("device_")) {
    return more_graphs(e, row);
  }
  if (t == "between_us") {
    return between(e, row);
  }
  if (t == "memcpy_return_us") {
    return memcpy_return(e, row);
  }
  if (t == "memcpy2d_h2d_us") {
    return rows_copy(e, row);
  }
  if (t == "sync_us") {
    return sync_kinds(e, row);
  }
  if (t.starts_with("cdp_")) {
    return device_experiments(e, row);
  }
  if (const auto v = link_experiments(e, row)) {
    return v;
  }
  return memory_experiments(e, row);
}

std::optional<double> bound(const Row& row) {
  const std::string& t = row.test;
  if (t == "h2d_pinned_us" || t == "d2h_pinned_us" || t == "h2d_pageable_us" || t == "d2h_pageable_us") {
    return leading_number(row.parameter) >= kMiB ? 10 : 20;
  }
  if (t == "bidir_64MiB_us" || t == "two_h2d_64MiB_us" || t == "one_h2d_64MiB_us") {
    return 10;
  }
  if (t == "empty_kernel_period_us" || t == "launch_return_us" || t == "graph_exec_us" ||
      t == "graph_forkjoin_us" || t == "graph_edge_us" || t.starts_with("device_") ||
      t == "graph_upload_device_us" || t == "graph_update_us" || t == "graph_upload_us" ||
      t == "stream_forkjoin_us" || t == "concurrent_streams_us" || t == "overlap_us" ||
      t == "overlap_spin_us" || t.starts_with("two_kernels_per_stream") ||
      (t.starts_with("cdp_") && t.ends_with("_us") && t != "cdp_overhead_us") || t == "cdp_us") {
    return 15;
  }
  if (t == "zerocopy_us" && row.parameter.ends_with("1056 blocks")) {
    return leading_number(row.parameter) >= 4 ? 10 : 20;
  }
  if (t == "zerocopy_beside_us") {
    return 10;
  }
  if (t == "domain_kernel_us" && row.parameter.find("mapped reads") == 0 &&
      row.parameter.find("graph") == std::string::npos) {
    return 30;
  }
  if (t == "vmm_us") {  // the calls' times grow in steps, the model's in proportion
    return row.parameter.ends_with("reserve") ? std::nullopt : std::optional<double>(25);
  }
  if (t == "priority_latency_us") {
    return 50;
  }
  if (t == "l2_persist_us") {
    return 12;
  }
  if (t == "pdl_period_us") {
    return 25;
  }
  return std::nullopt;
}

}  // namespace heddle::hostbench
