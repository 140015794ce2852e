#include "sim/host/calls/threads.h"

#include <algorithm>
#include <utility>

namespace heddle::host {
namespace {

// FP04: calls after which work of the device must go on.
bool asks_for_progress(Op op) {
  return op == Op::kStreamSynchronize || op == Op::kDeviceSynchronize || op == Op::kEventSynchronize ||
         op == Op::kStreamQuery || op == Op::kEventQuery || op == Op::kMemcpy || op == Op::kFree;
}

// Calls that need the device's context.
bool asks_device(Op op) {
  return op != Op::kCompute && op != Op::kSetDevice && op != Op::kGetLastError &&
         op != Op::kPeekAtLastError && op != Op::kSetFlag && op != Op::kWaitFlag && op != Op::kHostAccess &&
         op != Op::kGetDeviceCount && op != Op::kDeviceGetPciBusId;
}

// LimitReached of `f` gets the thread and its call in front.
template <class Place, class F>
void located(const Place& place, const ThreadDesc& thread, const F& f) {
  try {
    f();
  } catch (const LimitReached& e) {
    throw LimitReached("thread " + thread.name + ", " + place() + ": " + e.what());
  }
}

}  // namespace

Threads::Threads(Core& core, const Parts& parts, Result& result)
    : core_(core),
      ordering_(parts.ordering),
      connections_(parts.connections),
      graphs_(parts.graphs),
      nested_(parts.nested),
      captures_(core, parts.memory),
      clocks_(parts.clocks),
      memory_(parts.memory),
      checker_(parts.checker),
      unified_(parts.unified),
      migration_(parts.migration),
      l2_(parts.l2),
      space_(parts.space),
      result_(result),
      threads_(core.program.threads.size()),
      flags_(core.program.flags.size(), false),
      event_states_(core.program.events.size()),
      device_error_(core.program.devices),
      carveout_(core.program.devices, kNone) {
  result.thread_end.assign(threads_.size(), 0);
  for (size_t i = 0; i < threads_.size(); ++i) {
    threads_[i].track = core.recorder.track("thread " + core.program.threads[i].name);
  }
  for (const StreamDesc& s : core.program.streams) {
    streams_alive_.push_back(!s.created_by_call);
  }
  loaded_.assign(core.program.devices, std::vector<bool>(core.program.kernels.size(), false));
  events_alive_.assign(core.program.events.size(), true);
  for (const KernelDesc& k : core.program.kernels) {
    kernel_name_.push_back(core.recorder.name(k.name));
  }
  for (size_t op = 0; op < kOps; ++op) {
    op_name_.push_back(core.recorder.name(op_name(static_cast<Op>(op))));
  }
  h2d_name_ = core.recorder.name("copy H2D");
  d2h_name_ = core.recorder.name("copy D2H");
  d2d_name_ = core.recorder.name("copy D2D");
  peer_name_ = core.recorder.name("copy peer");
  h2h_name_ = core.recorder.name("copy H2H");
}

void Threads::start() {
  const uint32_t most = core_.rules.host_threads;
  const auto all = static_cast<uint32_t>(threads_.size());
  while (begun_ < (most > 0 ? std::min(most, all) : all)) {
    begin_next();
  }
}

void Threads::begin_next() {
  while (begun_ < threads_.size()) {
    const uint32_t i = begun_++;
    Thread& t = threads_[i];
    if (fetch(t, i)) {
      t.call_start = core_.now;
      located([&] { return place(i); }, core_.program.threads[i],
              [&] { core_.events.push(core_.now + cost(t, call(t, i)), Happening::kThread, i); });
      return;
    }
    t.done = true;
  }
}

bool Threads::fetch(Thread& t, uint32_t thread) {
  const std::vector<Call>& calls = core_.program.threads[thread].calls;
  for (; t.pc < calls.size(); ++t.pc) {
    const Call& c = calls[t.pc];
    if (c.op == Op::kLoopBegin) {
      if (c.count == 0) {  // on to behind its end
        for (int depth = 1; depth > 0;) {
          ++t.pc;
          depth += calls[t.pc].op == Op::kLoopBegin ? 1 : calls[t.pc].op == Op::kLoopEnd ? -1 : 0;
        }
      } else {
        t.loops.push_back({t.pc, c.count, t.calls});
      }
    } else if (c.op == Op::kLoopEnd) {
      Loop& l = t.loops.back();
      // A turn without a call: the others have none either.
      if (t.calls > l.calls && --l.left > 0) {
        l.calls = t.calls;
        t.pc = l.body;
      } else {
        t.loops.pop_back();
      }
    } else {
      return true;
    }
  }
  return false;
}

Ps Threads::cost(const Thread& t, const Call& c) const {
  const Params::Calls& p = core_.params.calls;
  const auto memory = [&](uint32_t buffer) {
    return buffer == kNone ? Memory::kPageable : core_.program.buffers[buffer].memory;
  };
  const Ps to_stream = c.stream != t.last_stream && t.last_stream != kNone ? p.stream_switch : 0;
  if (captures_.used() && captures_.capturing(c.stream) && !is_capture_call(c.op)) {
    return core_.params.graph.capture;
  }
  if (is_capture_call(c.op) || is_graph_call(c.op)) {
    return graph_cost(c);
  }
  if (is_vmm_call(c.op)) {
    return space_.cost(c);
  }
  const bool names = c.op == Op::kLaunch || c.op == Op::kFuncGetAttributes;
  const Ps first = names && core_.rules.lazy_loading && !loaded_[t.device][c.object] ? p.lazy_load : 0;
  switch (c.op) {
    case Op::kCompute:
      return c.duration;
    case Op::kFuncGetAttributes:
      return p.query + first;
    case Op::kLaunch:
      return first + (port_of(c) == Port::kDefault ? p.launch : p.launch_programmatic) + to_stream;
    case Op::kMemcpy:
    case Op::kMemcpyAsync:
      return memory(c.object) == Memory::kDevice && memory(c.source) == Memory::kDevice ? p.d2d : p.memcpy;
    case Op::kMemset:
    case Op::kMemsetAsync:
      return c.bytes <= core_.params.memset_inline_bytes ? p.memcpy : p.memset;
    case Op::kEventRecord:
      return core_.program.events[c.object].timing ? p.record : p.record_no_timing;
    case Op::kStreamWaitEvent:
      return p.wait_event;
    case Op::kEventQuery:
    case Op::kStreamQuery:
    case Op::kEventElapsed:
      return p.query;
    case Op::kEventSynchronize:
    case Op::kStreamSynchronize:
    case Op::kDeviceSynchronize:
      return p.synchronize;
    case Op::kLaunchHostFunc:
      return p.host_function;
    case Op::kStreamCreate:
    case Op::kStreamDestroy:
    case Op::kEventCreate:
    case Op::kEventDestroy:
      return p.create;
    case Op::kMalloc:
    case Op::kMallocManaged:
      return p.malloc;
    case Op::kFree:
      return p.free;
    case Op::kMallocHost:
      return p.malloc_host + static_cast<Ps>(static_cast<double>(p.malloc_host_per_mib) *
                                             static_cast<double>(c.bytes) / 1048576);
    case Op::kFreeHost:
      return p.free_host;
    case Op::kMemGetInfo:
    case Op::kPoolSetAttribute:
    case Op::kPoolStats:
    case Op::kPoolResetHigh:
    case Op::kPoolTrim:
    case Op::kPoolSetAccess:
    case Op::kMemAdvise:
    case Op::kMemAttributes:
    case Op::kStreamAttach:
    case Op::kDeviceGetLimit:
    case Op::kStreamSetWindow:
      return p.query;
    case Op::kDeviceSetLimit:
      return core_.params.l2.set_limit;
    case Op::kResetPersistingL2:
      return core_.params.l2.reset;
    case Op::kMemPrefetch:
      return p.memcpy;
    case Op::kMallocAsync:
      return core_.params.memory.pool_malloc;
    case Op::kFreeAsync:
      return core_.params.memory.pool_free;
    default:
      return 0;
  }
}

void Threads::step(uint32_t thread) {
  located([&] { return place(thread); }, core_.program.threads[thread], [&] { run_on(thread); });
}

// As long as nothing else happens before its next call takes effect.
void Threads::run_on(uint32_t thread) {
  constexpr uint64_t kAtOnce = 256;  // calls: then whoever watches the run has a look
  for (uint64_t calls = 1;; ++calls) {
    Thread& t = threads_[thread];
    bool back = false;
    if (t.waits_since != kNever) {
      t.waited += core_.now - std::min(core_.now, t.waits_since);
      t.waits_since = kNever;
    }
    switch (t.next) {
      case Next::kEffect:
        back = effect(thread);
        break;
      case Next::kReturn:
        t.waits_for.clear();
        back = true;
        break;
      case Next::kStaged:
        back = continue_staged(thread);
        break;
    }
    if (!back) {
      return;
    }
    returned(thread);
    if (!fetch(t, thread)) {
      t.done = true;
      result_.thread_end[thread] = core_.now;
      begin_next();
      return;
    }
    const Ps at = core_.now + cost(t, call(t, thread)) + t.owed;
    t.owed = 0;
    if (core_.events.next_time() <= at || core_.cancelled() || calls == kAtOnce || at > kLatest) {
      core_.events.push(at, Happening::kThread, thread);
      return;
    }
    core_.now = at;
  }
}

void Threads::returned(uint32_t thread) {
  Thread& t = threads_[thread];
  const Call& c = call(t, thread);
  core_.recorder.add(t.track, op_name_[static_cast<size_t>(c.op)], t.call_start, core_.now);
  core_.recorder.waited(t.track, std::exchange(t.waited, 0));
  t.call_start = core_.now;
  t.next = Next::kEffect;
  // A failed kernel shows at the first call that waits for the device (ER01).
  if (!t.failed && (c.op == Op::kStreamSynchronize || c.op == Op::kDeviceSynchronize ||
                    c.op == Op::kEventSynchronize || c.op == Op::kMemcpy)) {
    report_device_error(thread, t.device);
  }
  t.failed = false;
  if (clocks_.on()) {
    clocks_.returned(thread);
    // SO11: at synchronisations pools give back what is above their thresholds (SO04).
    if (c.op == Op::kStreamSynchronize || c.op == Op::kDeviceSynchronize || c.op == Op::kEventSynchronize) {
      t.owed += memory_.trim_pools(clocks_) * core_.params.memory.unmap;
    }
  }
  ++t.pc;
  ++t.calls;
  ++result_.operations;
}

void Threads::wait_for(uint32_t thread, const std::vector<CommandRef>& commands) {
  if (core_.rules.lazy_start) {
    flush();  // FP04: whoever waits for work asks for it
  }
  Thread& t = threads_[thread];
  t.waits_for = commands;
  t.resume_at = core_.now;
  for (const CommandRef& c : commands) {
    t.waits += ordering_.thread_waits(thread, c, core_.params.notify) ? 1 : 0;
  }
  if (t.waits > 0) {
    t.waits_since = core_.now;
  }
}

void Threads::released(uint32_t thread, Ps at) {
  Thread& t = threads_[thread];
  t.resume_at = std::max(t.resume_at, at);
  if (t.waits > 0 && --t.waits > 0) {
    return;
  }
  core_.events.push(std::max(core_.now, t.resume_at), Happening::kThread, thread);
}

bool Threads::effect(uint32_t thread) {
  Thread& t = threads_[thread];
  const Call& c = call(t, thread);
  // Whatever is called fails from then on (ER02), as the H200's driver answers (traces/h200/hosterrors.csv,
  // fault).
  if (asks_device(c.op) && report_device_error(thread, t.device)) {
    return true;
  }
  if (captures_.used()) {
    const Captures::Verdict v = captures_.call(thread, t.device, c, l2_.window_of(c.stream));
    if (v.no) {
      fail(thread, v.no->error, v.no->why);
    }
    if (v.over) {
      return true;
    }
  }
  if (is_capture_call(c.op)) {
    return capture_call(thread, c);
  }
  if (is_graph_call(c.op)) {
    return graph_call(thread, c);
  }
  if (is_vmm_call(c.op)) {
    return vmm_call(thread, c);
  }
  if (core_.rules.lazy_start && asks_for_progress(c.op)) {
    flush();
  }
  switch (c.op) {
    case Op::kLaunch:
      return launch(thread, c);
    case Op::kMemcpy:
    case Op::kMemcpyAsync:
      return copy(thread, c);
    case Op::kMemset:
    case Op::kMemsetAsync:
      return memset(thread, c);
    case Op::kEventRecord:
    case Op::kEventSynchronize:
    case Op::kEventQuery:
    case Op::kEventElapsed:
    case Op::kStreamWaitEvent:
    case Op::kEventCreate:
    case Op::kEventDestroy:
      return event_call(thread, c);
    case Op::kStreamSynchronize:
    case Op::kStreamQuery:
    case Op::kDeviceSynchronize:
    case Op::kStreamCreate:
    case Op::kStreamDestroy:
    case Op::kLaunchHostFunc:
      return stream_call(thread, c);
    case Op::kMalloc:
    case Op::kFree:
    case Op::kMallocHost:
    case Op::kFreeHost:
    case Op::kHostAccess:
    case Op::kMemGetInfo:
    case Op::kMallocAsync:
    case Op::kFreeAsync:
    case Op::kPoolSetAttribute:
    case Op::kPoolTrim:
    case Op::kPoolStats:
    case Op::kPoolResetHigh:
    case Op::kPoolSetAccess:
    case Op::kMallocManaged:
    case Op::kMemPrefetch:
    case Op::kMemAdvise:
    case Op::kMemAttributes:
    case Op::kStreamAttach:
      return memory_call(thread, c);
    case Op::kDeviceSetLimit:
    case Op::kDeviceGetLimit:
    case Op::kStreamSetWindow:
    case Op::kResetPersistingL2:
    case Op::kFuncGetAttributes:
      return limit_call(thread, c);
    case Op::kSetDevice:
    case Op::kGetDeviceCount:
    case Op::kDeviceGetPciBusId:
      return device_call(thread, c);
    case Op::kGetLastError:
      answer(thread, t.last_error);
      t.last_error = "cudaSuccess";
      return true;
    case Op::kPeekAtLastError:
      answer(thread, t.last_error);
      return true;
    case Op::kSetFlag:
      if (clocks_.on()) {
        clocks_.flag_set_by_thread(c.object, thread);
      }
      core_.set_flag(c.object);
      return true;
    case Op::kWaitFlag:
      if (flags_[c.object]) {
        if (clocks_.on()) {
          clocks_.thread_waits_flag(thread, c.object);
        }
        return true;
      }
      t.waits_for_flag = c.object;
      t.waits_since = core_.now;
      t.next = Next::kReturn;
      return false;
    default:
      return true;
  }
}

void Threads::set_flag(uint32_t flag) {
  flags_[flag] = true;
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].waits_for_flag == flag) {
      if (clocks_.on()) {
        clocks_.thread_waits_flag(i, flag);
      }
      threads_[i].waits_for_flag = kNone;
      core_.events.push(core_.now, Happening::kThread, i);
    }
  }
}

