// What the parts of the host model share: the clock, what is to happen, the commands. Each part does one
// thing and tells the others through these few functions; Platform (platform/platform.h) implements them.
#pragma once

#include <atomic>
#include <vector>

#include "sim/host/core/command.h"
#include "sim/host/core/event_queue.h"
#include "sim/host/core/jitter.h"
#include "sim/host/core/limits.h"
#include "sim/host/core/params.h"
#include "sim/host/core/programmatic.h"
#include "sim/host/core/recorder.h"
#include "sim/host/core/steps.h"
#include "sim/host/program/program.h"

namespace heddle::host {

class Effects;      // effects.h
class KernelModel;  // kernel_model.h

struct Core {
  Core(const Program& p, const Params& n, const Rules& r, bool record, KernelModel* k, Effects* e,
       const std::atomic<bool>* c, const Limits& l)
      : program(p),
        params(n),
        rules(r),
        limits(l),
        jitter(r.jitter ? std::optional(*r.jitter + 1) : std::nullopt),
        recorder(record, l.spans),
        steps(record, l.spans),
        kernels(k),
        effects(e),
        cancel(c),
        registered(p.buffers.size()) {}
  virtual ~Core() = default;

  // What a copy takes the buffer for: pageable memory that is registered is pinned (HM01).
  Memory memory(uint32_t buffer) const {
    return registered[buffer] ? Memory::kPinned : program.buffers[buffer].memory;
  }

  bool cancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }

  // The command has ended now: its successors may go on.
  virtual void finish(uint32_t slot) = 0;
  // The command's turn has come: it goes to the unit that does its work.
  virtual void dispatch(uint32_t slot) = 0;
  // A kernel has come to the point at which secondaries with an edge from this port may start.
  virtual void triggered(uint32_t slot, Port port) = 0;
  // A kernel with traffic beside it (Command::beside): its first block starts at `at`.
  virtual void begun(uint32_t slot, Ps at) = 0;
  // A kernel that launches graphs from the device has begun.
  virtual void kernel_started(uint32_t slot, Ps at) = 0;
  // A block of a kernel that launches others begins at `at`, with `time` of its own; it may end when its
  // calls have returned.
  virtual void block_calls(uint32_t slot, uint32_t block, Ps at, Ps time) = 0;
  virtual void calls_returned(uint32_t slot, uint32_t block) = 0;
  // It waits for its children and gives its place on an SM to others (CDP1).
  virtual void block_leaves(uint32_t slot, uint32_t block) = 0;
  // A command's unified memory is where it must be: its own work begins.
  virtual void prepared(uint32_t slot) = 0;
  // A host thread that waited goes on at `at`.
  virtual void resume(uint32_t thread, Ps at) = 0;
  virtual void set_flag(uint32_t flag) = 0;
  virtual bool flag(uint32_t flag) const = 0;

  // The time since the last step went into that: what happens now follows it.
  void spent(StepKind kind, uint32_t name, uint32_t track) {
    events.step = steps.add(events.step, kind, name, track, now);
  }
  // What the operating system takes to run a thread again that has slept so long; `least`: that of a moment.
  Ps wake(Ps least, Ps slept) {
    const Ps usual = least + params.sleep.more(slept);
    return Ps::truncated(static_cast<double>(usual.count()) * jitter.factor(params.sleep.spread(slept)));
  }
  // The way to a command: from the host, or from other work.
  StepKind way() const {
    const StepKind before = steps.kind(events.step);
    const bool host = before <= StepKind::kLaunch || before == StepKind::kWake || before == StepKind::kSleep;
    return host ? StepKind::kLaunch : StepKind::kDevice;
  }

  const Program& program;
  const Params& params;
  const Rules& rules;
  const Limits& limits;
  Jitter jitter;
  EventQueue events;
  CommandPool commands;
  Recorder recorder;
  Steps steps;
  uint32_t last_step = 0;  // of what has ended last
  Ps now{};
  KernelModel* const kernels;             // runs kernels that have a trace; null: they take their durations
  Effects* const effects;                 // PlatformOptions::effects
  const std::atomic<bool>* const cancel;  // PlatformOptions::cancel
  std::vector<bool> registered;           // buffers, by cudaHostRegister
  uint32_t simulated = 0;                 // kernels that `kernels` runs now
};

// For the command's spans.
inline SpanOrigin origin_of(const Command& c) {
  const bool copy = c.work == Work::kCopy;
  const SpanKind kind = c.work == Work::kKernel                                    ? SpanKind::kKernel
                        : copy && c.path == Path::kMemset                          ? SpanKind::kMemset
                        : copy || c.work == Work::kPrefetch                        ? SpanKind::kCopy
                        : c.work == Work::kMigrate                                 ? SpanKind::kCopy
                        : c.work == Work::kHostFunc                                ? SpanKind::kHostFunction
                        : c.work == Work::kGraphStart || c.work == Work::kGraphEnd ? SpanKind::kGraph
                                                                                   : SpanKind::kOther;
  return {copy || c.work == Work::kMigrate ? c.bytes : 0,
          c.correlation,
          0,
          c.stream,
          c.step == kNone ? 0 : c.step,
          kind};
}

}  // namespace heddle::host
