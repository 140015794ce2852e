// --check on launches of graphs: what the nodes access is compared with what else the program does as if it
// happened at the launch, and with each other by the graph's edges (GN03).
#include <algorithm>
#include <map>

#include "sim/host/calls/threads.h"

namespace heddle::host {
namespace {

// Each is compared with each: a bit for each pair is kept.
constexpr size_t kMostCheckedNodes = 16384;

struct Use {
  uint32_t node;
  Access access;
};

// Of a node, with what the bodies of a conditional node do.
void collect(const Program& p, const Plan& plan, uint32_t node, uint32_t as, std::vector<Use>& out) {
  const PlanNode& n = plan.nodes[node];
  const std::vector<Access>& all = n.work == Work::kKernel ? p.kernels[n.object].accesses : n.accesses;
  for (const Access& a : all) {
    out.push_back({as, a});
  }
  if (n.bodies != kNone) {
    for (const auto& body : plan.bodies[n.bodies]) {
      for (uint32_t i = 0; i < body->nodes.size(); ++i) {
        collect(p, *body, i, as, out);
      }
    }
  }
}

// Which nodes of a plan have ended before which begin.
class Before {
 public:
  Before(const Program& p, const Plan& plan)
      : before_(plan.nodes.size(), std::vector<bool>(plan.nodes.size(), false)) {
    std::vector<std::vector<uint32_t>> beside(plan.nodes.size());
    for (const Plan::Arc& a : plan.arcs) {  // by `to`, ascending: those of `from` are complete
      std::vector<bool>& to = before_[a.to];
      for (uint32_t i = 0; i < a.from; ++i) {
        to[i] = to[i] || before_[a.from][i];
      }
      // A secondary that does not wait has its primary beside it, but ends no earlier.
      const bool early = a.port != Port::kDefault && plan.nodes[a.to].work == Work::kKernel &&
                         plan.nodes[a.from].work == Work::kKernel &&
                         p.kernels[plan.nodes[a.to].object].wait_after == kNever;
      if (early) {
        beside[a.to].push_back(a.from);
        continue;
      }
      to[a.from] = true;
      for (uint32_t i : beside[a.from]) {
        to[i] = true;
      }
    }
  }
  bool operator()(uint32_t a, uint32_t b) const { return before_[b][a]; }
  bool ordered(uint32_t a, uint32_t b) const { return a == b || before_[b][a] || before_[a][b]; }

 private:
  std::vector<std::vector<bool>> before_;
};

}  // namespace

void Threads::check_graph(uint32_t thread, const Call& c, const std::vector<uint32_t>& freed) {
  const Epoch epoch = clocks_.command(thread, c.stream);
  if (!checker_.on()) {
    return;
  }
  const Clock& clock = clocks_.of_stream(c.stream);
  const Plan& plan = graphs_.plan(c.object);
  if (plan.nodes.size() > kMostCheckedNodes) {
    throw LimitReached(core_.recorder.text(plan.label) + ": more than " + std::to_string(kMostCheckedNodes) +
                       " nodes, which --check does not compare with each other");
  }
  const auto at = [&](uint32_t node) {
    Checker::Site s = site(thread);
    s.node = "node " + core_.recorder.text(plan.nodes[node].label);
    return s;
  };
  for (uint32_t b : freed) {
    checker_.freed(b, clock, site(thread));
  }
  std::map<uint32_t, uint32_t> alloc, release;  // node by buffer
  std::vector<Use> uses;
  for (uint32_t i = 0; i < plan.nodes.size(); ++i) {
    const PlanNode& n = plan.nodes[i];
    if (n.work == Work::kMemAlloc) {
      alloc[n.object] = i;
      checker_.allocated(n.object, epoch, at(i));
    } else if (n.work == Work::kMemFree) {
      release[n.object] = i;
    }
    collect(core_.program, plan, i, i, uses);
  }
  std::map<uint32_t, std::vector<Use>> by_buffer;
  for (const Use& u : uses) {
    checker_.access(u.access, epoch, clock, at(u.node));
    by_buffer[u.access.buffer].push_back(u);
  }
  const Before before(core_.program, plan);
  for (const auto& [buffer, all] : by_buffer) {
    const auto made = alloc.find(buffer), gone = release.find(buffer);
    for (const Use& u : all) {
      const uint32_t device = plan.nodes[u.node].device;
      const GraphLayout::Allocation* a = graphs_.memory().allocation(buffer);
      if (a != nullptr && plan.nodes[u.node].work == Work::kKernel &&
          std::find(a->access.begin(), a->access.end(), device) == a->access.end()) {
        checker_.report("no access from the node's device", buffer, at(u.node), {});
      }
      if (made != alloc.end() && !before(made->second, u.node)) {
        checker_.report("use before allocation", buffer, at(u.node), at(made->second));
      } else if (gone != release.end() && !before(u.node, gone->second)) {
        checker_.report(before(gone->second, u.node) ? "use after free" : "free while in use", buffer,
                        at(u.node), at(gone->second));
      }
      for (const Use& other : all) {
        if (other.node < u.node && !before.ordered(other.node, u.node) &&
            conflict(core_.program, other.access, u.access)) {
          checker_.report("race", buffer, at(u.node), at(other.node));
        }
      }
    }
  }
  for (const auto& [buffer, node] : release) {
    const auto made = alloc.find(buffer);
    if (made != alloc.end() && !before(made->second, node)) {
      checker_.report("free before allocation", buffer, at(node), at(made->second));
    }
    checker_.freed(buffer, clock, at(node));
  }
}

}  // namespace heddle::host
