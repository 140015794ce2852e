#include "sim/host/platform/run.h"

#include "sim/host/checks/check_program.h"
#include "sim/host/platform/platform.h"

namespace heddle::host {

Result run(const Program& program, const spec::GpuConfig& gpu, const PlatformOptions& options) {
  check_program(program);
  const Params params(gpu, options.rules);
  Platform platform(program, params, options);
  platform.advance();
  return platform.finish();
}

OpenRun::OpenRun(const Program& program, const spec::GpuConfig& gpu, const PlatformOptions& options)
    : params_(gpu, options.rules) {
  check_program(program);
  platform_ = std::make_unique<Platform>(program, params_, options);
}

OpenRun::~OpenRun() = default;

void OpenRun::advance() { platform_->advance(); }

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
