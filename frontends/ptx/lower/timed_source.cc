#include "frontends/ptx/lower/timed_source.h"

#include <utility>

namespace heddle::ptx::lower {
namespace {

std::shared_ptr<const exec::Code> code_now(const std::shared_ptr<const Ordered>& ordered,
                                           const exec::Launch& launch) {
  const exec::Code& code = ordered->issued.code;
  if (code.const_data == launch.code->const_data) {
    return {ordered, &code};
  }
  auto now = std::make_shared<exec::Code>(code);  // the host has written constants
  now->const_data = launch.code->const_data;
  return now;
}

exec::Launch launch_of(exec::Launch launch, const exec::Code& code) {
  launch.code = &code;
  return exec::completed(std::move(launch));
}

}  // namespace

TimedSource::TimedSource(const Module& module, const Function& kernel, const Placement& placement,
                         const exec::Launch& launch, std::shared_ptr<std::string> output)
    : TimedSource(in_order(module, kernel, placement), launch, std::move(output)) {}

TimedSource::TimedSource(const std::shared_ptr<const Ordered>& ordered, const exec::Launch& launch,
                         std::shared_ptr<std::string> output)
    : TimedSource(ordered, code_now(ordered, launch), launch, std::move(output)) {}

TimedSource::TimedSource(const std::shared_ptr<const Ordered>& ordered,
                         std::shared_ptr<const exec::Code> code, exec::Launch launch,
                         std::shared_ptr<std::string> output)
    : ExecutedSource(ordered->kernel->image, launch_of(std::move(launch), *code), ordered->issued.origins,
                     &ordered->issued.tellings, std::move(output)),
      ordered_(ordered),
      code_(std::move(code)) {}

}  // namespace heddle::ptx::lower
