#include "frontends/workload/run.h"

#include <string>
#include <utility>

#include "sim/base/cancelled.h"
#include "sim/base/error.h"
#include "sim/host/program/program_error.h"

namespace heddle::workload {

namespace {

std::string place(const Workload& w, const host::KernelDesc& k) {
  return w.file + ":" + std::to_string(k.line) + ": kernel \"" + k.name + "\": ";
}

}  // namespace

void bind_traces(Workload& w, const KernelTimer& timer) {
  for (const TracedKernel& t : std::exchange(w.traces, {})) {
    host::KernelDesc& k = w.program.kernels[t.kernel];
    if (std::holds_alternative<std::filesystem::path>(t.source)) {
      timer(t, k);
      continue;
    }
    try {
      timer(t, k);
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& e) {
      throw Error(place(w, k) + e.what());
    }
  }
}

host::Result run(const Workload& w, const spec::GpuConfig& gpu, const host::PlatformOptions& options) {
  if (!w.traces.empty()) {
    const host::KernelDesc& k = w.program.kernels[w.traces.front().kernel];
    throw Error(place(w, k) + "traces and modules cannot be simulated here");
  }
  try {
    return host::run(w.program, gpu, options);
  } catch (const host::ProgramError& e) {
    throw Error(w.file + ":" + (e.line() > 0 ? std::to_string(e.line()) + ": " : " ") + e.what());
  } catch (const host::LimitReached& e) {
    throw Error(w.file + ": " + e.what());
  }
}

}  // namespace heddle::workload
