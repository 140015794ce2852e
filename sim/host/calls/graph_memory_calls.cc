// What memory nodes of graphs ask of the device that is current.
#include "sim/host/calls/threads.h"

namespace heddle::host {

std::span<const CallType> Threads::graph_memory_calls() {
  using K = Argument::Kind;
  static const std::vector<CallType> all = {
      {.op = Op::kGraphMemTrim,
       .name = "cudaDeviceGraphMemTrim",
       .field = "graph_mem_trim",
       .cost = costs<&Params::Calls::query>,
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {
             HostThread& by = t.threads_[thread];
             by.owed += t.graphs_.memory().trim(by.device);
             return true;
           }},
      {.op = Op::kGraphMemStats,
       .name = "cudaDeviceGetGraphMemAttribute",
       .field = "graph_mem_stats",
       .cost = costs<&Params::Calls::query>,
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {
             const GraphMemory::Stats& s = t.graphs_.memory().stats(t.threads_[thread].device);
             t.answer(thread, "reserved " + std::to_string(s.reserved) + " high " +
                                  std::to_string(s.reserved_high) + " used " + std::to_string(s.used) +
                                  " high " + std::to_string(s.used_high));
             return true;
           }},
      {.op = Op::kGraphMemResetHigh,
       .name = "cudaDeviceSetGraphMemAttribute",
       .field = "graph_mem_reset_high",
       .cost = costs<&Params::Calls::query>,
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {
             t.graphs_.memory().reset_high(t.threads_[thread].device);
             return true;
           }},
      {.op = Op::kGraphMemAllocNodeGetParams,
       .name = "cudaGraphMemAllocNodeGetParams",
       .field = "graph_mem_alloc_node_get_params",
       .arguments = {{"graph", K::kGraph, &Call::object}, {"node", K::kNode, &Call::source}},
       .cost = costs<&Params::Calls::query>,
       .effect = does<&Threads::allocation_of_node>},
  };
  return all;
}

bool Threads::allocation_of_node(uint32_t thread, const Call& c) {
  const std::vector<GraphNode>& nodes = graphs_.definition(c.object).nodes;
  const GraphLayout::Allocation* a = c.source < nodes.size() && nodes[c.source].kind == NodeKind::kMemAlloc
                                         ? graphs_.memory().allocation(nodes[c.source].object)
                                         : nullptr;
  if (a == nullptr) {
    fail(thread, "cudaErrorInvalidValue", "no such allocation node");
    return true;
  }
  std::string text = "address " + std::to_string(a->address) + " bytes " + std::to_string(a->bytes) +
                     " device " + std::to_string(a->device) + " access";
  for (uint32_t d : a->access) {
    text += " " + std::to_string(d);
  }
  answer(thread, text);
  return true;
}

}  // namespace heddle::host
