#include "frontends/cuda/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "frontends/cuda/library.h"
#include "frontends/cuda/status.h"
#include "frontends/workload/graph_builder.h"
#include "sim/host/calls/call_types.h"

namespace heddle::cuda {
namespace {

constexpr uint64_t kHostBytes = uint64_t{1} << 47;  // all addresses that a process has

host::Extent extent(const isa::Dim3& d) { return {d.x, d.y, d.z}; }

}  // namespace

Timeline::Timeline(const config::GpuConfig& gpu, AddressSpace& space)
    : gpu_(gpu),
      space_(space),
      main_(builder_.thread("main")),
      pageable_(builder_.pageable("host memory", kHostBytes)),
      answers_(gpu, builder_.program(), rules_) {
  const char* loading = std::getenv("CUDA_MODULE_LOADING");
  rules_.lazy_loading = loading == nullptr || std::string_view(loading) != "EAGER";
}

void Timeline::allocated(Allocation& a, const char* name) {
  // The model allocates when it comes to the call.
  a.buffer = builder_.later(fmt::format("{} {}", name, builder_.program().buffers.size()), a.kind, a.bytes);
}

void Timeline::registered(Allocation& a) {
  a.buffer =
      builder_.pageable(fmt::format("registered memory {}", builder_.program().buffers.size()), a.bytes);
  main_.add(*host::type_named("host_register"), a.buffer.id);
}

void Timeline::unregistered(const Allocation& a) {
  main_.add(*host::type_named("host_unregister"), a.buffer.id);
}

void Timeline::wait_by(host::Rules::Wait wait) {
  if (std::exchange(rules_.wait, wait) != wait) {
    answers_.forget();
  }
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

// What the model knows of a launch besides its time and its calls.
std::string Timeline::key(const KernelWork& k) {
  return fmt::format("{} {},{},{} {},{},{} {},{},{} {} {} {}", k.function->kernel->name, k.grid.x, k.grid.y,
                     k.grid.z, k.block.x, k.block.y, k.block.z, k.cluster.x, k.cluster.y, k.cluster.z,
                     k.shared, k.cooperative, k.function->carveout);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as kernels launch kernels, which Context bounds
workload::Kernel Timeline::kernel(const KernelWork& k, const Performed& p) {
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
  return kernels_[all] = add(desc);
}

workload::Kernel Timeline::add(host::KernelDesc desc) {
  const auto next = static_cast<uint32_t>(builder_.program().kernels.size());
  if (const uint32_t first = loaded_as_.try_emplace(desc.name, next).first->second; first != next) {
    desc.variant_of = first;
  }
  return builder_.kernel(desc);
}

// Of equal launches that launch nothing themselves, each lasts the mean of theirs.
std::vector<NestedCall> Timeline::nested_calls(const Performed& p) {  // NOLINT(misc-no-recursion): kernel()
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
      out.back().kernel = kernel(n.work, n.performed).id;
      continue;
    }
    const Mean& m = means.at(key(n.work));
    out.back().kernel = kernel(n.work, {host::Ps(m.sum.count() / m.launches), {}, {}}).id;
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

void Timeline::launched(const KernelWork& k, workload::Kernel kernel, workload::Stream stream) {
  workload::LaunchAttributes a;
  if (k.with_priority) {
    a.priority = k.priority;
  }
  main_.launch(kernel, stream, a);
}

void Timeline::copied(const CopyWork& c, workload::Stream stream, bool waits) {
  const uint64_t rows = c.height * c.depth, bytes = c.width * rows;
  const Place to = place(c.to, bytes), from = place(c.from, bytes);
  if (waits) {
    main_.memcpy(to.buffer, from.buffer, bytes, rows, stream);
  } else {
    main_.memcpyAsync(to.buffer, from.buffer, stream, bytes, rows);
  }
  main_.at(to.offset, from.offset);
}

void Timeline::set(const MemsetWork& m, workload::Stream stream, bool waits) {
  const uint64_t bytes = m.width * m.element * m.height;
  const Place to = place(m.to, bytes);
  if (waits) {
    main_.memset(to.buffer, bytes, stream);
  } else {
    main_.memsetAsync(to.buffer, stream, bytes);
  }
  main_.at(to.offset);
}

host::GraphNode Timeline::node_of(const Node& n, GraphExec& x, size_t at) {
  host::GraphNode out;
  if (const auto* k = std::get_if<KernelWork>(&n.work)) {
    // One for this node alone: its duration is known when the graph has run.
    x.times[at].kernel = add(described(*k, host::Ps{})).id;
    out = workload::kernel_params({x.times[at].kernel});
    out.has_priority = k->with_priority;
    out.priority = k->priority;
  } else if (const auto* c = std::get_if<CopyWork>(&n.work)) {
    out.kind = host::NodeKind::kMemcpy;
    out.rows = c->height * c->depth;
    out.bytes = c->width * out.rows;
    const Place to = place(c->to, out.bytes), from = place(c->from, out.bytes);
    out.object = to.buffer.id;
    out.source = from.buffer.id;
    out.offset = to.offset;
    out.source_offset = from.offset;
  } else if (const auto* m = std::get_if<MemsetWork>(&n.work)) {
    out.kind = host::NodeKind::kMemset;
    out.bytes = m->width * m->element * m->height;
    const Place to = place(m->to, out.bytes);
    out.object = to.buffer.id;
    out.offset = to.offset;
  } else if (std::holds_alternative<HostWork>(n.work)) {
    out.kind = host::NodeKind::kHost;
  } else if (const auto* r = std::get_if<RecordWork>(&n.work)) {
    out.kind = host::NodeKind::kEventRecord;
    out.object = r->event->model.id;
  } else if (const auto* w = std::get_if<WaitWork>(&n.work)) {
    out.kind = host::NodeKind::kEventWait;
    out.object = w->event->model.id;
  }
  return out;
}

void Timeline::instantiated(GraphExec& x) {
  const std::string name = fmt::format("graph {}", builder_.program().graphs.size());
  x.model = workload::add_graph(builder_, name);
  x.exec = workload::add_graph_exec(builder_, name);
  x.times.assign(x.order.size(), {});
  std::map<const Node*, workload::Node> nodes;
  for (size_t i = 0; i < x.order.size(); ++i) {
    workload::Nodes after;
    for (const Node* a : x.order[i]->after) {
      after.push_back(nodes.at(a));
    }
    nodes[x.order[i]] = workload::add_node(builder_, x.model, node_of(*x.order[i], x, i), after);
  }
  main_.graphInstantiate(x.exec, x.model);
}

void Timeline::launched(GraphExec& x, const std::vector<host::Ps>& durations, workload::Stream stream) {
  for (size_t i = 0; i < durations.size(); ++i) {
    GraphExec::Times& t = x.times[i];
    if (t.kernel != host::kNone && x.enabled[i]) {
      t.sum += durations[i];
      ++t.launches;
      const host::Ps mean(t.sum.count() / static_cast<int64_t>(t.launches));
      if (std::exchange(builder_.program().kernels[t.kernel].duration, mean) != mean && t.launches > 1) {
        answers_.forget();  // earlier launches last as long
      }
    }
  }
  main_.graphLaunch(x.exec, stream);
}

host::Result Timeline::run(bool spans) {
  host::PlatformOptions o;
  o.rules = rules_;
  o.spans = spans;
  return host::run(builder_.program(), gpu_, o);
}

host::Ps Timeline::now() {
  if (!builder_.program().threads[0].calls.empty()) {
    if (const auto a = answers_.of_last_call()) {
      now_ = a->now;
    }
  }
  return now_;
}

double Timeline::elapsed_ms(const Event& from, const Event& to) {
  main_.eventElapsedTime(from.model, to.model);
  const auto a = answers_.of_last_call();
  require(a.has_value(), Status::kUnknown, "the model of the host has no answer");
  require(a->error.empty(), status_of(a->error), a->why.c_str());
  require(a->answer.empty(), status_of(a->answer), "an event that the device has not reached");
  // The later event may have been recorded first.
  return static_cast<double>(static_cast<int64_t>(a->time.count())) * 1e-9;
}

template <class Call>
bool Timeline::ask(host::Op op, uint32_t object, uint32_t stream, const Call& call) {
  constexpr uint64_t kFreePolls = 1 << 16;
  constexpr double kShare = 1.0 / 64;
  const auto& calls = builder_.program().threads[0].calls;
  const bool again = polls_ > 0 && calls.size() == behind_poll_;
  if (again && answers_.last_is(op, object, stream)) {
    answers_.repeat();
  } else {
    call();
  }
  const auto a = answers_.of_last_call();
  if (!a || a->answer.empty()) {
    throw CallFailed(Status::kUnknown, "the model of the host has no answer");
  }
  const bool done = a->answer == "cudaSuccess";
  polls_ = done ? 0 : again ? polls_ + 1 : 1;
  first_poll_ = polls_ == 1 ? a->now : first_poll_;
  if (polls_ > kFreePolls) {
    main_.compute_us(host::to_us(a->now - first_poll_) * kShare);
  }
  behind_poll_ = calls.size();
  return done;
}

bool Timeline::done(const Event& e) {
  return ask(host::Op::kEventQuery, e.model.id, 0, [&] { main_.eventQuery(e.model); });
}

bool Timeline::done(const Stream& s) {
  return ask(host::Op::kStreamQuery, host::kNone, s.model.id, [&] { main_.streamQuery(s.model); });
}

}  // namespace heddle::cuda
