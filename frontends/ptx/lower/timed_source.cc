#include "frontends/ptx/lower/timed_source.h"

#include "frontends/ptx/lower/block_recorder.h"

namespace heddle::ptx::lower {

TimedSource::TimedSource(const Module& module, const Function& kernel, const Placement& placement,
                         const exec::Launch& launch, const std::vector<uint32_t>& origins,
                         std::shared_ptr<std::string> output)
    : TimedSource(std::shared_ptr<const Kernel>(lower(module, kernel)), module, placement, launch, origins,
                  std::move(output)) {}

TimedSource::TimedSource(const std::shared_ptr<const Kernel>& lowered, const Module& module,
                         const Placement& placement, const exec::Launch& launch,
                         const std::vector<uint32_t>& origins, std::shared_ptr<std::string> output)
    : TimedSource(lowered, issued_if_ordered(module, *lowered, placement), launch, origins,
                  std::move(output)) {}

TimedSource::TimedSource(const std::shared_ptr<const Kernel>& lowered,
                         const std::shared_ptr<const Issued>& issued, const exec::Launch& launch,
                         const std::vector<uint32_t>& origins, std::shared_ptr<std::string> output)
    : ExecutedSource(
          lowered->image, exec::completed(launch),
          [lowered, &origins, code = launch.code](uint32_t blocks, uint32_t warps) {
            return std::make_unique<BlockRecorder>(*lowered, *code, origins, blocks, warps);
          },
          std::move(output)),
      issued_(issued) {
  if (issued_->code.insts.empty()) {
    return;  // its values are decided ahead of time
  }
  if (issued_->code.const_data != launch.code->const_data) {  // the host has written constants
    auto now = std::make_shared<Issued>(*issued_);
    now->code.const_data = launch.code->const_data;
    issued_ = std::move(now);
  }
  execute_at_issue(issued_->code, issued_->origins, &issued_->tellings);
}

}  // namespace heddle::ptx::lower
