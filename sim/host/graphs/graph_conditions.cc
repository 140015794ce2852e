// Conditional nodes: the device decides, the host has no part in it (GC01).
#include <algorithm>

#include "sim/host/core/effects.h"
#include "sim/host/graphs/graphs.h"

namespace heddle::host {

void Graphs::kernel_ended(uint32_t kernel) {
  const KernelDesc& k = core_.program.kernels[kernel];
  if (k.sets_handle == kNone || k.handle_values.empty()) {
    return;
  }
  Handle& h = handles_[k.sets_handle];
  h.value = k.handle_values[std::min<size_t>(h.sets, k.handle_values.size() - 1)];
  ++h.sets;
}

void Graphs::decide(uint32_t slot) {
  const Command& c = core_.commands[slot];
  const Plan& plan = *runs_[c.run].plan;
  const PlanNode& n = plan.nodes[c.node];
  const auto& bodies = plan.bodies[n.bodies];
  const uint64_t values = core_.program.handles[n.object].values;
  const uint32_t value = values != 0 ? core_.effects->condition(values) : handles_[n.object].value;
  const size_t body = n.condition == GraphNode::Condition::kSwitch ? value : value != 0 ? 0 : 1;
  // A WHILE has one body: zero is past it.
  if (body < bodies.size()) {
    run_body(slot, std::shared_ptr<const Plan>(bodies[body]));
  } else {
    core_.finish(slot);
  }
}

void Graphs::run_body(uint32_t conditional, const std::shared_ptr<const Plan>& body) {
  const uint32_t stream = core_.commands[conditional].stream, device = core_.commands[conditional].device;
  const bool node_priority = runs_[core_.commands[conditional].run].node_priority;
  const uint32_t run = new_run(body);
  const uint32_t start = add(Work::kBarrier, stream, device, body->label);
  const uint32_t end = add(Work::kBodyEnd, stream, device, body->label);
  core_.commands[end].object = run;
  ordering_.depend(end, core_.commands.ref(start));
  runs_[run].end = end;
  runs_[run].conditional = conditional;
  runs_[run].node_priority = node_priority;
  add_nodes(run, start);
  core_.finish(start);
}

void Graphs::body_ended(uint32_t slot) {
  const uint32_t conditional = runs_[core_.commands[slot].object].conditional;
  ended(slot);
  const Command& c = core_.commands[conditional];
  if (runs_[c.run].plan->nodes[c.node].condition == GraphNode::Condition::kWhile) {
    decide(conditional);  // GC06: again after each body
  } else {
    core_.finish(conditional);
  }
}

}  // namespace heddle::host
