// CUDA graphs of a program, written as code that reads like CUDA's:
//
//   Graph g = add_graph(w, "g");
//   Node a = kernel_node(w, g, k);
//   Node b = memcpy_node(w, g, dev, host, {a});
//   GraphExec x = add_graph_exec(w, "x");
//   main.graphInstantiate(x, g).graphLaunch(x, s);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontends/workload/builder.h"

namespace heddle::workload {

using Nodes = std::vector<Node>;

Graph add_graph(Builder& w, const std::string& name, uint32_t device = 0);
GraphExec add_graph_exec(Builder& w, const std::string& name);

// Each gives the new node; `after`: what it waits for.
Node add_node(Builder& w, Graph g, host::GraphNode node, const Nodes& after = {});
Node kernel_node(Builder& w, Graph g, Kernel k, const Nodes& after = {});
Node kernel_node(Builder& w, Graph g, Kernel k, int32_t priority, const Nodes& after = {});
// `bytes` 0: the smaller buffer, the buffer.
Node memcpy_node(Builder& w, Graph g, Buffer to, Buffer from, const Nodes& after = {}, uint64_t bytes = 0);
Node memset_node(Builder& w, Graph g, Buffer to, const Nodes& after = {}, uint64_t bytes = 0);
Node host_node(Builder& w, Graph g, double us, const Nodes& after = {});
Node empty_node(Builder& w, Graph g, const Nodes& after = {});
Node event_record_node(Builder& w, Graph g, Event e, const Nodes& after = {});
Node event_wait_node(Builder& w, Graph g, Event e, const Nodes& after = {});
Node child_node(Builder& w, Graph g, Graph child, const Nodes& after = {});
// Memory whose address is the graph's from its definition on: a buffer of Builder::later.
Node mem_alloc_node(Builder& w, Graph g, Buffer b, const Nodes& after = {},
                    const std::vector<uint32_t>& access = {});
Node mem_free_node(Builder& w, Graph g, Buffer b, const Nodes& after = {});
// A kernel that sets the handle: the n-th time in one execution of the graph to the n-th value, then to the
// last.
Kernel setting_kernel(Builder& w, const std::string& name, double us, Handle h, std::vector<uint32_t> values);
Handle add_handle(Builder& w, const std::string& name);  // undefined when an execution starts
Handle add_handle(Builder& w, const std::string& name, uint32_t default_value);
Node conditional_node(Builder& w, Graph g, host::GraphNode::Condition c, Handle h,
                      const std::vector<Graph>& bodies, const Nodes& after = {});
// The kernel, as a node, launches a graph from the device: `after_us` its start, by `times` threads, in its
// first so many `executions`. `x` left out: the graph that it is in.
struct DeviceLaunch {
  std::optional<GraphExec> x = {};
  host::DeviceLaunch::Into into = host::DeviceLaunch::Into::kFireAndForget;
  double after_us = 0;
  uint32_t times = 1;
  uint64_t executions = UINT64_MAX;
};
void launches(Builder& w, Kernel k, const DeviceLaunch& what);
// The node with other parameters, for ...NodeSetParams.
Change add_change(Builder& w, Node n, const host::GraphNode& to);
host::GraphNode kernel_params(Kernel k);
host::GraphNode memcpy_params(const Builder& w, Buffer to, Buffer from, uint64_t bytes = 0);
host::GraphNode memset_params(const Builder& w, Buffer to, uint64_t bytes = 0);
inline constexpr host::EdgeData kProgrammatic{1, 0, 1}, kLaunchCompletion{2, 0, 1};
void add_dependency(Builder& w, Graph g, Node from, Node to, host::EdgeData edge = {});

}  // namespace heddle::workload
