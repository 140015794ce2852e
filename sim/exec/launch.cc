#include "sim/exec/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/base/align.h"
#include "sim/base/error.h"
#include "sim/exec/code.h"
#include "sim/exec/layout.h"

namespace heddle::exec {
namespace {

void check_cluster(const Launch& launch) {
  const Code& code = *launch.code;
  const isa::Dim3 c = launch.cluster, g = launch.grid;
  const uint32_t* r = code.required_cluster;
  if (code.explicit_cluster && r[0] == 0 && !launch.with_cluster) {
    throw Error(fmt::format("kernel {} is launched with clusters only (.explicitcluster)", code.kernel));
  }
  if (r[0] != 0 && (c.x != r[0] || c.y != r[1] || c.z != r[2])) {
    throw Error(fmt::format("kernel {}: clusters of {} x {} x {} blocks (legal: {} x {} x {})", code.kernel,
                            c.x, c.y, c.z, r[0], r[1], r[2]));
  }
  const uint64_t most = code.most_cluster_blocks != 0 ? std::min(code.most_cluster_blocks, kMostClusterBlocks)
                                                      : kMostClusterBlocks;
  if (c.count() == 0 || c.count() > most) {
    throw Error(fmt::format("kernel {}: clusters of {} x {} x {} blocks (legal: 1 to {} together)",
                            code.kernel, c.x, c.y, c.z, most));
  }
  if (g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0) {
    throw Error(
        fmt::format("kernel {}: a grid of {} x {} x {} blocks in clusters of {} x {} x {} (legal: "
                    "multiples)",
                    code.kernel, g.x, g.y, g.z, c.x, c.y, c.z));
  }
}

void check(const Launch& launch) {
  const Code& code = *launch.code;
  const isa::Dim3 b = launch.block;
  if (b.count() == 0 || b.count() > code.most_threads) {
    throw Error(fmt::format("kernel {}: blocks of {} x {} x {} threads (legal: 1 to {} together)",
                            code.kernel, b.x, b.y, b.z, code.most_threads));
  }
  constexpr uint32_t kMostZ = 64;  // of a block, whatever its threads (PM07); x and y are limited by these
  if (b.z > kMostZ) {
    throw Error(fmt::format("kernel {}: blocks of {} x {} x {} threads (legal: 1024 x 1024 x {})",
                            code.kernel, b.x, b.y, b.z, kMostZ));
  }
  const uint32_t* r = code.required_threads;
  if (r[0] != 0 && (b.x != r[0] || b.y != r[1] || b.z != r[2])) {
    throw Error(fmt::format("kernel {}: blocks of {} x {} x {} threads (legal: {} x {} x {})", code.kernel,
                            b.x, b.y, b.z, r[0], r[1], r[2]));
  }
  if (launch.grid.count() == 0 || launch.grid.x > INT32_MAX || launch.grid.y > 65535 ||
      launch.grid.z > 65535) {
    throw Error(
        fmt::format("kernel {}: a grid of {} x {} x {} blocks (legal: 1 to 2147483647 x 65535 x 65535)",
                    code.kernel, launch.grid.x, launch.grid.y, launch.grid.z));
  }
  if (launch.shared_bytes() > kMostSharedBytes) {
    throw Error(fmt::format("kernel {}: {} bytes of shared memory (legal: up to {})", code.kernel,
                            launch.shared_bytes(), kMostSharedBytes));
  }
  check_cluster(launch);
}

}  // namespace

uint32_t Launch::local_bytes() const {
  const uint64_t own = code->functions[code->entry].local_bytes;
  const uint64_t stack =
      code->stack_by_limit ? round_up(std::min<uint64_t>(stack_limit, kMostLocalBytes), uint64_t{16}) : 0;
  return static_cast<uint32_t>(std::min<uint64_t>(own + stack, kMostLocalBytes));
}

Launch completed(Launch launch) {
  const Code& code = *launch.code;
  if (!launch.with_cluster && code.required_cluster[0] != 0) {
    launch.cluster = {code.required_cluster[0], code.required_cluster[1], code.required_cluster[2]};
    launch.with_cluster = true;
  }
  if (code.grid_in_clusters) {
    launch.grid = {launch.grid.x * launch.cluster.x, launch.grid.y * launch.cluster.y,
                   launch.grid.z * launch.cluster.z};
  }
  check(launch);
  if (!code.parameter_words.empty()) {
    auto all = std::make_shared<std::vector<Register>>(code.constants);
    for (const Code::ParameterWord& w : code.parameter_words) {
      uint32_t word = 0;
      if (w.offset + sizeof word <= launch.parameters.size()) {
        std::memcpy(&word, launch.parameters.data() + w.offset, sizeof word);
      }
      (*all)[w.constant].fill(word);
    }
    launch.constants = std::move(all);
  }
  return launch;
}

}  // namespace heddle::exec
