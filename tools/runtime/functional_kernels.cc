#include "tools/runtime/functional_kernels.h"

#include <algorithm>
#include <utility>

#include "sim/exec/fault.h"

namespace heddle::runtime {
namespace {

constexpr uint64_t kLooks = 64;  // of each block for what does not come, before others have their turn

}  // namespace

exec::ExecuteOptions FunctionalKernels::options() const {
  exec::ExecuteOptions o;
  o.threads = options_.threads;
  return o;
}

void FunctionalKernels::launch(const Launch& l) {
  Running r{source_->open(l.values), nullptr, l};
  if (r.opened.function != nullptr) {
    try {
      options_.prepare(r.opened.launch);
      r.execution = std::make_unique<exec::Execution>(r.opened.launch, options());
    } catch (...) {
      source_->ended(*r.opened.function, "", std::current_exception());
    }
  }
  running_.push_back(std::move(r));
}

host::KernelModel::End FunctionalKernels::end(size_t which, std::exception_ptr failure) {
  const Running r = std::move(running_[which]);
  running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(which));
  if (r.execution) {
    const exec::ExecuteResult done = r.execution->result();
    options_.executed(done.instructions);
    source_->ended(*r.opened.function, done.output, std::move(failure));
  }
  return {r.of.device, r.of.tag, r.of.at, r.of.at};
}

std::optional<host::KernelModel::End> FunctionalKernels::advance(host::Ps until) {
  for (bool again = true; again && !running_.empty();) {
    again = false;
    for (size_t i = 0; i < running_.size(); ++i) {
      exec::Execution* const e = running_[i].execution.get();
      const uint64_t before = e ? e->progress() : 0;
      try {
        if (!e || e->run(kLooks)) {
          return end(i, nullptr);
        }
      } catch (...) {
        return end(i, std::current_exception());
      }
      again = again || e->progress() != before;
    }
  }
  if (running_.empty() || until != host::kNever) {
    return std::nullopt;
  }
  // They wait for each other, or for the host, which has nothing to do either: a last look.
  try {
    if (running_[0].execution->run()) {
      return end(0, nullptr);
    }
  } catch (...) {
    return end(0, std::current_exception());
  }
  return end(0, std::make_exception_ptr(running_[0].execution->waits()));
}

host::Ps FunctionalKernels::run(const cuda::LoadedFunction&, const exec::Launch& asked,
                                std::shared_ptr<std::string> output) {
  exec::Launch launch = asked;
  options_.prepare(launch);
  const exec::ExecuteResult r = exec::execute(launch, options());
  *output += r.output;
  options_.executed(r.instructions);
  return {};
}

}  // namespace heddle::runtime
