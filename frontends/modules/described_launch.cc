#include "frontends/modules/described_launch.h"

#include <fmt/format.h>

#include <utility>

#include "frontends/modules/nested.h"
#include "sim/base/error.h"

namespace heddle::modules {

DescribedLaunch::DescribedLaunch(const LaunchDescription& d, const exec::Checks& checks) {
  if (checks.init) {
    memory_.track_writes();
  }
  program_ = load(d.file, memory_);
  kernel_ = &program_->kernel(d.kernel);
  launch_ = program_->launch(*kernel_);
  set_shape(launch_, d.grid, d.block, d.cluster, d.dynamic_shared);
  launch_.checks = checks;
  if (d.arguments.size() != kernel_->parameters.size()) {
    throw Error(fmt::format("{}: kernel {} has {} parameters, and there are {} arguments", d.file.string(),
                            kernel_->name, kernel_->parameters.size(), d.arguments.size()));
  }
  for (size_t i = 0; i < d.arguments.size(); ++i) {
    arguments_.push_back(argument(d.arguments[i], kernel_->parameters[i], memory_));
    set_parameter(*kernel_, i, arguments_.back().bits, launch_);
  }
}

std::unique_ptr<isa::BlockSource> DescribedLaunch::timed(std::shared_ptr<std::string> output) const {
  return program_->timed(*kernel_, launch_, std::move(output));
}

exec::ExecuteResult DescribedLaunch::execute_nested(const exec::ExecuteOptions& options) {
  return modules::execute_nested(*program_, launch_, options);
}

}  // namespace heddle::modules
