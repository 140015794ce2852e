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

bool has_printf(const exec::Code& code) {
  return std::any_of(code.functions.begin(), code.functions.end(),
                     [](const exec::FunctionInfo& f) { return f.builtin == exec::Builtin::kPrintf; });
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
  prepare(k);
  flush();
  const uint64_t values = keep(k, false);
  submitted(values, timeline_.launched(k, s.model, values));
}

std::string Context::all_of(const Unsupported& e) {
  std::string all = e.what();
  for (const std::string& line : e.lines()) {
    all += "\n  " + line;
  }
  return all;
}

// Throws CallFailed when the code cannot be executed.
void Context::prepare(const KernelWork& k) {
  if (k.function->launches) {
    return;
  }
  try {
    const exec::Launch l = k.function->program->launch(*k.function->kernel);
    k.function->launches = l.runtime && l.runtime->may_launch();
    prints_ = prints_ || has_printf(*l.code);
  } catch (const Unsupported& e) {
    throw CallFailed(Status::kNotSupported, all_of(e));
  }
}

void Context::call_host(HostWork h, Stream& s) {
  require(h.function != nullptr, Status::kInvalidValue);
  if (captured(s, h, false)) {
    return;
  }
  const uint64_t values = keep(h, false);
  submitted(values, timeline_.called(s.model, values));
}

}  // namespace heddle::cuda
