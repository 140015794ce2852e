#include "frontends/modules/nested.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"

namespace heddle::modules {
namespace {

bool is_tail(const Nested& n) { return n.by.into == exec::DeviceOp::Into::kTail; }

}  // namespace

std::vector<Nested> nested(Program& program, const exec::Launch& done) {
  std::vector<Nested> out;
  if (!done.runtime) {
    return out;
  }
  for (exec::DeviceOp& op : done.runtime->taken()) {
    Nested n;
    if (op.what == exec::DeviceOp::What::kLaunch) {
      n.kernel = &program.kernel(op.kernel);
      n.launch = program.launch(*n.kernel);
      set_shape(n.launch, op.grid, op.block, std::nullopt, op.shared);
      n.launch.checks = done.checks;
      n.launch.reconvergence_stack = done.reconvergence_stack;
      n.launch.multiprocessors = done.multiprocessors;
      n.launch.warps_of_sm = done.warps_of_sm;
      n.launch.stack_limit = done.stack_limit;
      std::copy_n(op.parameters.begin(), std::min(op.parameters.size(), n.launch.parameters.size()),
                  n.launch.parameters.begin());
    }
    n.by = std::move(op);
    out.push_back(std::move(n));
  }
  std::stable_partition(out.begin(), out.end(), [](const Nested& n) { return !is_tail(n); });
  return out;
}

// Depth first, since a grid is not complete before its children are (DP01). A list, for a kernel that
// launches itself again and again.
exec::ExecuteResult execute_nested(Program& program, const exec::Launch& done,
                                   const exec::ExecuteOptions& options) {
  exec::ExecuteResult out;
  struct Waiting {
    Nested what;
    uint32_t generation;
  };
  std::vector<Waiting> waiting;  // the next one last
  const auto add = [&](const exec::Launch& parent, uint32_t generation) {
    std::vector<Nested> some = nested(program, parent);
    if (!some.empty() && generation > kDeepest) {
      throw Error(fmt::format("kernel {}: kernels launch kernels more than {} levels deep",
                              parent.code->kernel, kDeepest));
    }
    std::for_each(some.rbegin(), some.rend(), [&](Nested& n) {
      waiting.push_back({std::move(n), generation});
    });
  };
  add(done, 1);
  while (!waiting.empty()) {
    Waiting next = std::move(waiting.back());
    waiting.pop_back();
    if (next.what.kernel != nullptr) {
      next.what.launch.grid_id = done.grid_id + out.launches + 1;
      const exec::ExecuteResult r = exec::execute(next.what.launch, options);
      ++out.launches;
      out.instructions += r.instructions;
      out.thread_instructions += r.thread_instructions;
      out.output += r.output;
      add(next.what.launch, next.generation + 1);
    }
  }
  return out;
}

}  // namespace heddle::modules
