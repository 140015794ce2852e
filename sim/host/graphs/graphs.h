// The graphs of a program: definitions, what has been instantiated, and the launches that are under way.
//
// A launch is two commands of its stream: the start, which goes through a connection like a kernel, and the
// end. When the start's turn comes the nodes' commands are made with the edges of the graph between them
// (Ordering::depend).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/host/core/core.h"
#include "sim/host/core/result.h"
#include "sim/host/graphs/graph_memory.h"
#include "sim/host/graphs/graph_plan.h"
#include "sim/host/nested/environments.h"
#include "sim/host/streams/ordering.h"

namespace heddle::host {

class Graphs : private Environments::Owner {
 public:
  Graphs(Core& core, Ordering& ordering, Allocations& memory);

  // The program has more buffers, graphs and instantiations than before.
  void grow() {
    memory_.grow();
    execs_.resize(core_.program.graph_execs.size());
    while (graphs_.size() < core_.program.graphs.size()) {
      const GraphDesc& g = core_.program.graphs[graphs_.size()];
      graphs_.push_back({true, g, memory_.lay_out(g)});
    }
    allocated_at_.resize(allocated_at_.empty() ? 0 : core_.program.buffers.size());
  }

  // ---- calls; each gives CUDA's error or nothing
  struct Flags {
    bool node_priority = false, auto_free = false, device_launch = false;
  };
  std::optional<Refusal> instantiate(uint32_t exec, uint32_t graph, Flags flags);
  // Take effect with the next launch (GR19). graph_update.cc
  std::optional<Refusal> update(uint32_t exec, uint32_t graph);
  std::optional<Refusal> set_exec_node(uint32_t exec, const NodeChange& change);
  std::optional<Refusal> set_node(uint32_t graph, const NodeChange& change);
  std::optional<Refusal> enable(uint32_t exec, uint32_t node, bool on);
  std::optional<Refusal> destroy_exec(uint32_t exec);
  std::optional<Refusal> destroy_graph(uint32_t graph);
  std::optional<Refusal> upload(uint32_t exec, uint32_t stream, Ps& cost);
  // A capture has made the graph, or has failed and leaves none.
  void set(uint32_t graph, std::optional<GraphDesc> desc);
  // Gives `graph`, which has no nodes, those of `original`; later changes of one are none of the other's.
  std::optional<Refusal> clone(uint32_t graph, uint32_t original);
  const GraphDesc& definition(uint32_t graph) const { return graphs_[graph].desc; }
  // Why the launch call fails, if it does.
  std::optional<Refusal> refuse_launch_of(uint32_t exec) const;
  struct Launched {
    uint32_t start;  // to be submitted
    CommandRef end;
  };
  Launched launch(uint32_t exec, uint32_t stream);
  // Before it: the memory of the graph's allocations is mapped for the stream, which takes the call `cost`
  // more. `freed`: what AutoFreeOnLaunch frees (GN06).
  std::optional<Refusal> map_memory(uint32_t exec, uint32_t stream, Ps& cost, std::vector<uint32_t>& freed);
  GraphMemory& memory() { return memory_; }
  void count(Result& result) const;
  // The row of a node's command on the timeline.
  uint32_t track_of(const Command& c);
  const Plan& plan(uint32_t exec) const { return *execs_[exec].plan; }
  // When the front end starts a node whose turn it is: it takes time to go to the channel of another branch.
  Ps front_end(const Command& c) {
    Run& r = runs_[c.run];
    const uint32_t branch = r.plan->nodes[c.node].branch;
    const bool goes = r.branch != kNone && r.branch != branch;
    r.front_end = std::max(core_.now, r.front_end) + (goes ? core_.params.graph.front_end : Ps());
    r.branch = branch;
    return r.front_end;
  }

  // What calls cost the host.
  Ps instantiate_cost(uint32_t graph, bool device_launch) const;
  Ps launch_cost(uint32_t exec) const;
  // Of a launch, when its first nodes may start already.
  Ps launch_rest(uint32_t exec) const;
  Ps upload_cost(uint32_t exec) const;
  Ps update_cost(uint32_t exec) const;

  // ---- the device
  // The start's turn has come.
  void start(uint32_t slot);
  // ---- conditional nodes (graph_conditions.cc)
  // The node's turn has come: a body, or on.
  void decide(uint32_t slot);
  void body_ended(uint32_t slot);
  // ---- launches from the device (graph_device.cc)
  // A kernel of a graph that launches graphs has begun.
  void kernel_started(uint32_t slot, Ps at);
  void device_call(uint32_t slot, uint32_t launch);
  // The kernel has ended but for its calls: it is finished after the last one.
  bool still_calls(uint32_t slot);
  // The nodes of a run have ended, `slot` is its end.
  void work_ended(uint32_t slot);
  // A kernel of a graph has ended.
  void kernel_ended(uint32_t kernel);
  // A memory node's turn has come.
  void lifetime(uint32_t slot);
  // The end's command has ended.
  void ended(uint32_t slot);

