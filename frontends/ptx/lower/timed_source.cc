#include "frontends/ptx/lower/timed_source.h"

#include "frontends/ptx/lower/block_recorder.h"

namespace heddle::ptx::lower {

TimedSource::TimedSource(const Module& module, const Function& kernel, const exec::Launch& launch,
                         const std::vector<uint32_t>& origins, std::shared_ptr<std::string> output)
    : TimedSource(std::shared_ptr<const Kernel>(lower(module, kernel)), launch, origins, std::move(output)) {}

TimedSource::TimedSource(const std::shared_ptr<const Kernel>& lowered, const exec::Launch& launch,
                         const std::vector<uint32_t>& origins, std::shared_ptr<std::string> output)
    : ExecutedSource(
          lowered->image, exec::completed(launch),
          [lowered, &origins, code = launch.code](uint32_t blocks, uint32_t warps) {
            return std::make_unique<BlockRecorder>(*lowered, *code, origins, blocks, warps);
          },
          std::move(output)) {}

}  // namespace heddle::ptx::lower
