#include "frontends/workload/run.h"

#include "sim/host/program/program_error.h"

namespace heddle::workload {

host::Result run(const Workload& w, const config::GpuConfig& gpu, const host::RunOptions& options) {
  try {
    return host::run(w.program, gpu, options);
  } catch (const host::ProgramError& e) {
    throw Error(w.file + ":" + (e.line() > 0 ? std::to_string(e.line()) + ": " : " ") + e.what());
  } catch (const host::LimitReached& e) {
    throw Error(w.file + ": " + e.what());
  }
}

}  // namespace heddle::workload