 private:
  struct Graph {
    bool alive = true;
    GraphDesc desc;
    std::shared_ptr<GraphLayout> memory;
  };
  struct Size {
    uint64_t nodes = 0, bodies = 0, roots = 0;
  };
  static Size size_of(const Definition& d);
  struct Activity {  // of an exec
    uint32_t running = 0;
    bool tail_pending = false;
  };
  struct Exec {
    std::shared_ptr<const Definition> definition;  // null: not there
    std::shared_ptr<const Plan> plan;
    std::vector<bool> enabled;
    uint64_t nodes = 0;          // that its memory holds
    bool node_priority = false;  // else nodes have the launch stream's
    bool auto_free = false;
    bool device_launch = false;
    std::shared_ptr<Activity> activity;
    bool uploaded = false;
    CommandRef last;  // the end of its last launch (GR16)
  };
  struct Run {
    std::shared_ptr<const Plan> plan;
    uint32_t end = kNone;
    uint32_t conditional = kNone;  // of a body: its node's command
    bool node_priority = false;
    bool on_device = false;  // launched there
    uint32_t exec = kNone;
    uint32_t stream = 0;
    uint32_t environment = kNone;  // on the device, or once it has launched something
    std::shared_ptr<Activity> activity;
    std::vector<uint32_t> slots;  // of the nodes
    Ps launched{};                // by the host; before its rest
    Ps front_end{};               // busy until then
    uint32_t branch = kNone;      // of the node that the front end has started last
  };

  // An environment's: the graph that runs in it, or the end of the host's launch that is on top of all.
  struct DeviceRun {
    std::shared_ptr<Activity> activity;
    uint32_t end = kNone;
    uint32_t stream = 0;
    uint32_t forgotten = 0;  // fire-and-forget launches
  };

  void drop(Exec& x);
  uint32_t open(uint32_t parent, DeviceRun what);
  void note_environment(uint32_t environment, DeviceRun what);
  uint32_t environment_of(uint32_t run);
  std::optional<Refusal> launch_on_device(uint32_t run, uint32_t exec, const DeviceLaunch& l);
  void start_on_device(uint32_t exec, uint32_t environment, uint32_t stream, Ps after);
  void complete(uint32_t environment) override;
  void run_tail(uint32_t exec, uint32_t environment) override;
  std::shared_ptr<const Definition> take(uint32_t graph, uint32_t depth) const;
  // Nodes of the graph and of those inside it, before they are taken. LimitReached: too many.
  void check_size(uint32_t graph) const;
  uint32_t new_run(std::shared_ptr<const Plan> plan);
  void add_nodes(uint32_t run, uint32_t start);
  void run_body(uint32_t conditional, const std::shared_ptr<const Plan>& body);
  uint32_t add(Work work, uint32_t stream, uint32_t device, uint32_t label);
  uint32_t add_node(const PlanNode& n, uint32_t run, uint32_t stream);
  void renew(Exec& x, uint32_t node);

  Core& core_;
  Ordering& ordering_;
  GraphMemory memory_;
  std::vector<Graph> graphs_;
  std::vector<Exec> execs_;
  std::vector<Run> runs_;
  std::vector<uint32_t> free_runs_;
  struct Handle {
    uint32_t value = 0;
    uint32_t sets = 0;  // in this execution
  };
  std::vector<Handle> handles_;
  bool any_instantiated_ = false;
  uint64_t freed_nodes_ = 0;  // whose memory the next instantiation finds
  Environments environments_{*this};
  std::vector<DeviceRun> device_runs_;  // of each environment
  std::vector<uint64_t> executions_;    // of each kernel that launches
  struct Calling {
    uint32_t left = 0;
    bool finished = false;  // but for them
  };
  std::map<uint32_t, Calling> calling_;  // kernels' commands
  std::vector<DeviceError> device_errors_;
  std::map<std::pair<std::string, std::string>, size_t> device_error_of_;  // by call and error
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> tracks_;    // by stream, graph and branch
  std::vector<Ps> allocated_at_;                                           // of each buffer, by a node
  std::vector<uint32_t> memory_track_;  // of each device; empty without memory nodes
};

}  // namespace heddle::host
