#include "sim/host/platform/run.h"

#include "sim/host/checks/check_program.h"
#include "sim/host/platform/platform.h"

namespace heddle::host {

Result run(const Program& program, const spec::GpuConfig& gpu, const PlatformOptions& options) {
  check_program(program);
  const Params params(gpu, options.rules);
  return Platform(program, params, options).run();
}

Program empty_program(uint32_t devices) {
  Program p;
  p.devices = devices;
  for (uint32_t d = 0; d < devices; ++d) {
    StreamDesc s;
    s.name = "default";
    s.device = d;
    p.streams.push_back(s);
  }
  return p;
}

}  // namespace heddle::host
