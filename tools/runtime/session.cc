#include "tools/runtime/session.h"

#include <errno.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>

#include "analysis/report/format.h"
#include "analysis/run/run_record.h"
#include "analysis/timeline/host_timeline.h"
#include "configs/loader/config.h"
#include "frontends/output/output_file.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "tools/runtime/contexts.h"
#include "tools/runtime/device.h"
#include "tools/runtime/functional_kernels.h"
#include "tools/runtime/patience.h"
#include "tools/runtime/program_threads.h"
#include "tools/runtime/running_kernels.h"

namespace heddle::runtime {
namespace {

std::string setting(const char* name, const char* otherwise = "") {
  const char* v = std::getenv(name);
  return v == nullptr ? otherwise : v;
}

std::vector<std::string> overrides() {
  std::vector<std::string> out;
  std::istringstream lines(setting("HEDDLE_SET"));
  for (std::string line; std::getline(lines, line);) {
    out.push_back(line);
  }
  return out;
}

}  // namespace

Session& Session::get() {
  // Never destroyed: the program's own destructors may still call CUDA.
  static Session* const session = [] {
    try {
      auto* s = new Session;
      there_is(*s);
      if (const std::optional<uint64_t> passed = show_simulated_time()) {
        s->join(setting("HEDDLE_SHARE_MAKE") == "1");
        s->threads().held(true);
        s->spend(*passed);
        watch(s->threads());
        s->context_->assumptions().simulated_clocks();
        const std::string work = setting("HEDDLE_HOST_WORK");
        if (const double factor = parse_number<double>(work).value_or(0); factor > 0) {
          count_own_work(factor);
          s->context_->assumptions().own_work(factor);
        }
      }
      s->store();  // that it cannot be written is known before the program begins
      std::atexit([] { get().end(); });
      return s;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "heddle: error: %s\n", e.what());
      std::_Exit(1);
    }
  }();
  return *session;
}

Session::Session() {
  config::LoadOptions load;
  load.overrides = overrides_ = overrides();
  gpu_ = config::load(setting("HEDDLE_GPU", "h200"), load);
  functional_ = setting("HEDDLE_FUNCTIONAL") == "1";
  settings_.threads = parse_number<int>(setting("HEDDLE_THREADS", "1")).value_or(1);
  stores_ = !setting("HEDDLE_OUT").empty();
  make_context();
  if (functional_) {
    note(
        "kernels are executed and not timed: they take no time on the timeline, and blocks go on one after "
        "the "
        "other, so what races between them is not decided as on a GPU");
  }
}

void Session::make_context() {
  const auto prepares = [this](exec::Launch& l) { return prepare(l); };
  const auto notes = [this](std::string_view text) { note(text); };
  if (functional_) {
    machine_ = std::make_unique<FunctionalKernels>(FunctionalKernels::Options{
        settings_.threads, prepares, [this](uint64_t instructions) { instructions_ += instructions; }});
  } else {
    machine_ = std::make_unique<RunningKernels>(
        gpu_, RunningKernels::Options{settings_, setting("HEDDLE_COLD") == "1", prepares,
                                      [this](const analysis::LaunchRecord& r) { store(r); }, notes,
                                      setting("HEDDLE_REUSE") == "1"});
  }
  kernels_ = std::make_unique<cuda::SharedKernels>(*machine_);
  context_ = std::make_unique<cuda::Context>(
      gpu_, cuda::Context::Environment{kernels_.get(), kernels_.get(),
                                       stores_ || !setting("HEDDLE_TIMELINE").empty(),
                                       [](std::string_view text) {
                                         std::fwrite(text.data(), 1, text.size(), stdout);
                                         std::fflush(stdout);
                                       },
                                       notes, true});
}

void Session::begin_again() {
  context_ = nullptr;  // its addresses are the next one's
  kernels_ = nullptr;
  machine_ = nullptr;
  Contexts::get() = {};
  thread_state() = {};
  functional_ = setting("HEDDLE_FUNCTIONAL") == "1";
  make_context();
}

