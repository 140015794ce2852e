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
    : gpu_(gpu), params_(gpu, options.rules) {
  check_program(program);
  platform_ = std::make_unique<Platform>(program, params_, options);
}

OpenRun::~OpenRun() = default;

void OpenRun::advance(Ps until) { platform_->advance(until); }

void OpenRun::come_back(uint32_t thread, Ps at) { platform_->come_back(thread, at); }

Ps OpenRun::now() const { return platform_->now; }

void OpenRun::stop_at(Ps at) { platform_->stop_at(at); }

Ps OpenRun::next_time() const { return platform_->next_time(); }

void OpenRun::came(uint64_t values, Ps at) { platform_->came(values, at); }

bool OpenRun::idle() const { return platform_->commands.live() == 0; }

void OpenRun::wait_by(Rules::Wait wait) {
  Rules rules;
  rules.wait = wait;
  const Params other(gpu_, rules);
  params_.notify = other.notify;
  params_.sleeps = other.sleeps;
}

Result OpenRun::finish() { return platform_->finish(); }

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
