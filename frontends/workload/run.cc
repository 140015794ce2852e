#include "frontends/workload/run.h"

#include <utility>

#include "sim/host/program/program_error.h"

namespace heddle::workload {

void bind_traces(Workload& w, const KernelTimer& timer) {
  for (const TracedKernel& t : std::exchange(w.traces, {})) {
    timer(t.trace, w.program.kernels[t.kernel]);
  }
}

host::Result run(const Workload& w, const config::GpuConfig& gpu, const host::PlatformOptions& options) {
  if (!w.traces.empty()) {
    const host::KernelDesc& k = w.program.kernels[w.traces.front().kernel];
    throw Error(w.file + ":" + std::to_string(k.line) + ": kernel \"" + k.name +
                "\": traces cannot be simulated here");
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
