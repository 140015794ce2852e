#include "sim/host/calls/first_times.h"

#include <algorithm>
#include <cmath>

namespace heddle::host {
namespace {

constexpr double kKib = 1024;

bool needs_context(const CallType& t) { return t.asks_device || t.starts == CallType::Starts::kContext; }

bool has(const std::vector<bool>& all, uint32_t i) { return i < all.size() && all[i]; }

}  // namespace

Ps FirstTimes::of_call(const CallType& type, uint32_t device) const {
  if (!counts(type)) {
    return {};
  }
  const Params::First& p = core_.params.first;
  return (calls_.empty() ? p.process : Ps()) +
         (devices_[device].context || !needs_context(type) ? Ps() : p.context) +
         (calls_.count(&type) != 0 ? Ps() : p.call);
}

void FirstTimes::called(const CallType& type, uint32_t device) {
  if (counts(type)) {
    devices_[device].context |= needs_context(type);
    calls_.insert(&type);
  }
}

Ps FirstTimes::of_module(const CodeDesc& code) const {
  const Params::First& p = core_.params.first;
  const auto own = [](const KernelDesc& k) { return k.variant_of == kNone; };
  const std::vector<KernelDesc>& all = core_.program.kernels;
  const auto kernels =
      code.module_kernels != 0 ? code.module_kernels : std::count_if(all.begin(), all.end(), own);
  return p.module + kernels * p.module_kernel +
         Ps(std::llround(static_cast<double>(code.module_bytes) / kKib * p.module_kib)) +
         (code.module_prints ? p.module_printf : Ps()) + (code.module_allocates ? p.module_heap : Ps());
}

Ps FirstTimes::of_kernel(uint32_t kernel, uint32_t device) const {
  const uint32_t which = code_of(kernel);
  const Device& d = devices_[device];
  if (!core_.rules.lazy_loading || has(d.kernels, which)) {
    return {};
  }
  const Params::First& p = core_.params.first;
  const CodeDesc& code = core_.program.kernels[which].code;
  const double kib = code.bytes / kKib, inlined = std::min(kib, p.kernel_copied_from);
  Ps all = p.kernel + Ps(std::llround(inlined * p.kernel_kib + (kib - inlined) * p.kernel_copied_kib));
  all += d.kernels.empty() ? p.launch : Ps();
  all += d.modules.count(code.module) != 0 ? Ps() : of_module(code);
  all += code.prints && !d.printed ? p.printf : Ps();
  all += code.allocates && !d.allocated ? p.heap : Ps();
  return all;
}

bool FirstTimes::loads(uint32_t kernel, uint32_t device) {
  const uint32_t which = code_of(kernel);
  Device& d = devices_[device];
  if (!core_.rules.lazy_loading || has(d.kernels, which)) {
    return false;
  }
  const CodeDesc& code = core_.program.kernels[which].code;
  d.kernels.resize(std::max<size_t>(d.kernels.size(), which + 1));
  d.kernels[which] = true;
  d.printed |= code.prints;
  d.allocated |= code.allocates;
  d.modules.insert(code.module);
  return true;
}

}  // namespace heddle::host
