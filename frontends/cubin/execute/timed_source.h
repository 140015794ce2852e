// A launch of a cubin's kernel that is executed while it is simulated: its blocks as a recording would have
// them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontends/cubin/execute/program.h"
#include "sim/exec/issue/executed_source.h"

namespace heddle::cubin {

// The machine's view of a kernel and of the functions that it may call, which lie behind it.
isa::KernelImage image_of(const Object& object, const Translation& translation);

class TimedSource final : public executed::ExecutedSource {
 public:
  // `launch`: of the kernel, with its shape and parameters; the program outlives this. Throws Error for what
  // the launch may not be.
  TimedSource(const Program& program, const Function& kernel, const exec::Launch& launch,
              std::shared_ptr<std::string> output = nullptr);
  // `image`: image_of(), which launches of one kernel may share.
  TimedSource(const std::shared_ptr<const isa::KernelImage>& image, const Translation& translation,
              const exec::Launch& launch, std::shared_ptr<std::string> output);
};

}  // namespace heddle::cubin
