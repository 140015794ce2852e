#include "sim/host/platform/platform.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/host/core/kernel_model.h"
#include "sim/host/platform/deadlock.h"

namespace heddle::host {
namespace {

// Pools ask who is ordered after a free.
bool uses_pools(const Program& p) {
  return std::any_of(p.threads.begin(), p.threads.end(), [&](const ThreadDesc& t) {
    return std::any_of(t.calls.begin(), t.calls.end(),
                       [](const Call& c) { return c.op == Op::kMallocAsync; });
  });
}

}  // namespace

Platform::Platform(const Program& p, const Params& params, const PlatformOptions& options)
    : Core(p, params, options.rules, options.spans, options.kernels, options.effects, options.cancel,
           options.limits),
      ordering_(*this),
      connections_(*this),
      clocks_(p, options.check || uses_pools(p)),
      memory_(p, params),
      graphs_(*this, ordering_, memory_),
      nested_(*this, ordering_, memory_),
      space_(p, params, memory_),
      checker_(p, space_, options.check, options.limits.findings, result_),
      unified_(p, params, memory_),
      migration_(*this),
      faults_(*this, unified_, migration_),
      graphs_wanted_(options.graphs),
      l2_(*this, options.kernel_time),
      traffic_(*this, space_, memory_),
      threads_(*this,
               {ordering_, connections_, clocks_, memory_, checker_, unified_, migration_, graphs_, nested_,
                l2_, space_},
               result_),
      host_functions_(*this),
      watch_(options.progress) {
  stream_track(0);
  grids_.reserve(p.devices);
  for (uint32_t d = 0; d < p.devices; ++d) {
    grids_.emplace_back(*this, d);
  }
  transfers_ = std::make_unique<Transfers>(*this);
  work_.resize(p.devices);
}

uint32_t Platform::stream_track(uint32_t stream) {
  while (stream_track_.size() < program.streams.size()) {
    const StreamDesc& s = program.streams[stream_track_.size()];
    stream_track_.push_back(recorder.track("device " + std::to_string(s.device) + " stream " + s.name));
  }
  return stream_track_[stream];
}

void Platform::advance(Ps until) {
  until_ = until;
  if (!std::exchange(begun_, true)) {
    threads_.start();
  } else {
    threads_.ask_again();
  }
  do {
    while (!threads_.later() && (kernels_ended() || !events.empty()) && events.next_time() <= until_) {
      watch_.look(*this, threads_, result_.operations);
      const DueEvent e = events.pop();
      now = e.at;
      happen(e);
      if (unified_.active()) {
        faults_.tell();
      }
    }
  } while (!threads_.later() && threads_.all_done() && threads_.flush());
}

Result Platform::finish() {
  if (!threads_.all_idle() || commands.live() > 0) {
    result_.deadlock = explain_deadlock(*this, threads_.blocked(), connections_, host_functions_.stuck());
  }
  result_.end = now;
  result_.commands = commands.added();
  for (const Grids& g : grids_) {
    g.count(result_);
  }
  for (uint32_t d = 0; d < program.devices; ++d) {
    result_.copy_kernel_overlap.push_back(work_[d].both());
  }
  for (uint32_t g = 0; graphs_wanted_ && g < program.graphs.size(); ++g) {
    result_.graphs.push_back(graphs_.definition(g));
    result_.graphs.back().name = program.graphs[g].name;
  }
  memory_.count(result_);
  graphs_.count(result_);
  nested_.count(result_);
  unified_.count(result_);
  l2_.count(result_);
  traffic_.count(result_);
  for (const StreamDesc& s : program.streams) {
    result_.streams.push_back(s.name);
  }
  steps.finish(last_step, result_);
  recorder.finish(result_);
  return std::move(result_);
}

void Platform::finish(uint32_t slot) {
  Command& c = commands[slot];
  commands.correlation = c.correlation;
  if (c.work != Work::kHostFunc) {  // whose own time is not yet accounted for
    spent(StepKind::kDevice, c.name, stream_track(c.stream));
  }
  switch (c.work) {
    case Work::kRecord:
      threads_.event_done(slot);
      if (effects && c.values != 0) {
        effects->happens(c.values);
      }
      break;
    case Work::kHostFunc:
      host_functions_.ended(slot);
      if (c.object != kNone) {
        set_flag(c.object);
      }
      show(c);
      break;
    case Work::kKernel:
      if (!kernel_ends(slot)) {
        return;
      }
      break;
    case Work::kCopy:
      if (effects && c.values != 0) {
        effects->happens(c.values);
      }
      show(c);
      break;
    case Work::kConditional:
      recorder.add(track_of(c), c.name, c.start, now, origin_of(c));
      break;
    case Work::kBodyEnd:
      graphs_.body_ended(slot);
      break;
    case Work::kMemAlloc:
    case Work::kMemFree:
      graphs_.lifetime(slot);
      break;
    case Work::kGraphEnd:
      graphs_.ended(slot);
      recorder.add(stream_track(c.stream), c.name, c.start, now, origin_of(c));
      break;
    case Work::kPrefetch:
      migration_.may_finish(slot);
      show(c);
      break;
    case Work::kMigrate:
      migration_.moved(slot);
      break;
    default:
      break;
  }
  Command& done = commands[slot];  // there may be more commands now
  if (done.primaries > 0) {        // what comes next in the stream waits for those too
    done.ended = true;
  } else {
    release(slot);
  }
}

void Platform::triggered(uint32_t slot, Port port) {
  const auto kind = port == Port::kProgrammatic ? Edge::Kind::kProgrammatic : Edge::Kind::kLaunchCompletion;
  uint32_t e = std::exchange(commands[slot].first_trigger_edge, kNone);
  while (e != kNone) {
    const Edge edge = commands.edge(e);
    commands.release_edge(e);
    e = edge.next;
    if (edge.kind == kind) {
      go_on(edge);
    } else {
      commands.add_edge(commands[slot].first_trigger_edge, edge.target, edge.latency, edge.kind);
    }
  }
}

void Platform::dispatch(uint32_t slot) {
  // Commands that take no time end in each other's turn: long chains go by way of the queue.
  constexpr uint32_t kDeepest = 200;
  if (deep_ >= kDeepest) {
    events.push(now, Happening::kDispatchCommand, slot);
    return;
  }
  ++deep_;
  // What it sets in motion follows it; who dispatches goes on from where he was.
  const uint32_t step = events.step, correlation = commands.correlation;
  carry_out(slot);
  events.step = step;
  commands.correlation = correlation;
  --deep_;
}

void Platform::prepared(uint32_t slot) {
  if (commands[slot].work == Work::kFaults) {
    faults_.served(slot);
    return;
  }
  if (commands[slot].work == Work::kPrefetch) {
    finish(slot);
    return;
  }
  grids_[commands[slot].device].launch(slot);
}

void Platform::set_flag(uint32_t flag) {
  threads_.set_flag(flag);
  for (Grids& g : grids_) {
    g.flag_set(flag);
  }
}

void Platform::carry_out(uint32_t slot) {
  Command& c = commands[slot];
  commands.correlation = c.correlation;
  if (c.ready == now && c.step != kNone) {  // otherwise what was before it in its queue has let it go on
    events.step = c.step;
  }
  spent(way(), c.name, stream_track(c.stream));
  if (c.run != kNone && c.work == Work::kKernel && !c.in_turn) {
    c.in_turn = true;
    if (const Ps at = graphs_.front_end(c); at > now) {
      events.push(at, Happening::kDispatchCommand, slot);
      return;
    }
  }
  if (c.work != Work::kGraphEnd) {  // whose span is the whole graph's
    c.start = now;
  }
  switch (c.work) {
    case Work::kKernel:
      if (l2_.used()) {
        c.duration = l2_.kernel(c.object, c.device, c.window, accesses(c));
      }
      if (effects && c.values != 0 && !grids_[c.device].is_simulated(c.object)) {
        const Ps took = effects->begins(c.values, c.object);
        threads_.grow();  // kernels that this one launches
        commands[slot].duration = took > Ps() ? took : commands[slot].duration;
      }
      if (!program.kernels[c.object].calls.empty()) {
        nested_.begins(slot);
      }
      if (!prepare(slot)) {
        grids_[commands[slot].device].launch(slot);
      }
      break;
    case Work::kMigrate:
      if (c.bytes > 0) {
        transfers_->start(slot);
      } else {
        finish(slot);
      }
      break;
    case Work::kPrefetch:
      if (!migration_.start(slot, unified_.prefetch(c.object, c.offset, c.bytes, c.to, now))) {
        finish(slot);
      }
      break;
    case Work::kCopy:
      transfers_->start(slot);
      break;
    case Work::kHostFunc:
      host_functions_.start(slot);
      break;
    case Work::kConditional:
      graphs_.decide(slot);
      break;
    case Work::kBodyEnd:  // by way of the queue: a loop of bodies is no recursion
      events.push(now, Happening::kFinish, slot);
      break;
    case Work::kGraphStart:
      graphs_.start(slot);
      finish(slot);
      break;
    case Work::kGraphEnd:
      graphs_.work_ended(slot);
      break;
    case Work::kRecord:
      if (c.duration > Ps()) {
        events.push(now + c.duration, Happening::kFinish, slot);
        break;
      }
      finish(slot);
      break;
    case Work::kWait:
      if (c.values != 0) {
        awaited_[c.values] = slot;
        if (const auto known = came_.find(c.values); known != came_.end()) {
          const Ps at = known->second;
          came_.erase(known);
          came(commands[slot].values, at);
        }
        break;
      }
      [[fallthrough]];
    default:
      finish(slot);
  }
}

void Platform::came(uint64_t values, Ps at) {
  const auto it = awaited_.find(values);
  if (it == awaited_.end()) {
    came_[values] = at;
    return;
  }
  events.push(std::max(now, at), Happening::kFinish, it->second);
  awaited_.erase(it);
}

bool Platform::kernel_ends(uint32_t slot) {
  Command& c = commands[slot];
  if (c.beside && !c.ended_beside) {
    if (!migration_.may_finish(slot)) {
      return false;
    }
    c.ended_beside = true;
  }
  if (traffic_.used() && !c.flushed) {  // MD01
    c.flushed = true;
    if (const Ps wait = transfers_->flush(slot); wait > Ps()) {
      events.push(now + wait, Happening::kFinish, slot);
      return false;
    }
  }
  const KernelDesc& k = program.kernels[c.object];
  if (!k.launches.empty() && graphs_.still_calls(slot)) {
    return false;
  }
  if (c.nested != kNone && !nested_.may_finish(slot)) {
    return false;
  }
  const bool own = k.fails || k.asserts;
  if (c.nested == kNone ? own : nested_.failed(slot, own)) {
    threads_.kernel_failed(c.device, k.asserts ? "cudaErrorAssert" : "cudaErrorLaunchFailure");
  }
  if (c.run != kNone) {
    graphs_.kernel_ended(c.object);
  }
  if (k.sets_flag != kNone) {
    set_flag(k.sets_flag);
  }
  show(c);
  if (c.nested != kNone) {
    nested_.finished(slot);
  }
  return true;
}

bool Platform::prepare(uint32_t slot) {
  if (!unified_.active() && !traffic_.used()) {
    return false;
  }
  const Command& c = commands[slot];
  const std::vector<Access> all = accesses(c);
  Unified::Plan plan;
  if (unified_.active()) {
    faults_.launched(c.device);
    plan = unified_.kernel(c.device, c.stream, all, now);
  }
  bool legal = true;
  std::vector<LinkTraffic> traffic;
  if (traffic_.used()) {
    traffic = traffic_.of(c.object, c.device, all, legal);
    if (!legal) {
      threads_.kernel_failed(c.device, "cudaErrorIllegalAddress");
    }
  }
  return migration_.start(slot, std::move(plan), std::move(traffic));
}

bool Platform::kernels_ended() {
  bool any = false;
  while (kernels) {
    const std::optional<KernelModel::End> e = kernels->advance(std::min(events.next_time(), until_));
    const bool faulted = faults_.look();
    any |= faulted;
    if (!e && faulted) {
      continue;
    }
    if (!e) {
      break;
    }
    events.push(std::max(now, e->end), Happening::kKernelEnd, e->tag, e->device, e->start.count());
    any = true;
  }
  return any;
}

void Platform::happen(const DueEvent& e) {
  switch (e.what) {
    case Happening::kThread:
      threads_.step(e.object);
      break;
    case Happening::kQueue:
      connections_.pump(e.object);
      break;
    case Happening::kDispatchCommand:
      dispatch(e.object);
      break;
    case Happening::kFlowStart:
      transfers_->flow_start(e.object);
      break;
    case Happening::kFlowEnd:
      transfers_->flow_end(e.stamp);
      break;
    case Happening::kGridStart:
      grids_[e.extra].grid_start(e.object);
      break;
    case Happening::kBlocks:
      grids_[e.extra].hand_out();
      break;
    case Happening::kBlockEnd:
      grids_[e.stamp].block_ends(e.object, e.extra);
      break;
    case Happening::kKernelEnd:
      grids_[e.extra].simulated_end(e.object, Ps(e.stamp));
      break;
    case Happening::kTrigger:  // outdated if the kernel is finished
      if (commands[e.object].number == e.stamp) {
        spent(StepKind::kKernel, commands[e.object].name, stream_track(commands[e.object].stream));
        triggered(e.object, static_cast<Port>(e.extra));
      }
      break;
    case Happening::kDeviceCall:
      commands.correlation = commands[e.object].correlation;
      spent(StepKind::kKernel, commands[e.object].name, stream_track(commands[e.object].stream));
      graphs_.device_call(e.object, e.extra);
      break;
    case Happening::kNestedCall:
      nested_.step(e.object);
      break;
    case Happening::kNestedReturn:
      nested_.returned(e.object, e.extra == 1);
      break;
    case Happening::kNestedJoin:
      nested_.joined(e.object);
      break;
    case Happening::kQueueTimeout:
      threads_.queue_timeout(e.object, e.stamp);
      break;
    case Happening::kComeBack:
      threads_.comes_back(e.object, e.stamp);
      break;
    case Happening::kPageFault:
      faults_.begin(e.object);
      break;
    case Happening::kFinish:
      finish(e.object);
      break;
  }
}

void Platform::release(uint32_t slot) {
  uint32_t e = commands[slot].first_edge;
  commands.release(slot);
  last_step = events.step;
  while (e != kNone) {
    const Edge edge = commands.edge(e);
    commands.release_edge(e);
    e = edge.next;
    go_on(edge);
  }
}

void Platform::go_on(const Edge& edge) {
  if (edge.kind == Edge::Kind::kThread) {
    threads_.released(edge.target, now + edge.latency);
    return;
  }
  Command& next = commands[edge.target];
  if (edge.kind == Edge::Kind::kPrimary) {
    if (--next.primaries == 0) {
      if (next.ended) {
        release(edge.target);
      } else {
        grids_[next.device].primaries_done(edge.target);
      }
    }
    return;
  }
  if (now + edge.latency >= next.ready) {
    next.ready = now + edge.latency;
    next.step = events.step;
  }
  if (--next.unmet == 0) {
    connections_.released(edge.target);
  }
}

std::vector<Access> Platform::accesses(const Command& c) const {
  std::vector<Access> out = program.kernels[c.object].accesses;
  const auto first = program.accesses.begin() + c.first_access;
  out.insert(out.end(), first, first + c.accesses);
  return out;
}

void Platform::show(const Command& c) {
  if (recorder.on()) {
    recorder.add(track_of(c), c.name, c.start, now, origin_of(c));
    if (c.work != Work::kHostFunc) {
      work_[c.device].add(c.work == Work::kKernel, c.start, now);
    }
  }
}

}  // namespace heddle::host
