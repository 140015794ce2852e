#include "tools/runtime/contexts.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "frontends/cuda/context.h"
#include "frontends/cuda/status.h"

namespace heddle::runtime {

using cuda::Status;

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

Contexts& Contexts::get() {
  static auto* const all = new Contexts;
  return *all;
}

DriverContext& Contexts::at(const void* handle) {
  if (handle == &primary && active()) {
    return primary;
  }
  return created.at(handle);
}

DriverContext* Contexts::current() {
  const auto& stack = thread_state().contexts;
  if (stack.empty() || stack.back() == nullptr || (stack.back() == &primary && !active())) {
    return nullptr;
  }
  try {
    return &at(stack.back());
  } catch (const cuda::CallFailed&) {
    throw cuda::CallFailed(Status::kContextIsDestroyed, "the current context was destroyed");
  }
}

int32_t compute_mode() {
  const char* const v = std::getenv("HEDDLE_COMPUTE_MODE");
  const std::string_view mode = v == nullptr ? "" : v;
  return mode == "prohibited" ? kProhibited : mode == "exclusive-process" ? kExclusiveProcess : 0;
}

void require_context(Contexts& all, const std::function<bool()>& may_make) {
  all.allowed = all.allowed || may_make();
  cuda::require(all.allowed, Status::kDevicesUnavailable,
                "the device's compute mode is prohibited, or exclusive and another process has a context");
}

void drop_context(cuda::Context& c) {
  Contexts::get().allowed = false;
  if (cuda::Share* const s = c.timeline().threads().shared()) {
    s->drops_context();
  }
}

void prepare(cuda::Context& c, bool runtime, bool context, const std::function<bool()>& may_make) {
  Contexts& all = Contexts::get();
  all.initialised = all.initialised || runtime;
  cuda::require(all.initialised, Status::kInitializationError, "cuInit was not called");
  if (!std::exchange(all.started, true)) {
    c.timeline().call([](auto& t) { t.getDeviceCount(); });
  }
  if (!context) {
    return;
  }
  if (runtime) {
    require_context(all, may_make);
  }
  if (runtime && !std::exchange(all.made, true)) {
    c.timeline().call([](auto& t) { t.setDevice(0); });
  }
  DriverContext* current = all.current();
  if (!runtime) {
    cuda::require(current != nullptr, Status::kInvalidContext, "no context is current");
    return;
  }
  if (current == nullptr) {
    if (!all.of_runtime) {
      all.of_runtime = true;
      ++all.users;
    }
    auto& stack = thread_state().contexts;
    if (stack.empty()) {
      stack.push_back(&all.primary);
    }
    stack.back() = &all.primary;
  }
}

}  // namespace heddle::runtime
