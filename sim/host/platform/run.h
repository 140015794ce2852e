// The host model: a program's threads, the streams, queues, engines and work distributors of its devices, put
// together.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "configs/schema/spec.h"
#include "sim/base/error.h"
#include "sim/host/core/limits.h"
#include "sim/host/core/params.h"
#include "sim/host/core/result.h"
#include "sim/host/memory/l2_control.h"
#include "sim/host/program/program.h"

namespace heddle::host {

class Effects;      // effects.h
class KernelModel;  // kernel_model.h

struct PlatformOptions {
  Rules rules;
  bool spans = true;   // keep the timeline: without it, tracks have no times
  bool check = false;  // look for undefined behaviour: Result::findings
  // What a policy of the L2 makes of a kernel from a trace (KernelDesc::trace); without it, nothing.
  KernelTime kernel_time = {};
  // Runs kernels that have a trace, together with each other; durations do not count then. May be null.
  KernelModel* kernels = nullptr;
  // Told when work that says so (Call::values) changes values. May be null.
  Effects* effects = nullptr;
  // When it becomes true the run stops soon and throws Cancelled. May be null.
  const std::atomic<bool>* cancel = nullptr;
  bool graphs = false;  // Result::graphs
  Limits limits = {};
  // Told every now and then how far the run is: its time, and calls made.
  std::function<void(Ps now, uint64_t calls)> progress = {};
};

// Runs the program to its end, or to where nothing can go on (Result::deadlock). All devices are alike.
// Errors of calls are part of the result. Throws ProgramError (check_program.h) when the program refers to
// something that it does not have, LimitReached when it goes beyond `limits`.
Result run(const Program& program, const spec::GpuConfig& gpu, const PlatformOptions& options = {});

class Platform;

// A run that stops where a live thread has no call yet (LiveThread::kLater), before anything else happens at
// that time or behind it, and goes on from there. The program may have got meanwhile what live_thread.h says.
class OpenRun {
 public:
  // `program`, `options` and what these point to outlive this. Throws as run() does.
  OpenRun(const Program& program, const spec::GpuConfig& gpu, const PlatformOptions& options = {});
  ~OpenRun();
  OpenRun(const OpenRun&) = delete;
  OpenRun& operator=(const OpenRun&) = delete;

  // On to the next such place, or to the end. Throws as run() does; it is over then.
  void advance(Ps until = kNever);  // not beyond `until`
  // A live thread that is away (LiveThread::kAway), or that the program has got since, is asked for its next
  // call at `at`, or now if that is past. Only the first such time counts.
  void come_back(uint32_t thread, Ps at);
  Ps now() const;
  // The call of advance() that is under way goes no further than that. By what it calls (Effects,
  // KernelModel).
  void stop_at(Ps at);
  // When something happens next, kernels of a KernelModel apart; kNever: nothing does.
  Ps next_time() const;
  // What a stream waits for that is told so (Call::values of kStreamWaitEvent) has happened, once for each.
  void came(uint64_t values, Ps at);
  bool idle() const;  // no command is under way
  // How threads wait from now on (cudaDeviceSchedule...).
  void wait_by(Rules::Wait wait);
  // Once it has come to its end.
  Result finish();

 private:
  const spec::GpuConfig gpu_;
  Params params_;
  std::unique_ptr<Platform> platform_;
};

// A program with nothing in it but the devices' legacy default streams.
Program empty_program(uint32_t devices = 1);

}  // namespace heddle::host
