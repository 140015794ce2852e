// Launches of graphs by kernels of graphs: cuda-model A18.
#include <algorithm>
#include <utility>

#include "sim/host/graphs/graphs.h"

namespace heddle::host {
namespace {

constexpr uint32_t kMostForgotten = 120;  // fire-and-forget launches of one execution (GD07, B7)
constexpr size_t kMostTails = 255;        // pending (GD09, B7)

const char* stream_name(DeviceLaunch::Into into) {
  return into == DeviceLaunch::Into::kTail      ? "cudaStreamGraphTailLaunch"
         : into == DeviceLaunch::Into::kSibling ? "cudaStreamGraphFireAndForgetAsSibling"
                                                : "cudaStreamGraphFireAndForget";
}

}  // namespace

// GD02: what a graph that is launched from the device may hold.
std::optional<std::string> refuse_for_device(const Core& core, const Definition& d, uint32_t device) {
  if (d.nodes.empty()) {
    return "an empty graph";
  }
  for (size_t i = 0; i < d.nodes.size(); ++i) {
    const GraphNode& n = d.nodes[i];
    switch (n.kind) {
      case NodeKind::kKernel:
        if (n.device != kNone && n.device != device) {
          return "cudaGraphInstantiateMultipleDevicesNotSupported";
        }
        if (!core.program.kernels[n.object].calls.empty()) {
          return "cudaGraphInstantiateNodeOperationNotSupported: a kernel that launches kernels";
        }
        break;
      case NodeKind::kMemcpy:
      case NodeKind::kMemset:
        for (uint32_t b : {n.object, n.kind == NodeKind::kMemcpy ? n.source : n.object}) {
          const BufferDesc& buffer = core.program.buffers[b];
          if (core.memory(b) == Memory::kPageable || buffer.memory == Memory::kWriteCombined) {
            return "cudaGraphInstantiateNodeOperationNotSupported: copies of device and pinned, mapped "
                   "memory only";
          }
          if (buffer.memory == Memory::kDevice && buffer.device != device && !core.program.peer_access) {
            return "cudaGraphInstantiateMultipleDevicesNotSupported";
          }
        }
        break;
      case NodeKind::kChild:
        if (d.children[i]->device != device) {
          return "cudaGraphInstantiateMultipleDevicesNotSupported";
        }
        if (auto no = refuse_for_device(core, *d.children[i], device)) {
          return no;
        }
        break;
      default:
        return "cudaGraphInstantiateNodeOperationNotSupported: kernels, copies, memsets and child graphs "
               "only";
    }
  }
  return std::nullopt;
}

void Graphs::kernel_started(uint32_t slot, Ps at) {
  const Command& c = core_.commands[slot];
  const KernelDesc& k = core_.program.kernels[c.object];
  executions_.resize(core_.program.kernels.size(), 0);
  const uint64_t execution = executions_[c.object]++;
  Ps free{};  // one thread makes the calls
  uint32_t calls = 0;
  for (uint32_t i = 0; i < k.launches.size(); ++i) {
    const DeviceLaunch& l = k.launches[i];
    for (uint32_t n = 0; execution < l.executions && n < l.times; ++n) {
      free = std::max({core_.now, at + l.after, free}) + core_.params.graph.device_launch;
      core_.events.push(free, Happening::kDeviceCall, slot, i, c.number);
      ++calls;
    }
  }
  if (calls > 0) {
    calling_[slot] = {calls, false};
  }
}

bool Graphs::still_calls(uint32_t slot) {
  const auto it = calling_.find(slot);
  if (it == calling_.end()) {
    return false;
  }
  it->second.finished = true;
  return true;
}

void Graphs::device_call(uint32_t slot, uint32_t launch) {
  const Command& c = core_.commands[slot];
  const DeviceLaunch& l = core_.program.kernels[c.object].launches[launch];
  const uint32_t exec = l.exec == kNone ? runs_[c.run].exec : l.exec;
  if (const auto no = launch_on_device(c.run, exec, l)) {
    const std::string call = core_.recorder.text(c.name) + ": cudaGraphLaunch(" +
                             core_.program.graph_execs[exec] + ", " + stream_name(l.into) + ")";
    const auto [it, first] = device_error_of_.try_emplace({call, no->error}, device_errors_.size());
    if (first) {
      device_errors_.push_back({call, no->error, no->why});
    } else {
      ++device_errors_[it->second].times;
    }
  }
  const auto it = calling_.find(slot);
  if (--it->second.left == 0) {
    const bool finished = it->second.finished;
    calling_.erase(it);
    if (finished) {
      core_.finish(slot);
    }
  }
}

// The environment of a launch from the host, below that of its stream (GD08).
uint32_t Graphs::environment_of(uint32_t run) {
  if (runs_[run].environment == kNone) {
    const Run& r = runs_[run];
    const uint32_t stream = open(kNone, {nullptr, r.end, r.stream});
    const uint32_t own = open(stream, {r.activity, kNone, r.stream});
    environments_.ended(stream);  // it has no work of its own
    runs_[run].environment = own;
  }
  return runs_[run].environment;
}

uint32_t Graphs::open(uint32_t parent, DeviceRun what) {
  const uint32_t e = environments_.open(parent);
  note_environment(e, std::move(what));
  return e;
}

void Graphs::note_environment(uint32_t environment, DeviceRun what) {
  device_runs_.resize(std::max<size_t>(device_runs_.size(), environment + 1));
  device_runs_[environment] = std::move(what);
}

std::optional<Refusal> Graphs::launch_on_device(uint32_t run, uint32_t exec, const DeviceLaunch& l) {
  const auto invalid = [](const std::string& why) { return Refusal{"cudaErrorInvalidValue", why}; };
  Exec& x = execs_[exec];
  const bool tail = l.into == DeviceLaunch::Into::kTail;
  const bool self = exec == runs_[run].exec;
  if (x.plan == nullptr || !x.device_launch) {
    return invalid("not instantiated for launches from the device (GD01)");
  }
  if (!x.uploaded) {
    return invalid("not uploaded, or changed since (GD03)");
  }
  if (x.activity->tail_pending || (x.activity->running > 0 && !(self && tail))) {
    return invalid(self && tail ? "one launch of itself is pending already (GD11)"
                                : "it is running already (GD04)");
  }
  const uint32_t e = environment_of(run);
  if (tail) {
    if (environments_.tails(e) >= kMostTails) {
      return invalid("more than 255 tail launches pending (GD09)");
    }
    x.activity->tail_pending = true;
    environments_.add_tail(e, exec);
    return std::nullopt;
  }
  if (device_runs_[e].forgotten >= kMostForgotten) {
    return invalid("more than 120 fire-and-forget launches of one execution (GD07)");
  }
  ++device_runs_[e].forgotten;
  ++x.activity->running;
  const uint32_t parent = l.into == DeviceLaunch::Into::kSibling ? environments_.parent(e) : e;  // GD12
  const uint32_t stream = runs_[run].stream;
  start_on_device(exec, open(parent, {x.activity, kNone, stream}), stream, core_.params.graph.device_start);
  return std::nullopt;
}

void Graphs::start_on_device(uint32_t exec, uint32_t environment, uint32_t stream, Ps after) {
  const std::shared_ptr<const Plan> plan = execs_[exec].plan;
  const uint32_t run = new_run(plan);
  const uint32_t device = core_.program.streams[stream].device;
  const uint32_t start = add(Work::kBarrier, stream, device, plan->label);
  const uint32_t end = add(Work::kGraphEnd, stream, device, plan->label);
  core_.commands[end].object = run;
  core_.commands[end].start = core_.now + after;
  ordering_.depend(end, core_.commands.ref(start));
  Run& r = runs_[run];
  r.end = end;
  r.exec = exec;
  r.stream = stream;
  r.activity = execs_[exec].activity;
  r.environment = environment;
  r.on_device = true;
  r.node_priority = execs_[exec].node_priority;
  add_nodes(run, start);
  core_.events.push(core_.now + after, Happening::kFinish, start);
}

void Graphs::work_ended(uint32_t slot) {
  Run& r = runs_[core_.commands[slot].object];
  const uint32_t environment = r.environment;
  if (environment == kNone) {  // nothing was launched from it
    --r.activity->running;
    core_.finish(slot);
    return;
  }
  if (r.on_device) {
    core_.finish(slot);
  }
  environments_.ended(environment);
}

void Graphs::complete(uint32_t environment) {
  const DeviceRun what = device_runs_[environment];
  if (what.activity != nullptr) {
    --what.activity->running;
  }
  if (what.end != kNone) {  // all of a launch from the host: its stream goes on
    core_.finish(what.end);
  }
}

void Graphs::run_tail(uint32_t exec, uint32_t environment) {
  const Exec& x = execs_[exec];
  const uint32_t stream = device_runs_[environments_.parent(environment)].stream;
  note_environment(environment, {x.activity, kNone, stream});
  if (x.plan == nullptr) {  // destroyed since
    environments_.ended(environment);
    return;
  }
  x.activity->tail_pending = false;
  ++x.activity->running;
  start_on_device(exec, environment, stream, core_.params.graph.device_tail);
}

}  // namespace heddle::host