uint64_t Session::host_ns() {
  const std::lock_guard lock(mutex());
  return static_cast<uint64_t>(threads().now() / host::from_ns(1));
}

void Session::spend(uint64_t ns, bool asleep) {
  const std::lock_guard lock(mutex());
  const host::Ps time = host::from_ns(1) * static_cast<int64_t>(ns);
  if (context_->in_host_function()) {
    context_->function_spends(time);
  } else {
    threads().spend(time, asleep);
  }
}

void Session::spend_own_work() {
  if (const uint64_t own = take_own_work(); own != 0) {
    spend(own);
  }
}

void Session::note(std::string_view text) {
  if (said_.insert(std::string(text)).second) {
    std::fprintf(stderr, "heddle: %.*s\n", static_cast<int>(text.size()), text.data());
  }
}

uint32_t Session::prepare(exec::Launch& launch) {
  launch.reconvergence_stack = exec::reconverges_by_stack(gpu_.limits().compute_capability());
  launch.grid_id = ++launches_;
  launch.multiprocessors = context_->params().sms;
  launch.warps_of_sm = gpu_.limits().max_warps_per_sm();
  launch.stack_limit = device_limit(kStackLimit, *context_);
  return launches_;
}

// That the disk is full is no failure of the program's kernel.
void Session::store(const analysis::LaunchRecord& r) {
  instructions_ += r.warp_instructions;
  reused_ += r.sampling.requested ? 1 : 0;
  try {
    if (analysis::ResultStore* const s = store()) {
      s->add(r);
    }
  } catch (const Error& e) {
    note(std::string(e.what()) + "; later launches are not stored");
    store_ = nullptr;
    stores_ = false;
  }
}

void Session::write_timeline(const host::Result& r) {
  if (const std::string name = file("HEDDLE_TIMELINE"); !name.empty()) {
    const bool force = setting("HEDDLE_FORCE") == "1";
    output::OutputFile out(name, output::timeline(),
                           force ? output::Replace::kAny : output::Replace::kSameKind);
    analysis::write_host_trace(out.stream(), r);
    out.commit();
  }
  if (analysis::ResultStore* const s = store()) {
    s->add_spans(analysis::host_spans(r));
  }
}

void Session::end() {
  if (ended_.exchange(true) || is_over()) {
    return;
  }
  const InCall in_call;
  const std::lock_guard lock(mutex());
  try {
    const host::Result r = context_->timeline().finish();
    program_over();
    context_->assumptions().given_up(threads().given_up());
    if (share_) {
      context_->assumptions().shared(gpu_.host().sharing().slice_us(),
                                     gpu_.host().sharing().change_ns() / 1e3, share_->outside());
    }
    context_->flush();
    if (share_ && share_->number() != 0 && !Contexts::get().started) {
      return;  // a process that has had nothing to do with the device
    }
    write_timeline(r);
    if (setting("HEDDLE_QUIET") == "1") {
      return;
    }
    note(fmt::format("{}: {} launches, {} warp instructions, {:.1f} us on {} (the host's own work {})",
                     share_ ? fmt::format("{} (process {})", program_invocation_short_name, share_->number())
                            : program_invocation_short_name,
                     launches_, analysis::grouped(instructions_), host::to_us(r.end), gpu_.product(),
                     setting("HEDDLE_HOST_WORK").empty() ? "takes no time" : "counts as this computer's"));
    if (reused_ > 0) {
      note(fmt::format(
          "{} of the launches were executed and not timed: each took the time of one like it (--reuse)",
          analysis::grouped(reused_)));
    }
    if (!functional_) {
      for (const std::string& line : context_->assumptions().lines()) {
        note("assumed: " + line);
      }
    }
    if (!r.errors.empty()) {
      note(fmt::format("the model of the host refused {} of the calls, first {}: {} ({})", r.errors.size(),
                       r.errors[0].api, r.errors[0].error, r.errors[0].why));
    }
  } catch (const std::exception& e) {
    note(e.what());
  }
}

}  // namespace heddle::runtime
