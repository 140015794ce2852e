// A launch of a kernel in PTX that is executed while it is simulated: what its warps do is told in the
// lowered kernel's instructions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontends/ptx/lower/issue.h"
#include "frontends/ptx/lower/lower.h"
#include "sim/exec/issue/executed_source.h"

namespace heddle::ptx::lower {

// `launch`: of the kernel, with its shape and parameters. Throws NotLowered, and Error for what the launch
// may not be.
class TimedSource final : public executed::ExecutedSource {
 public:
  TimedSource(const Module& module, const Function& kernel, const Placement& placement,
              const exec::Launch& launch, std::shared_ptr<std::string> output = nullptr);
  // `ordered`: which launches of one kernel may share.
  TimedSource(const std::shared_ptr<const Ordered>& ordered, const exec::Launch& launch,
              std::shared_ptr<std::string> output);

 private:
  // `code`: of `ordered`, with what constant memory has now.
  TimedSource(const std::shared_ptr<const Ordered>& ordered, std::shared_ptr<const exec::Code> code,
              exec::Launch launch, std::shared_ptr<std::string> output);

  const std::shared_ptr<const Ordered> ordered_;
  const std::shared_ptr<const exec::Code> code_;
};

}  // namespace heddle::ptx::lower