bool Threads::all_done() const {
  return std::all_of(threads_.begin(), threads_.end(), [](const Thread& t) { return t.done; });
}

std::string Threads::place(uint32_t thread) const {
  const Thread& t = threads_[thread];
  if (t.pc >= core_.program.threads[thread].calls.size()) {
    return "behind its last call";
  }
  const Call& c = call(t, thread);
  return op_name(c.op) +
         (c.line ? ", line " + std::to_string(c.line) : ", call " + std::to_string(t.calls + 1));
}

std::string Threads::where() const {
  for (uint32_t i = 0; i < begun_; ++i) {
    if (!threads_[i].done) {
      return "thread " + core_.program.threads[i].name + ", " + place(i) + ": ";
    }
  }
  return "";
}

std::vector<Threads::Blocked> Threads::blocked() const {
  std::vector<Blocked> out;
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    const Thread& t = threads_[i];
    if (i >= begun_) {
      out.push_back({"thread " + core_.program.threads[i].name,
                     "not begun",
                     {},
                     kNone,
                     " waits for another thread's end: only " + std::to_string(core_.rules.host_threads) +
                         " make progress at a time (FP08)"});
    } else if (!t.done) {
      out.push_back({"thread " + core_.program.threads[i].name, place(i), t.waits_for, t.waits_for_flag});
    }
  }
  return out;
}

}  // namespace heddle::host
