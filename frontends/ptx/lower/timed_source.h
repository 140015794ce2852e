// A launch of a kernel in PTX that is executed while it is simulated: what its warps do is told in the
// lowered kernel's instructions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontends/executed/executed_source.h"
#include "frontends/ptx/lower/issue.h"
#include "frontends/ptx/lower/lower.h"

namespace heddle::ptx::lower {

// `launch`: of the kernel, with its shape and parameters; `origins`: of Translation, they outlive this.
// Throws NotLowered, and Error for what the launch may not be.
class TimedSource final : public executed::ExecutedSource {
 public:
  TimedSource(const Module& module, const Function& kernel, const Placement& placement,
              const exec::Launch& launch, const std::vector<uint32_t>& origins,
              std::shared_ptr<std::string> output = nullptr);
  // `lowered`, `issued`: which launches of one kernel may share.
  TimedSource(const std::shared_ptr<const Kernel>& lowered, const std::shared_ptr<const Issued>& issued,
              const exec::Launch& launch, const std::vector<uint32_t>& origins,
              std::shared_ptr<std::string> output);

 private:
  TimedSource(const std::shared_ptr<const Kernel>& lowered, const Module& module, const Placement& placement,
              const exec::Launch& launch, const std::vector<uint32_t>& origins,
              std::shared_ptr<std::string> output);
  std::shared_ptr<const Issued> issued_;
};

}  // namespace heddle::ptx::lower
