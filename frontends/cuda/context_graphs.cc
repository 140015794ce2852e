// Graphs: captured, made by nodes, instantiated, launched.
#include <algorithm>
#include <string>
#include <utility>

#include "frontends/cuda/context.h"
#include "frontends/workload/graph_builder.h"

namespace heddle::cuda {

void Context::begin_capture(Stream& s, std::shared_ptr<Graph> into, const std::vector<Node*>& front) {
  require(&s != &legacy_, Status::kStreamCaptureUnsupported, "the legacy stream cannot capture");
  require(!s.capture, Status::kIllegalState, "the stream captures already");
  for (const Node* n : front) {
    require(n->graph == into.get(), Status::kInvalidValue, "a node of another graph");
  }
  s.capture = std::make_shared<Capture>();
  s.capture->owned = into == nullptr;
  s.capture->graph = into ? std::move(into) : std::make_shared<Graph>();
  s.capture->id = ++ids_;
  s.capture->origin = &s;
  s.front = front;
  timeline_.threads().spend(params_.graph.capture_begin);
}

std::shared_ptr<Graph> Context::end_capture(Stream& s) {
  require(s.capture != nullptr, Status::kIllegalState, "the stream does not capture");
  require(s.capture->origin == &s, Status::kStreamCaptureUnmatched, "another stream began the capture");
  const std::shared_ptr<Capture> c = s.capture;
  c->ended = true;
  timeline_.threads().spend(params_.graph.capture_end);
  bool joined = true;
  for (const auto& [handle, other] : streams_) {
    if (other.get() == &s || other->capture != c) {
      continue;
    }
    // What it captured last must be before what this stream captured last.
    for (const Node* n : other->front) {
      const bool is_last = std::find(s.front.begin(), s.front.end(), n) != s.front.end();
      const bool has_next = std::any_of(c->graph->nodes.begin(), c->graph->nodes.end(), [&](const auto& m) {
        return std::find(m->after.begin(), m->after.end(), n) != m->after.end();
      });
      joined = joined && (is_last || has_next);
    }
  }
  for (const auto& [handle, other] : streams_) {
    if (other->capture == c) {
      other->capture = nullptr;
      other->front.clear();
    }
  }
  require(!c->invalid, Status::kStreamCaptureInvalidated);
  require(joined, Status::kStreamCaptureUnjoined, "another stream's work was not joined");
  return c->graph;
}

Graph& Context::create_graph() { return keep(std::make_shared<Graph>()); }

Graph& Context::keep(std::shared_ptr<Graph> g) { return graphs_.keep(std::move(g)); }

std::shared_ptr<Graph> Context::graph(const void* handle) { return graphs_.owner(handle); }

void Context::destroy(Graph& g) {
  forget_bodies(g);
  graphs_.drop(&g);
  end_user_objects();
}

Node& Context::node(const void* handle) {
  for (const auto& [key, g] : graphs_) {
    if (Node* n = g->find(handle)) {
      return *n;
    }
  }
  throw CallFailed(Status::kInvalidValue, "no such node");
}

void Context::destroy(Node& n) {
  // Nothing that is captured later comes behind it.
  for (const auto& [handle, s] : streams_) {
    std::erase(s->front, &n);
  }
  for (const auto& [handle, e] : events_) {
    std::erase(e->front, &n);
  }
  forget_bodies(n);
  n.graph->remove(&n);
  end_user_objects();
}

void** Context::parameter_pointers(Node& n) {
  auto& k = std::get<KernelWork>(n.work);
  n.pointers.clear();
  for (const modules::Parameter& p : k.function->kernel->parameters) {
    n.pointers.push_back(k.parameters.data() + p.offset);
  }
  return n.pointers.data();
}

GraphExec& Context::instantiate(const Graph& g, uint32_t flags) {
  auto x = std::make_unique<GraphExec>();
  x->graph = g.clone();
  x->order = x->graph->order();
  x->enabled.assign(x->order.size(), true);
  x->flags = flags;
  prepare_all(*x->graph);
  timeline_.instantiated(*x, keeps(*x));
  return execs_.keep(std::move(x));
}

GraphExec& Context::exec(const void* handle) { return execs_.at(handle); }

void Context::destroy(GraphExec& x) {
  retired_.insert(retired_.end(), x.values.begin(), x.values.end());
  timeline_.call([&](auto& t) { t.graphExecDestroy(x.exec); });
  // Its references are given back when its launches are done (GR24).
  std::shared_ptr<Graph> launched = std::move(x.graph);
  execs_.drop(&x);
  when_idle([kept = std::move(launched)] {});
}

void Context::launch(GraphExec& x, Stream& s) {
  if (s.capture) {
    captured(s, child_of(*x.graph), false);
    return;
  }
  for (const Node* n : x.order) {
    if (const auto* r = std::get_if<RecordWork>(&n->work)) {
      r->event->recorded = true;
    }
  }
  timeline_.call([&](auto& t) { t.graphLaunch(x.exec, s.model); });
}

void Context::update(GraphExec& x, const Graph& g) {
  const std::shared_ptr<Graph> copy = g.clone();
  const std::vector<Node*> order = copy->order();
  bool same = order.size() == x.order.size();
  for (size_t i = 0; same && i < order.size(); ++i) {
    same = order[i]->work.index() == x.order[i]->work.index() &&
           order[i]->after.size() == x.order[i]->after.size();
  }
  require(same, Status::kGraphExecUpdateFailure, "the graphs have other nodes");
  for (size_t i = 0; i < order.size(); ++i) {
    if (const auto* k = std::get_if<KernelWork>(&order[i]->work)) {
      check(*k);
      prepare(*k);
    }
  }
  // As long as earlier launches run they have the references of then, and those of the children of then.
  auto before = std::make_shared<std::pair<UserReferences, std::vector<Work>>>();
  before->first = std::exchange(x.graph->users, copy->users);
  for (size_t i = 0; i < order.size(); ++i) {
    before->second.push_back(std::exchange(x.order[i]->work, order[i]->work));
  }
  timeline_.updated(x, keeps(x));
  when_idle([kept = std::move(before)] {});
}

void Context::change(GraphExec& x, const Node& original, Work work) {
  // A node of the instantiated graph itself stands for itself.
  const auto own =
      std::find_if(x.order.begin(), x.order.end(), [&](const Node* n) { return n == &original; });
  const size_t at = own != x.order.end() ? static_cast<size_t>(own - x.order.begin()) : x.place(&original);
  Node& n = *x.order[at];
  require(work.index() == n.work.index(), Status::kInvalidValue, "another kind of node");
  if (const auto* k = std::get_if<KernelWork>(&work)) {
    check(*k);
    prepare(*k);
  }
  std::swap(n.work, work);
  try {
    timeline_.changed(x, at, keeps(x));
  } catch (const CallFailed&) {
    std::swap(n.work, work);
    throw;
  }
}

// The values of the graph's nodes: what a node did before its change an earlier launch may still do.
Timeline::Keep Context::keeps(GraphExec& x) {
  return [this, &x](const Work& w) {
    x.values.push_back(keep(w, true));
    return x.values.back();
  };
}

void Context::enable(GraphExec& x, const Node& original, bool on) {
  const size_t at = x.place(&original);
  x.enabled[at] = on;
  timeline_.call([&](auto& t) { t.graphNodeSetEnabled(x.exec, {static_cast<uint32_t>(at)}, on); });
}

// NOLINTNEXTLINE(misc-no-recursion): graphs in graphs, which child_of() bounds, and bodies
void Context::prepare_all(const Graph& g) {
  for (const auto& n : g.nodes) {
    if (const auto* k = std::get_if<KernelWork>(&n->work)) {
      check(*k);
      prepare(*k);
    } else if (const auto* child = std::get_if<ChildWork>(&n->work)) {
      prepare_all(*child->graph);
    } else if (const auto* conditional = std::get_if<ConditionalWork>(&n->work)) {
      for (const auto& body : conditional->bodies) {
        prepare_all(*body);
      }
    }
  }
}

// ---- conditional nodes

uint64_t Context::create_condition(const Graph& g, uint32_t value, bool assigns) {
  auto h = std::make_shared<ConditionHandle>();
  h->address = space_.memory().allocate(sizeof(uint32_t));
  h->graph = &g;
  workload::Builder& b = timeline_.builder();
  const std::string name = "handle " + std::to_string(b.program().handles.size());
  h->model = assigns ? workload::add_handle(b, name, value) : workload::add_handle(b, name);
  b.program().handles[h->model.id].values = h->address;
  conditions_[h->address] = h;
  return h->address;
}

ConditionalWork Context::conditional(const Graph& g, uint64_t handle, host::GraphNode::Condition condition,
                                     uint32_t bodies) {
  using Condition = host::GraphNode::Condition;
  constexpr uint32_t kMostBodies = 1 << 16;  // of a SWITCH, here
  const auto it = conditions_.find(handle);
  require(it != conditions_.end() && it->second->graph == &g && !it->second->used, Status::kInvalidValue,
          "no handle of this graph, or one that another node has");
  const uint32_t most = condition == Condition::kIf ? 2 : condition == Condition::kWhile ? 1 : kMostBodies;
  require(bodies >= 1 && bodies <= most, Status::kInvalidValue, "bodies of a conditional node");
  it->second->used = true;
  ConditionalWork out{condition, it->second, {}, {}};
  for (uint32_t i = 0; i < bodies; ++i) {
    out.bodies.push_back(std::make_shared<Graph>());
    out.body_handles.push_back(&keep(out.bodies.back()));
  }
  return out;
}

// The program holds no handles of bodies whose node is gone.
// NOLINTNEXTLINE(misc-no-recursion): bodies in bodies
void Context::forget_bodies(const Node& n) {
  if (const auto* conditional = std::get_if<ConditionalWork>(&n.work)) {
    for (const auto& body : conditional->bodies) {
      forget_bodies(*body);
      graphs_.drop(body.get());
    }
  }
}
// NOLINTNEXTLINE(misc-no-recursion): bodies in bodies
void Context::forget_bodies(const Graph& g) {
  for (const auto& n : g.nodes) {
    forget_bodies(*n);
  }
}

// ---- user objects

UserObject& Context::create_user_object(HostWork destructor, uint32_t count) {
  return user_objects_.create(destructor, count);
}

void Context::retain_user_object(const void* object, uint32_t count) { user_objects_.retain(object, count); }

void Context::release_user_object(const void* object, uint32_t count) {
  user_objects_.release(object, count);
  end_user_objects();
}

void Context::retain_user_object(Graph& g, const void* object, uint32_t count, bool moves) {
  user_objects_.retain(g.users, object, count, moves);
}

void Context::release_user_object(Graph& g, const void* object, uint32_t count) {
  user_objects_.release(g.users, object, count);
  end_user_objects();
}

}  // namespace heddle::cuda
