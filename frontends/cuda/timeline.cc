#include "frontends/cuda/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "frontends/cuda/library.h"
#include "frontends/cuda/status.h"
#include "frontends/workload/graph_builder.h"
#include "frontends/workload/module_code.h"
#include "sim/host/calls/call_types.h"

namespace heddle::cuda {
namespace {

constexpr uint64_t kHostBytes = uint64_t{1} << 47;  // all addresses that a process has

host::Extent extent(const isa::Dim3& d) { return {d.x, d.y, d.z}; }

host::PlatformOptions platform_options(const Timeline::Options& o) {
  host::PlatformOptions out;
  const char* loading = std::getenv("CUDA_MODULE_LOADING");
  out.rules.new_process = o.new_process;
  out.rules.lazy_loading = loading == nullptr || std::string_view(loading) != "EAGER";
  out.spans = o.spans;
  out.effects = o.effects;
  out.kernels = o.kernels;
  return out;
}

}  // namespace

Timeline::Timeline(const config::GpuConfig& gpu, AddressSpace& space, const Options& options)
    : space_(space),
      has_machine_(options.kernels != nullptr),
      pageable_(builder_.pageable("host memory", kHostBytes)),
      options_(platform_options(options)),
      threads_(gpu, builder_, options_) {}

void Timeline::allocated(Allocation& a, const char* name) {
  // The model allocates when it comes to the call.
  a.buffer = builder_.later(fmt::format("{} {}", name, builder_.program().buffers.size()), a.kind, a.bytes);
}

void Timeline::registered(Allocation& a) {
  a.buffer =
      builder_.pageable(fmt::format("registered memory {}", builder_.program().buffers.size()), a.bytes);
  call([&](workload::Thread& t) { t.add(*host::type_named("host_register"), a.buffer.id); });
}

void Timeline::unregistered(const Allocation& a) {
  call([&](workload::Thread& t) { t.add(*host::type_named("host_unregister"), a.buffer.id); });
}

Timeline::Place Timeline::place(uint64_t address, uint64_t bytes) {
  const Allocation* a = space_.find(address);
  // Variables of modules are small, and the device's: any place of its memory will do.
  if (a == nullptr && space_.memory().range(address) != nullptr) {
    const std::string name = fmt::format("variables of {} bytes", bytes);
    const auto& all = builder_.program().buffers;
    const auto it = std::find_if(all.begin(), all.end(), [&](const auto& b) { return b.name == name; });
    return {it == all.end() ? builder_.device(name, bytes)
                            : workload::Buffer{static_cast<uint32_t>(it - all.begin())},
            0};
  }
  if (a == nullptr) {
    return {pageable_, address};
  }
  return {a->buffer, address - a->address};
}

// What the model knows of a launch besides its calls.
std::string Timeline::key(const KernelWork& k) {
  return fmt::format("{} {},{},{} {},{},{} {},{},{} {} {} {}", k.function->kernel->name, k.grid.x, k.grid.y,
                     k.grid.z, k.block.x, k.block.y, k.block.z, k.cluster.x, k.cluster.y, k.cluster.z,
                     k.shared, k.cooperative, k.function->carveout);
}

workload::Kernel Timeline::kernel(const KernelWork& k) {
  host::KernelDesc desc = described(k, {});
  desc.device_runtime = k.function->launches.value_or(false);
  // Those are executed whole: when a child begins is not known while its parent runs. Each launch has its own
  // time and calls.
  if (desc.device_runtime) {
    return add(k, desc);
  }
  desc.trace = has_machine_ ? 0 : host::kNone;
  const auto [it, is_new] = kernels_.try_emplace(key(k));
  if (is_new) {
    it->second = add(k, desc);
  }
  return it->second;
}

workload::Kernel Timeline::add(const KernelWork& k, host::KernelDesc desc) {
  const modules::Program& module = *k.function->program;
  const auto number = modules_.try_emplace(&module, static_cast<uint32_t>(modules_.size())).first->second;
  desc.code = workload::code_of(module, *k.function->kernel, number);
  const auto next = static_cast<uint32_t>(builder_.program().kernels.size());
  if (const uint32_t first = loaded_as_.try_emplace(desc.name, next).first->second; first != next) {
    desc.variant_of = first;
  }
  return builder_.kernel(desc);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as kernels launch kernels, which Context bounds
workload::Kernel Timeline::nested_kernel(const KernelWork& k, const Performed& p) {
  host::KernelDesc desc = described(k, p.duration);
  std::string all = fmt::format("{} {}", key(k), p.duration.count());
  if (!p.nested.empty()) {
    add_calls(desc, nested_calls(p), p.block);
  }
  for (const host::DeviceCall& c : desc.calls) {
    all += fmt::format(" {},{},{},{},{},{},{},{},{}", static_cast<int>(c.what), static_cast<int>(c.into),
                       c.kernel, c.stream, c.event, c.after.count(), c.blocks, c.threads, c.times);
  }
  const auto known = kernels_.find(all);
  if (known != kernels_.end()) {
    return known->second;
  }
  return kernels_[all] = add(k, desc);
}

void Timeline::performed(uint32_t kernel, const Performed& p) {
  if (p.nested.empty()) {
    return;
  }
  const std::vector<NestedCall> calls = nested_calls(p);  // makes kernels
  host::KernelDesc& k = builder_.program().kernels[kernel];
  k.duration = p.duration;
  add_calls(k, calls, p.block);
}

// Of equal launches that launch nothing themselves, each lasts the mean of theirs.
std::vector<NestedCall> Timeline::nested_calls(
    const Performed& p) {  // NOLINT(misc-no-recursion): nested_kernel()
  struct Mean {
    host::Ps sum{};
    int64_t launches = 0;
  };
  std::map<std::string, Mean> means;
  const auto is_launch = [](const NestedWork& n) { return n.op.what == exec::DeviceOp::What::kLaunch; };
  for (const NestedWork& n : p.nested) {
    if (is_launch(n) && n.performed.nested.empty()) {
      Mean& m = means[key(n.work)];
      m.sum += n.performed.duration;
      ++m.launches;
    }
  }
  std::vector<NestedCall> out;
  for (const NestedWork& n : p.nested) {
    out.push_back({n.op, 0});
    if (!is_launch(n)) {
      continue;
    }
    if (!n.performed.nested.empty()) {
      out.back().kernel = nested_kernel(n.work, n.performed).id;
      continue;
    }
    const Mean& m = means.at(key(n.work));
    out.back().kernel = nested_kernel(n.work, {host::Ps(m.sum.count() / m.launches), {}, {}}).id;
  }
  return out;
}

host::KernelDesc described(const KernelWork& k, host::Ps duration) {
  const modules::Kernel& f = *k.function->kernel;
  host::KernelDesc d;
  d.name = f.name;
  d.has_grid = true;
  d.grid = extent(k.grid);
  d.block = extent(k.block);
  d.cluster = extent(k.cluster);
  d.registers = f.registers != 0 ? f.registers : d.registers;
  d.static_shared_bytes = f.static_shared;
  d.dynamic_shared_bytes = k.shared;
  d.max_threads = f.most_threads;
  d.cooperative = k.cooperative;
  d.non_portable_cluster = k.function->non_portable_cluster;
  d.parameter_bytes = static_cast<uint32_t>(k.parameters.size());
  d.carveout_percent = k.function->carveout;
  d.duration = duration;
  return d;
}

HostThreads::Answer Timeline::launched(const KernelWork& k, workload::Stream stream, uint64_t values) {
  workload::LaunchAttributes a;
  if (k.with_priority) {
    a.priority = k.priority;
  }
  const workload::Kernel one = kernel(k);
  return call([&](workload::Thread& t) {
    t.launch(one, stream, a);
    t.values(values);
  });
}

HostThreads::Answer Timeline::copied(const CopyWork& c, workload::Stream stream, bool waits,
                                     uint64_t values) {
  const uint64_t rows = c.height * c.depth, bytes = c.width * rows;
  const Place to = place(c.to, bytes), from = place(c.from, bytes);
  return call([&](workload::Thread& t) {
    if (waits) {
      t.memcpy(to.buffer, from.buffer, bytes, rows, stream);
    } else {
      t.memcpyAsync(to.buffer, from.buffer, stream, bytes, rows);
    }
    t.at(to.offset, from.offset).values(values);
  });
}

HostThreads::Answer Timeline::set(const MemsetWork& m, workload::Stream stream, bool waits, uint64_t values) {
  const uint64_t bytes = m.width * m.element * m.height;
  const Place to = place(m.to, bytes);
  return call([&](workload::Thread& t) {
    if (waits) {
      t.memset(to.buffer, bytes, stream);
    } else {
      t.memsetAsync(to.buffer, stream, bytes);
    }
    t.at(to.offset).values(values);
  });
}

void Timeline::asked(LoadedFunction& f) {
  const auto it = loaded_as_.find(f.kernel->name);
  workload::Kernel one;
  if (it != loaded_as_.end()) {
    one = {it->second};
  } else {
    KernelWork k;
    k.function = &f;
    one = add(k, described(k, {}));
  }
  call([&](workload::Thread& t) { t.funcGetAttributes(one); });
}

HostThreads::Answer Timeline::called(workload::Stream stream, uint64_t values) {
  return call([&](workload::Thread& t) { t.launchHostFunc(stream, 0).values(values); });
}

// NOLINTNEXTLINE(misc-no-recursion): graph_of()
host::GraphNode Timeline::node_of(const Work& work, const Keep& values) {
  host::GraphNode out;
  if (const auto* k = std::get_if<KernelWork>(&work)) {
    out = workload::kernel_params(kernel(*k));
    out.has_priority = k->with_priority;
    out.priority = k->priority;
  } else if (const auto* c = std::get_if<CopyWork>(&work)) {
    out.kind = host::NodeKind::kMemcpy;
    out.rows = c->height * c->depth;
    out.bytes = c->width * out.rows;
    const Place to = place(c->to, out.bytes), from = place(c->from, out.bytes);
    out.object = to.buffer.id;
    out.source = from.buffer.id;
    out.offset = to.offset;
    out.source_offset = from.offset;
  } else if (const auto* m = std::get_if<MemsetWork>(&work)) {
    out.kind = host::NodeKind::kMemset;
    out.bytes = m->width * m->element * m->height;
    const Place to = place(m->to, out.bytes);
    out.object = to.buffer.id;
    out.offset = to.offset;
  } else if (std::holds_alternative<HostWork>(work)) {
    out.kind = host::NodeKind::kHost;
  } else if (const auto* r = std::get_if<RecordWork>(&work)) {
    out.kind = host::NodeKind::kEventRecord;
    out.object = r->event->model.id;
  } else if (const auto* w = std::get_if<WaitWork>(&work)) {
    out.kind = host::NodeKind::kEventWait;
    out.object = w->event->model.id;
    values(work);  // the event lives as long as the graph; when it has happened the model knows
    return out;
  } else if (const auto* g = std::get_if<ChildWork>(&work)) {
    out.kind = host::NodeKind::kChild;
    out.object = graph_of(g->graph->order(), values).id;
    return out;  // its nodes do something; nobody keeps the graph and what that refers to
  } else if (const auto* d = std::get_if<ConditionalWork>(&work)) {
    out.kind = host::NodeKind::kConditional;
    out.condition = d->condition;
    out.object = d->handle->model.id;
    for (const auto& body : d->bodies) {
      out.bodies.push_back(graph_of(body->order(), values).id);
    }
    return out;
  }
  out.values = values(work);
  return out;
}

// NOLINTNEXTLINE(misc-no-recursion): graphs in graphs, which child_of() bounds
workload::Graph Timeline::graph_of(const std::vector<Node*>& order, const Keep& values) {
  const workload::Graph graph =
      workload::add_graph(builder_, fmt::format("graph {}", builder_.program().graphs.size()));
  std::map<const Node*, workload::Node> nodes;
  for (const Node* n : order) {
    workload::Nodes after;
    for (const Node* a : n->after) {
      after.push_back(nodes.at(a));
    }
    nodes[n] = workload::add_node(builder_, graph, node_of(n->work, values), after);
  }
  return graph;
}

void Timeline::instantiated(GraphExec& x, const Keep& values) {
  x.model = graph_of(x.order, values);
  x.exec = workload::add_graph_exec(builder_, fmt::format("graph {}", builder_.program().graph_execs.size()));
  const HostThreads::Answer a = call([&](workload::Thread& t) { t.graphInstantiate(x.exec, x.model); });
  require(a.error.empty(), status_of(a.error), a.why.c_str());
}

void Timeline::updated(GraphExec& x, const Keep& values) {
  const workload::Graph graph = graph_of(x.order, values);
  const HostThreads::Answer a = call([&](workload::Thread& t) { t.graphExecUpdate(x.exec, graph); });
  builder_.program().graphs[graph.id].nodes.clear();  // the model has its own
  require(a.error.empty(), status_of(a.error), a.why.c_str());
}

void Timeline::changed(GraphExec& x, size_t at, const Keep& values) {
  const host::GraphNode node = node_of(x.order[at]->work, values);
  const HostThreads::Answer a = call([&](workload::Thread& t) {
    builder_.program().node_changes.clear();  // none of them is used behind its call
    t.graphExecNodeSetParams(x.exec, workload::add_change(builder_, {static_cast<uint32_t>(at)}, node));
  });
  require(a.error.empty(), status_of(a.error), a.why.c_str());
}

double Timeline::elapsed_ms(const Event& from, const Event& to) {
  const HostThreads::Answer a = call([&](workload::Thread& t) { t.eventElapsedTime(from.model, to.model); });
  require(a.error.empty(), status_of(a.error), a.why.c_str());
  require(a.answer.empty(), status_of(a.answer), "an event that the device has not reached");
  // The later event may have been recorded first.
  return static_cast<double>(static_cast<int64_t>(a.time.count())) * 1e-9;
}

bool Timeline::done(const Event& e) {
  return call([&](workload::Thread& t) { t.eventQuery(e.model); }).answer == "cudaSuccess";
}

bool Timeline::done(const Stream& s) {
  return call([&](workload::Thread& t) { t.streamQuery(s.model); }).answer == "cudaSuccess";
}

}  // namespace heddle::cuda
