// An instantiated graph: the snapshot of a definition, checked, with child graphs in place and the latency of
// every edge. Launches share it; updates make another one, so that what runs keeps its own (GR19).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/host/core/command.h"
#include "sim/host/core/core.h"
#include "sim/host/core/refusal.h"
#include "sim/host/program/graph_desc.h"

namespace heddle::host {

struct GraphLayout;

// A graph with the graphs inside it, as they were when it was taken.
struct Definition {
  std::string name;
  uint32_t device = 0;
  std::vector<GraphNode> nodes;
  std::vector<std::shared_ptr<const Definition>> children;             // of each node, null for most
  std::vector<std::vector<std::shared_ptr<const Definition>>> bodies;  // of each node, none for most
  std::shared_ptr<GraphLayout> memory;                                 // of its memory nodes; null without
};

struct PlanNode {
  GraphNode::Condition condition = GraphNode::Condition::kIf;
  uint32_t bodies = kNone;  // in Plan::bodies
  Work work = Work::kBarrier;
  Path path = Path::kDeviceToDevice;
  bool with_command = false;
  bool write_combined = false;
  bool calls_cuda = false;
  bool has_priority = false;
  int32_t priority = 0;
  uint32_t device = 0;
  uint32_t peer = 0;
  uint32_t object = kNone;
  uint32_t window = kNone;
  uint8_t domain = 0;
  uint32_t label = 0;
  uint32_t branch = 0;  // its row on the timeline
  uint64_t bytes = 0;
  uint64_t rows = 1;
  Ps duration{};
  uint64_t values = 0;           // GraphNode::values
  std::vector<Access> accesses;  // of copies and memsets; kernels have their own
};

struct Plan {
  struct Arc {
    uint32_t from, to;
    Ps latency;
    Port port = Port::kDefault;
  };
  uint32_t label = 0;
  Ps begin{};  // in the latencies of `roots`, when the host launches it
  // What the call that launches takes for nodes and edges; and then, with each
  // further root, which starts no sooner.
  Ps launch{}, rest{};
  std::vector<std::vector<std::shared_ptr<const Plan>>> bodies;  // of the conditional nodes
  std::vector<uint32_t> handles;                                 // that they read, also inside bodies
  std::vector<PlanNode> nodes;                                   // each after what it waits for
  std::vector<Arc> arcs;
  std::vector<Arc> roots;          // `from` is the start
  std::vector<Arc> sinks;          // `to` is the end
  std::vector<uint32_t> prepared;  // event nodes: their commands exist from the launch call on
  std::vector<uint32_t> place;     // of the definition's nodes among `nodes`; kNone: a child graph
};

// The nodes in an order in which each comes after those that it waits for; fewer if there is none.
std::vector<uint32_t> sorted_nodes(const std::vector<GraphNode>& nodes);

// What one node is on the device. `enabled` false: nothing, in its place (GR22).
// The buffer that a copy or memset goes beyond; kNone: it is within.
uint32_t beyond_buffer(const Program& p, const GraphNode& n);
PlanNode plan_node(Core& core, const GraphNode& n, uint32_t device, bool enabled);

// Why a definition cannot be instantiated, as CUDA's error; nothing if it can.
std::optional<Refusal> refuse_graph(const Core& core, const Definition& d);

// Why it cannot be launched from the device, for CUDA's result and a reason (GD02).
std::optional<std::string> refuse_for_device(const Core& core, const Definition& d, uint32_t device);

// `enabled`: of each node of the definition. The definition is one that can be instantiated. `body`: of a
// conditional node.
std::shared_ptr<const Plan> make_plan(Core& core, const Definition& d, const std::vector<bool>& enabled,
                                      bool body = false);

}  // namespace heddle::host
