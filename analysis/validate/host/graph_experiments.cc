// The experiments of host_graphs.cu: memory nodes, updates, capture, programmatic edges, launches
// from the device.
#include "analysis/validate/host/experiment.h"

namespace heddle::hostbench {
namespace {

constexpr uint64_t kMiB = 1 << 20;

Graph chain(Experiment& e, const std::string& name, uint64_t n) {
  const Graph g = add_graph(e.w, name);
  const Kernel k = e.spin(0);
  for (uint32_t i = 0; i < n; ++i) {
    kernel_node(e.w, g, k, i == 0 ? Nodes{} : Nodes{Node{i - 1}});
  }
  return g;
}

// alloc -> kernel -> free
std::optional<double> memory(Experiment& e, const Row& row) {
  const uint64_t bytes = leading_number(row.parameter) * kMiB;
  const auto temporary = [&](const std::string& name) {
    const Graph g = add_graph(e.w, name);
    const Buffer b = e.w.later(name, host::Memory::kDevice, bytes);
    const Node alloc = mem_alloc_node(e.w, g, b);
    mem_free_node(e.w, g, b, {kernel_node(e.w, g, e.spin(0), {alloc})});
    return g;
  };
  const GraphExec x = add_graph_exec(e.w, "x"), y = add_graph_exec(e.w, "y");
  e.main.graphInstantiate(x, temporary("g")).graphInstantiate(y, temporary("h"));
  e.main.graphLaunch(x, e.s).deviceSynchronize();
  const auto timed = [&](GraphExec exec, Stream s) {
    return e.last_call([&] { e.main.graphLaunch(exec, s); });
  };
  if (row.test == "graph_mem_trim_us") {
    e.main.graphLaunch(y, e.s).deviceSynchronize();
    return e.last_call([&] { e.main.deviceGraphMemTrim().compute_us(0); });
  }
  if (row.parameter.ends_with(" again")) {
    return timed(x, e.s);
  }
  if (row.parameter.ends_with(" second graph same stream first")) {
    return timed(y, e.s);
  }
  e.main.graphLaunch(y, e.s).deviceSynchronize();
  if (row.parameter.ends_with(" two graphs in turn same stream")) {
    return timed(x, e.s);
  }
  if (row.parameter.ends_with(" streams in turn")) {
    return timed(y, e.s2);
  }
  if (row.parameter.ends_with(" two graphs two streams")) {
    return timed(x, e.s2);
  }
  if (row.parameter.ends_with(" after trim")) {
    e.main.deviceGraphMemTrim().compute_us(0);
    return timed(x, e.s);
  }
  if (row.parameter.ends_with(" second graph while the first is under way")) {
    e.main.deviceGraphMemTrim().graphLaunch(x, e.s).deviceSynchronize();
    e.main.launch(e.spin(20000000), e.s).graphLaunch(x, e.s);
    return timed(y, e.s2);
  }
  return std::nullopt;
}

// A hundred kernels one behind the other. With programmatic edges each triggers at its start and waits at its
// end.
std::optional<double> edges(Experiment& e, const Row& row) {
  const bool full = row.parameter.ends_with(" full");
  const double spin = row.parameter.find(" spin4000 ") != std::string::npos ? 4000 : 0;
  const Kernel k = e.spin(spin, 132, 128);
  host::KernelDesc& desc = e.w.program().kernels[k.id];
  if (!full) {
    desc.trigger_after = {};
    desc.wait_after = desc.block_duration;
  }
  const Graph g = add_graph(e.w, "g");
  const GraphExec x = add_graph_exec(e.w, "x");
  for (uint32_t i = 0; i < leading_number(row.parameter); ++i) {
    const Node n = kernel_node(e.w, g, k);
    if (i > 0) {
      add_dependency(e.w, g, Node{i - 1}, n,
                     full                                            ? host::EdgeData()
                     : row.parameter.ends_with(" launch completion") ? kLaunchCompletion
                                                                     : kProgrammatic);
    }
  }
  e.main.graphInstantiate(x, g).graphLaunch(x, e.s).streamSynchronize(e.s);
  return e.between_events([&] { e.main.graphLaunch(x, e.s); });
}

// A launcher calls and then spins for 20000 cycles; a graph that launches itself again.
std::optional<double> from_device(Experiment& e, const Row& row) {
  using Into = host::DeviceLaunch::Into;
  const auto ready = [&](const std::string& name, uint64_t n) {
    const GraphExec x = add_graph_exec(e.w, name);
    e.main.graphInstantiate(x, chain(e, name, n), {.device_launch = true}).graphUpload(x, e.s);
    return x;
  };
  const double call_us = e.gpu().host().graph().device_launch_ns() / 1e3;
  const GraphExec x = add_graph_exec(e.w, "x");
  if (row.test == "device_relaunch_total_us") {
    const uint64_t n = leading_number(row.parameter.substr(row.parameter.find(" of ") + 4));
    const Graph g = chain(e, "g", n - 1);
    const Kernel k = e.spin(0);
    launches(e.w, k, {.into = Into::kTail, .executions = 100});
    kernel_node(e.w, g, k, n > 1 ? Nodes{Node{static_cast<uint32_t>(n - 2)}} : Nodes{});
    e.main.graphInstantiate(x, g, {.device_launch = true}).graphUpload(x, e.s);
  } else if (row.parameter == "none") {
    e.main.graphInstantiate(x, chain(e, "g", 1));
  } else {
    const bool many = row.test == "device_launch_many_us";
    const uint64_t n = many ? leading_number(row.parameter) : row.parameter.starts_with("a launcher") ? 0 : 1;
    const Kernel k = e.spin(many ? 0 : 20000);
    e.w.program().kernels[k.id].block_duration += host::from_us(static_cast<double>(n) * call_us);
    for (uint64_t i = 0; i < n; ++i) {
      const size_t of = row.parameter.find(" of ");
      const uint64_t nodes = of == std::string::npos ? 1 : leading_number(row.parameter.substr(of + 4));
      launches(e.w, k,
               {.x = ready("child", nodes),
                .into = row.parameter.starts_with("tail")      ? Into::kTail
                        : row.parameter.starts_with("sibling") ? Into::kSibling
                                                               : Into::kFireAndForget});
    }
    if (n == 0) {  // it could
      launches(e.w, k, {.executions = 0});
    }
    const Graph g = add_graph(e.w, "g");
    kernel_node(e.w, g, k);
    e.main.graphInstantiate(x, g);
  }
  e.main.graphUpload(x, e.s).deviceSynchronize();
  return e.between_events([&] { e.main.graphLaunch(x, e.s); });
}

std::optional<double> calls(Experiment& e, const Row& row) {
  const size_t of = row.parameter.find(" of ");
  const uint64_t n = leading_number(of == std::string::npos ? row.parameter : row.parameter.substr(of + 4));
  const Graph g = chain(e, "g", n);
  const GraphExec x = add_graph_exec(e.w, "x");
  if (row.test == "graph_capture_us") {
    e.main.streamBeginCapture(e.s);
    e.main.repeat(n, [&](Thread& t) { t.launch(e.spin(0), e.s); }).streamEndCapture(e.s, g);
    return e.host_time();
  }
  e.main.graphInstantiate(x, g, {.device_launch = row.test == "graph_upload_device_us"});
  if (row.test.starts_with("graph_upload_")) {
    return e.last_call([&] { e.main.graphUpload(x, e.s); });
  }
  e.main.graphLaunch(x, e.s).streamSynchronize(e.s);
  if (row.test == "graph_update_us") {
    return e.last_call([&] { e.main.graphExecUpdate(x, g); });
  }
  return e.last_call(
      [&] { e.main.graphExecNodeSetParams(x, add_change(e.w, Node{0}, kernel_params(e.spin(0)))); });
}

}  // namespace

std::optional<double> more_graphs(Experiment& e, const Row& row) {
  const std::string& t = row.test;
  if (t == "graph_mem_launch_us" || t == "graph_mem_trim_us") {
    return memory(e, row);
  }
  if (t == "device_launch_exec_us" || t == "device_launch_many_us" || t == "device_relaunch_total_us") {
    return from_device(e, row);
  }
  if (t == "graph_edge_us") {
    return edges(e, row);
  }
  if (t == "graph_capture_us" || t == "graph_update_us" || t == "graph_set_params_us" ||
      t.starts_with("graph_upload_")) {
    return calls(e, row);
  }
  return std::nullopt;
}

}  // namespace heddle::hostbench
