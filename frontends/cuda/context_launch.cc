// Launches of kernels and of the host's functions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "frontends/cuda/context.h"
#include "frontends/modules/nested.h"
#include "sim/base/error.h"
#include "sim/exec/fault.h"
#include "sim/host/kernels/resources.h"

namespace heddle::cuda {
namespace {

constexpr uint32_t kPlainShared = 48 << 10;  // of a block, without cudaFuncSetAttribute (guide, 9.0)
constexpr uint32_t kMostGenerations = 4096;  // of kernels that launch kernels: the stack here

// Of one block, when a kernel takes so long and its blocks come one generation after the other.
host::Ps block_time(const host::KernelDesc& k, const host::Params& p) {
  const uint64_t at_once = std::max<uint64_t>(1, uint64_t{host::blocks_per_sm(k, p)} * p.sms);
  const uint64_t blocks = uint64_t{k.grid.x} * k.grid.y * k.grid.z;
  return host::Ps(k.duration.count() / static_cast<int64_t>((blocks + at_once - 1) / at_once));
}

}  // namespace

std::vector<uint8_t> Context::parameters_of(const modules::Kernel& k, void* const* arguments) {
  std::vector<uint8_t> out;
  for (size_t i = 0; i < k.parameters.size(); ++i) {
    const modules::Parameter& p = k.parameters[i];
    require(arguments[i] != nullptr, Status::kInvalidValue, "no address of a parameter");
    out.resize(std::max<size_t>(out.size(), p.offset + p.bytes));
    std::memcpy(out.data() + p.offset, arguments[i], p.bytes);
  }
  return out;
}

void Context::check(const KernelWork& k) const {
  require(k.grid.count() != 0 && k.block.count() != 0, Status::kInvalidConfiguration,
          "an empty grid or block");
  const modules::Kernel& f = *k.function->kernel;
  require(f.parameters.empty() || !k.parameters.empty(), Status::kInvalidValue, "no parameters");
  const uint32_t most = k.function->most_dynamic_shared >= 0
                            ? static_cast<uint32_t>(k.function->most_dynamic_shared)
                            : kPlainShared - std::min(kPlainShared, f.static_shared);
  require(k.shared <= most, Status::kInvalidValue, "more dynamic shared memory than was asked for");
  if (const auto refusal = host::refuse_launch(described(k, {}), params_)) {
    throw CallFailed(status_of(refusal->error), refusal->why);
  }
}

void Context::launch(KernelWork k, Stream& s) {
  const isa::Dim3& compiled = k.function->kernel->cluster;
  if (!k.with_cluster && compiled.count() != 0) {
    k.cluster = compiled;
  }
  check(k);
  if (captured(s, k, false)) {
    return;
  }
  const Performed p = perform_kernel(k);
  timeline_.launched(k, timeline_.kernel(k, p), s.model);
}

// What an H200 takes time for and the model does not (traces/h200/PROGRAMS.md).
void Context::note_what_is_free(const exec::Code& code) {
  for (const exec::FunctionInfo& f : code.functions) {
    if (f.builtin == exec::Builtin::kPrintf) {
      environment_.note("printf in kernels takes no time here");
    } else if (f.builtin == exec::Builtin::kMalloc || f.builtin == exec::Builtin::kFree) {
      environment_.note("malloc and free in kernels take no time here");
    }
  }
}

// NOLINTNEXTLINE(misc-no-recursion): kMostGenerations
Performed Context::perform_kernel(const KernelWork& k, uint32_t generation) {
  if (failed_ != Status::kSuccess) {
    return {};
  }
  const auto output = std::make_shared<std::string>();
  Performed out;
  exec::Launch l;
  try {
    library_.update_constants(*k.function->program);
    l = k.function->program->launch(*k.function->kernel);
    l.grid = k.grid;
    l.block = k.block;
    if (k.with_cluster) {
      l.cluster = k.cluster;
      l.with_cluster = true;
    }
    l.dynamic_shared = k.shared;
    std::copy_n(k.parameters.begin(), std::min(k.parameters.size(), l.parameters.size()),
                l.parameters.begin());
    note_what_is_free(*l.code);
    space_.memory().look_for_watched();
    out.duration = environment_.runner->run(*k.function, l, output);
    if (space_.memory().watched_found()) {
      assumptions_.kernel_on_host_memory(k.function->kernel->name);
    }
    out.block = block_time(described(k, out.duration), params_);
  } catch (const Unsupported& e) {
    std::string all = e.what();
    for (const std::string& line : e.lines()) {
      all += "\n  " + line;
    }
    throw CallFailed(Status::kNotSupported, all);
  } catch (const exec::ThreadFault& e) {
    environment_.note(e.what());
    constexpr Status kStatus[] = {Status::kIllegalAddress, Status::kMisalignedAddress, Status::kAssert,
                                  Status::kLaunchFailure};
    failed_ = kStatus[static_cast<int>(e.kind())];
  } catch (const exec::WaitsInVain& e) {
    environment_.note(e.what());
    environment_.note(fmt::format(
        "kernel {}: a kernel is executed alone, when it is launched: what the host or a kernel of another "
        "stream does while it runs is not there, and a wait for it is refused",
        k.function->kernel->name));
    failed_ = Status::kLaunchFailure;
  } catch (const Error& e) {
    environment_.note(e.what());
    failed_ = Status::kLaunchFailure;
  }
  printed_ += *output;
  out.nested = perform_nested(k, l, generation);
  return out;
}

// A grid is complete when its children are (DP01), so they are executed behind it, one after the other.
// NOLINTNEXTLINE(misc-no-recursion): kMostGenerations
std::vector<NestedWork> Context::perform_nested(const KernelWork& parent, const exec::Launch& done,
                                                uint32_t generation) {
  std::vector<NestedWork> out;
  for (modules::Nested& n : modules::nested(*parent.function->program, done)) {
    if (failed_ != Status::kSuccess) {
      break;
    }
    NestedWork w;
    if (n.kernel != nullptr) {
      if (generation == kMostGenerations) {
        note(fmt::format("kernel {}: kernels launch kernels more than {} levels deep", n.kernel->name,
                         kMostGenerations));
        failed_ = Status::kLaunchFailure;
        break;
      }
      w.work.function = &library_.function(parent.function->program, n.kernel->name);
      w.work.grid = n.by.grid;
      w.work.block = n.by.block;
      w.work.shared = n.by.shared;
      w.work.parameters = n.by.parameters;
      try {
        check(w.work);
      } catch (const CallFailed& e) {  // the thread was told
        note(fmt::format("kernel {} launches {}: {}", parent.function->kernel->name, n.kernel->name,
                         e.what()));
        continue;
      }
      w.performed = perform_kernel(w.work, generation + 1);
    }
    w.op = std::move(n.by);
    w.op.parameters.clear();
    out.push_back(std::move(w));
  }
  return out;
}

void Context::call_host(HostWork h, Stream& s, bool capturable) {
  require(h.function != nullptr, Status::kInvalidValue);
  if (!capturable) {
    not_in_capture(s);
  }
  if (captured(s, h, false)) {
    return;
  }
  timeline_.calls().launchHostFunc(s.model, 0);
  flush();
  perform(h);
}

}  // namespace heddle::cuda
