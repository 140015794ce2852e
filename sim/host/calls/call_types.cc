#include "sim/host/calls/call_types.h"

#include <algorithm>
#include <map>
#include <span>

#include "sim/host/calls/threads.h"

namespace heddle::host {

const std::vector<const CallType*>& call_types() {
  static const std::vector<const CallType*> all = [] {
    std::vector<const CallType*> types;
    for (const std::span<const CallType> group :
         {Threads::program_calls(), Threads::queue_calls(), Threads::launch_calls(), Threads::copy_calls(),
          Threads::event_calls(), Threads::stream_calls(), Threads::capture_calls(), Threads::graph_calls(),
          Threads::graph_node_calls(), Threads::graph_memory_calls(), Threads::memory_calls(),
          Threads::pool_calls(), Threads::unified_calls(), Threads::vmm_calls(), Threads::mapping_calls(),
          Threads::device_calls()}) {
      for (const CallType& t : group) {
        types.push_back(&t);
      }
    }
    std::stable_sort(types.begin(), types.end(),
                     [](const CallType* a, const CallType* b) { return a->op < b->op; });
    return types;
  }();
  return all;
}

const CallType& type_of(Op op) { return *call_types()[static_cast<size_t>(op)]; }

Call call_of(Op op) {
  Call c;
  c.type = &type_of(op);
  c.op = op;
  return c;
}

const CallType* type_named(std::string_view field) {
  static const std::map<std::string_view, const CallType*> fields = [] {
    std::map<std::string_view, const CallType*> out;
    for (const CallType* t : call_types()) {
      out.emplace(t->field, t);
    }
    out.erase("");
    return out;
  }();
  const auto found = fields.find(field);
  return found == fields.end() ? nullptr : found->second;
}

}  // namespace heddle::host
