#include "sim/host/calls/threads.h"

#include <algorithm>
#include <utility>

#include "sim/host/calls/call_types.h"
#include "sim/host/core/effects.h"

namespace heddle::host {
namespace {

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
      flags_(core.program.flags.size(), false),
      queues_(core.program.queues.size()),
      event_states_(core.program.events.size()),
      device_error_(core.program.devices),
      first_(core),
      pauses_(core),
      carveout_(core.program.devices, kNone) {
  grow();
  for (size_t op = 0; op < static_cast<size_t>(Op::kOther); ++op) {
    op_name_.push_back(core.recorder.name(type_of(static_cast<Op>(op)).name));
  }
  h2d_name_ = core.recorder.name("copy H2D");
  d2h_name_ = core.recorder.name("copy D2H");
  d2d_name_ = core.recorder.name("copy D2D");
  peer_name_ = core.recorder.name("copy peer");
  h2h_name_ = core.recorder.name("copy H2H");
}

void Threads::start() {
  started_ = true;
  const uint32_t most = core_.rules.host_threads;
  const auto all = static_cast<uint32_t>(threads_.size());
  while (begun_ < (most > 0 ? std::min(most, all) : all)) {
    begin_next();
  }
}

void Threads::begin_next() {
  while (begun_ < threads_.size()) {
    const uint32_t i = begun_++;
    HostThread& t = threads_[i];
    if (fetch(t, i)) {
      t.call_start = core_.now;
      located([&] { return place(i); }, core_.program.threads[i],
              [&] { core_.events.push(core_.now + cost(i), Happening::kThread, i); });
      return;
    }
    if (t.later || t.away) {
      return;
    }
    t.done = true;
  }
}

// Where the thread stands no time has passed since it was asked: what it calls now comes as if it had been
// known then.
void Threads::ask_again() {
  for (uint32_t i = 0; i < begun_; ++i) {
    HostThread& t = threads_[i];
    if (!std::exchange(t.later, false)) {
      continue;
    }
    --later_;
    if (fetch(t, i)) {
      const Ps at = locked(i, core_.now + cost(i) + std::exchange(t.owed, {}));
      t.call_start = core_.now;
      core_.events.push(at, Happening::kThread, i);
    } else if (!t.later && !t.away) {
      ended(i);
    }
  }
}

void Threads::come_back(uint32_t thread, Ps at) {
  grow();
  core_.events.push(std::max(core_.now, at), Happening::kComeBack, thread, 0, threads_[thread].returns);
}

void Threads::comes_back(uint32_t thread, uint64_t stamp) {
  HostThread& t = threads_[thread];
  if (!t.away || stamp != t.returns) {
    return;
  }
  ++t.returns;
  t.away = false;
  t.later = true;
  ++later_;
  ask_again();
}

void Threads::ended(uint32_t thread) {
  threads_[thread].done = true;
  core_.last_step = core_.events.step;
  result_.thread_end[thread] = core_.now;
  begin_next();
}

void Threads::grow() {
  const Program& p = core_.program;
  while (threads_.size() < p.threads.size()) {
    threads_.emplace_back();
    threads_.back().track = core_.recorder.track("thread " + p.threads[threads_.size() - 1].name);
    if (started_) {  // whoever made it says when it begins
      threads_.back().away = true;
      begun_ = static_cast<uint32_t>(threads_.size());
    }
  }
  result_.thread_end.resize(threads_.size());
  while (streams_alive_.size() < p.streams.size()) {
    streams_alive_.push_back(!p.streams[streams_alive_.size()].created_by_call);
  }
  for (size_t k = kernel_name_.size(); k < p.kernels.size(); ++k) {
    kernel_name_.push_back(core_.recorder.name(p.kernels[k].name));
  }
  events_alive_.resize(p.events.size(), true);
  event_states_.resize(p.events.size());
  core_.registered.resize(p.buffers.size());
  ordering_.grow();
  connections_.grow();
  captures_.grow();
  clocks_.grow();
  memory_.grow(p);
  graphs_.grow();
  l2_.grow();
  nested_.grow();
  unified_.grow();
  space_.grow();
}

bool Threads::ask(HostThread& t, uint32_t thread) {
  Returned last;
  if (t.begun) {
    last = {core_.now, t.error, t.why, t.answer, t.elapsed, t.items};
  }
  t.begun = true;
  const LiveThread::Next next = core_.program.threads[thread].live->next(last);
  t.error.clear();
  t.why.clear();
  t.answer.clear();
  t.items.clear();
  if (next.call >= LiveThread::kAway) {
    t.pc = core_.program.threads[thread].calls.size();
    t.later = next.call == LiveThread::kLater;
    t.away = next.call == LiveThread::kAway;
    later_ += t.later ? 1 : 0;
    return false;
  }
  t.pc = next.call;
  t.item = next.item;
  grow();
  if (!clocks_.on() && call(t, thread).op == Op::kMallocAsync) {
    clocks_.keep();  // pools ask who is ordered after a free
  }
  return true;
}

bool Threads::fetch(HostThread& t, uint32_t thread) {
  if (core_.program.threads[thread].live) {
    return ask(t, thread);
  }
  const std::deque<Call>& calls = core_.program.threads[thread].calls;
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

Ps Threads::cost(uint32_t thread) const {
  const Call& c = call(threads_[thread], thread);
  if (captures_.used() && captures_.capturing(c.stream) && c.type->in_capture != InCapture::kCapture) {
    return core_.params.graph.capture;
  }
  return first_.of_call(*c.type, threads_[thread].device) + pauses_.before(*c.type, thread) +
         (c.type->cost ? c.type->cost(*this, thread, c) : Ps());
}

uint32_t Threads::name_of(const Call& c) {
  if (c.op != Op::kOther) {
    return op_name_[static_cast<size_t>(c.op)];
  }
  const auto [it, is_new] = other_names_.emplace(c.type, 0);
  if (is_new) {
    it->second = core_.recorder.name(c.type->name);
  }
  return it->second;
}

void Threads::step(uint32_t thread) {
  located([&] { return place(thread); }, core_.program.threads[thread], [&] { run_on(thread); });
}

// As long as nothing else happens before its next call takes effect.
void Threads::run_on(uint32_t thread) {
  constexpr uint64_t kAtOnce = 256;  // calls: then whoever watches the run has a look
  for (uint64_t calls = 1;; ++calls) {
    HostThread& t = threads_[thread];
    bool back = false;
    spent(thread, t.waits_since != kNever);
    if (t.waits_since != kNever) {
      t.waited += core_.now - std::min(core_.now, t.waits_since);
      t.waits_since = kNever;
    }
    if (t.correlation == 0) {
      t.correlation = ++correlations_;
    }
    core_.commands.correlation = t.correlation;
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
    if (!back || gives_back(thread)) {
      return;
    }
    returned(thread);
    if (!fetch(t, thread)) {
      if (!t.later && !t.away) {
        ended(thread);
      }
      return;
    }
    const Ps at = locked(thread, core_.now + cost(thread) + t.owed);
    t.owed = {};
    // A simulated kernel may end before: only the kernel model knows.
    if (core_.events.next_time() <= at || core_.simulated > 0 || core_.cancelled() || calls == kAtOnce ||
        at > kLatest) {
      core_.events.push(at, Happening::kThread, thread);
      return;
    }
    core_.now = at;
  }
}

// SO11: at synchronisations pools give back what is above their thresholds (SO04). True: the call goes on for
// that.
bool Threads::gives_back(uint32_t thread) {
  HostThread& t = threads_[thread];
  if (!clocks_.on() || t.trimmed || !call(t, thread).type->synchronizes) {
    return false;
  }
  clocks_.returned(thread);
  t.trimmed = true;
  return !goes_on_for(thread, memory_.trim_pools(clocks_) * core_.params.memory.pool_shrink_chunk);
}

// When a call that would have its effect at `at` has it, by the driver's locks: launches of other threads.
Ps Threads::locked(uint32_t thread, Ps at) {
  const Call& c = call(threads_[thread], thread);
  const Params::Calls& p = core_.params.calls;
  if (c.op != Op::kLaunch || threads_.size() == 1) {
    return at;
  }
  if (launching_.size() <= c.stream) {
    launching_.resize(c.stream + size_t{1});
  }
  Launching& stream = launching_[c.stream];
  if (stream.thread != thread && stream.until > core_.now) {
    at += stream.until - core_.now + p.stream_lock;
  }
  at = std::max(at, driver_free_ + p.launch_lock);
  driver_free_ = at;
  stream = {thread, at};
  return at;
}

SpanOrigin Threads::origin_of(const HostThread& t, const Call& c) const {
  SpanOrigin o;
  o.kind = SpanKind::kCall;
  o.correlation = t.correlation;
  o.call = static_cast<uint32_t>(t.calls + 1);
  const bool copies =
      c.op == Op::kMemcpyAsync || c.op == Op::kMemcpy || c.op == Op::kMemsetAsync || c.op == Op::kMemset;
  o.bytes = copies ? c.bytes : 0;
  const auto names_stream = [](const Argument& a) { return a.kind == Argument::Kind::kStream; };
  if (c.op == Op::kLaunch ||  // whose arguments are read apart
      std::any_of(c.type->arguments.begin(), c.type->arguments.end(), names_stream)) {
    o.stream = c.stream;
  }
  return o;
}

void Threads::spent(uint32_t thread, bool waited) {
  const HostThread& t = threads_[thread];
  const Call& c = call(t, thread);
  const bool own_time = c.op >= Op::kNow && c.op != Op::kOther;
  core_.spent(waited                ? own_time ? StepKind::kSleep : StepKind::kWake
              : c.type->asks_device ? StepKind::kHostCall
                                    : StepKind::kHostWork,
              name_of(c), t.track);
}

void Threads::returned(uint32_t thread) {
  HostThread& t = threads_[thread];
  const Call& c = call(t, thread);
  // Of looks at the clock and at queues, those that took time.
  if (core_.now > t.call_start || c.op < Op::kNow || c.op == Op::kOther) {
    core_.recorder.add(t.track, name_of(c), t.call_start, core_.now, origin_of(t, c));
  }
  pauses_.returned(*c.type, thread, t.call_start);
  t.correlation = 0;
  core_.recorder.waited(t.track, std::exchange(t.waited, {}));
  t.call_start = core_.now;
  t.next = Next::kEffect;
  if (const uint64_t values = std::exchange(t.at_return, 0); values != 0 && core_.effects) {
    core_.effects->happens(values);
  }
  if (core_.effects && !t.failed && (c.op == Op::kFree || c.op == Op::kFreeHost)) {
    core_.effects->freed(c.object);
  }
  // A failed kernel shows at the first call that waits for the device (ER01).
  if (!t.failed && c.type->shows_failures) {
    report_device_error(thread, t.device);
  }
  t.failed = false;
  if (clocks_.on() && !t.trimmed) {
    clocks_.returned(thread);
  }
  t.trimmed = false;
  if (!core_.program.threads[thread].live) {
    ++t.pc;
  }
  ++t.calls;
  ++result_.operations;
}

void Threads::wait_for(uint32_t thread, const std::vector<CommandRef>& commands, bool asleep) {
  if (core_.rules.lazy_start) {
    flush();  // FP04: whoever waits for work asks for it
  }
  HostThread& t = threads_[thread];
  t.waits_for = commands;
  t.resume_at = core_.now;
  t.asleep = asleep;
  for (const CommandRef& c : commands) {
    t.waits += ordering_.thread_waits(thread, c, asleep ? core_.params.block : core_.params.notify) ? 1 : 0;
  }
  if (t.waits > 0) {
    t.waits_since = core_.now;
  }
}

void Threads::released(uint32_t thread, Ps at) {
  HostThread& t = threads_[thread];
  t.resume_at = std::max(t.resume_at, at);
  if (t.waits > 0 && --t.waits > 0) {
    return;
  }
  if (t.asleep && t.waits_since != kNever) {
    const Ps awake = t.waits_since + core_.params.block;
    const Ps slept = std::max(t.resume_at, awake) - awake;
    t.resume_at = t.resume_at - core_.params.block + core_.wake(core_.params.block, slept);
    t.asleep = false;
  }
  core_.events.push(std::max(core_.now, t.resume_at), Happening::kThread, thread);
}

bool Threads::effect(uint32_t thread) {
  HostThread& t = threads_[thread];
  const Call& c = call(t, thread);
  first_.called(*c.type, t.device);
  // Whatever is called fails from then on (ER02), as the H200's driver answers (traces/h200/hosterrors.csv,
  // fault).
  if (c.type->asks_device && report_device_error(thread, t.device)) {
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
  if (core_.rules.lazy_start && c.type->asks_for_progress) {
    flush();
  }
  return !c.type->effect || c.type->effect(*this, thread, c);
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
  return std::all_of(threads_.begin(), threads_.end(), [](const HostThread& t) { return t.done; });
}

bool Threads::all_idle() const {
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    const HostThread& t = threads_[i];
    const bool idle = core_.program.threads[i].live && t.waits_for_queue != kNone && i < begun_ &&
                      call(t, i).op == Op::kQueueGet;
    if (!t.done && !idle) {
      return false;
    }
  }
  return true;
}

std::string Threads::place(uint32_t thread) const {
  const HostThread& t = threads_[thread];
  if (t.pc >= core_.program.threads[thread].calls.size()) {
    return "behind its last call";
  }
  const Call& c = call(t, thread);
  return c.type->name +
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
    const HostThread& t = threads_[i];
    if (i >= begun_) {
      out.push_back({"thread " + core_.program.threads[i].name,
                     "not begun",
                     {},
                     kNone,
                     " waits for another thread's end: only " + std::to_string(core_.rules.host_threads) +
                         " make progress at a time (FP08)"});
    } else if (!t.done) {
      out.push_back({"thread " + core_.program.threads[i].name, place(i), t.waits_for, t.waits_for_flag});
      if (t.waits_for_queue != kNone) {
        out.back().why = " waits for queue " + core_.program.queues[t.waits_for_queue].name +
                         (call(t, i).op == Op::kQueuePut ? ", from which nobody gets anything"
                                                         : ", into which nobody puts anything");
      }
    }
  }
  return out;
}

}  // namespace heddle::host
