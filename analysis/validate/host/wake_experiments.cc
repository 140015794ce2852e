// The experiments of host_wake.cu: how long a thread that the operating system has put to sleep needs to run
// again, by how long it has slept.
#include "analysis/validate/host/experiment.h"

namespace heddle::hostbench {
namespace {

// The rows are what is more than a loop that looks at a word the kernel writes. A stream's synchronisation
// that polls is 2.1 us more than that, however long the kernel (rows wake_spin_us).
constexpr double kPolledUs = 2.1;
constexpr double kCyclesPerUs = 1980;

double polled(const config::GpuConfig& gpu, double cycles) {
  Experiment e(gpu);
  const Kernel k = e.spin(cycles);
  return e.last_call([&] { e.main.launch(k, e.s).streamSynchronize(e.s); }) - kPolledUs;
}

}  // namespace

std::optional<double> wake_experiments(Experiment& e, const Row& row) {
  const std::string& t = row.test;
  if (!t.starts_with("wake_") || t == "wake_spin_us" || t == "wake_polled_us" ||
      t.find("_us_") != std::string::npos) {
    return std::nullopt;
  }
  const double us = static_cast<double>(leading_number(row.parameter));
  const Kernel k = e.spin(us * kCyclesPerUs);
  const Event blocking = e.w.event("blocking", false, 0, true);
  if (t == "wake_chain_us") {
    return e.last_call([&] {
      e.main.repeat(20, [&](Thread& m) { m.launch(k, e.s).launchHostFunc(e.s, 0); }).streamSynchronize(e.s);
    }) / 20 -
           us;
  }
  const double base = polled(e.gpu(), us * kCyclesPerUs);
  if (t == "wake_event_us") {
    return e.last_call([&] { e.main.launch(k, e.s).eventRecord(blocking, e.s).eventSynchronize(blocking); }) -
           base;
  }
  if (t == "wake_function_us") {
    const Flag f = e.w.flag("f");
    return e.last_call([&] { e.main.launch(k, e.s).launchHostFunc(e.s, 0, f).waitFlag(f); }) - base;
  }
  if (t == "wake_stream_us" || t == "wake_device_us") {
    e.rules.wait = host::Rules::Wait::kBlock;
    return e.last_call([&] {
      e.main.launch(k, e.s);
      t == "wake_stream_us" ? e.main.streamSynchronize(e.s) : e.main.deviceSynchronize();
    }) - base;
  }
  return std::nullopt;
}

}  // namespace heddle::hostbench
