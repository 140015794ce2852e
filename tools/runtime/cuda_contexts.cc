// The driver's interface: the device, its contexts, errors.
#include <algorithm>
#include <string>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/device.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

void require_device(int32_t device) { cuda::require(device == 0, Status::kInvalidDevice); }

// Of the primary context and of the runtime's device the same.
void set_flags(DriverContext& context, uint32_t flags, Context& c) {
  cuda::require(are_device_flags(flags), Status::kInvalidValue, "flags of a context");
  context.flags = flags;
  if (&context == &Contexts::get().primary) {
    c.set_schedule(flags & kScheduleMask);
  }
}

uint32_t flags_of(const DriverContext& context, const Context& c) {
  return &context == &Contexts::get().primary ? (context.flags & ~kScheduleMask) | c.settings().schedule
                                              : context.flags;
}

void push(const void* context) { thread_state().contexts.push_back(context); }

// When nobody has a context any more, nobody has what lies on the device.
void ended(Context& c) {
  if (Contexts::get().none_left()) {
    c.reset();
    drop_context(c);
  }
}

}  // namespace

// ---- the device

HEDDLE_CUDA int32_t cuInit(uint32_t flags) {
  return driver_call<Needs::kNothing>([&](Context&) {
    cuda::require(flags == 0, Status::kInvalidValue);
    Contexts::get().initialised = true;
  });
}
HEDDLE_CUDA int32_t cuDriverGetVersion(Given<int32_t> version) {
  return driver_call_into<Needs::kNothing>(version, [](Context&) { return kVersion; });
}
HEDDLE_CUDA int32_t cuDeviceGetCount(Given<int32_t> count) {
  return driver_call_into<Needs::kDriver>(count, [](Context&) { return 1; });
}
HEDDLE_CUDA int32_t cuDeviceGet(Given<int32_t> device, int32_t ordinal) {
  return driver_call_into<Needs::kDriver>(device, [&](Context&) {
    require_device(ordinal);
    return 0;
  });
}
HEDDLE_CUDA int32_t cuDeviceGetName(Given<char> name, int32_t length, int32_t device) {
  return driver_call<Needs::kDriver>([&](Context& c) {
    cuda::require(device == 0 && length > 0, Status::kInvalidValue);
    write_text(name.get(), static_cast<size_t>(length), device_name(c));
  });
}
HEDDLE_CUDA int32_t cuDeviceTotalMem_v2(Given<size_t> bytes, int32_t device) {
  return driver_call_into<Needs::kDriver>(bytes, [&](Context& c) {
    require_device(device);
    return c.params().memory.total;
  });
}
HEDDLE_CUDA int32_t cuDeviceGetAttribute(Given<int32_t> value, int32_t attribute, int32_t device) {
  return driver_call_into<Needs::kDriver>(value, [&](Context& c) {
    require_device(device);
    const auto v = device_attribute(attribute, c);
    cuda::require(v.has_value(), Status::kInvalidValue);
    return *v;
  });
}

// ---- the primary context

HEDDLE_CUDA int32_t cuDevicePrimaryCtxRetain(Given<void*> context, int32_t device) {
  return driver_call_into<Needs::kDriver>(context, [&](Context&) {
    require_device(device);
    require_context(Contexts::get(), [] { return Session::get().makes_context(); });
    ++Contexts::get().users;
    return &Contexts::get().primary;
  });
}
HEDDLE_CUDA int32_t cuDevicePrimaryCtxRelease_v2(int32_t device) {
  return driver_call<Needs::kDriver>([&](Context& c) {
    require_device(device);
    Contexts& all = Contexts::get();
    cuda::require(all.active(), Status::kInvalidContext, "the primary context was not retained");
    if (--all.users == 0) {
      all.of_runtime = false;
      ended(c);
    }
  });
}
HEDDLE_CUDA int32_t cuDevicePrimaryCtxRelease(int32_t device) { return cuDevicePrimaryCtxRelease_v2(device); }
HEDDLE_CUDA int32_t cuDevicePrimaryCtxGetState(int32_t device, Given<uint32_t> flags, Given<int32_t> active) {
  return driver_call<Needs::kDriver>([&](Context& c) {
    require_device(device);
    *active = Contexts::get().active() ? 1 : 0;
    *flags = flags_of(Contexts::get().primary, c);
  });
}
HEDDLE_CUDA int32_t cuDevicePrimaryCtxSetFlags_v2(int32_t device, uint32_t flags) {
  return driver_call<Needs::kDriver>([&](Context& c) {
    require_device(device);
    set_flags(Contexts::get().primary, flags, c);
  });
}
HEDDLE_CUDA int32_t cuDevicePrimaryCtxSetFlags(int32_t device, uint32_t flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}
HEDDLE_CUDA int32_t cuDevicePrimaryCtxReset_v2(int32_t device) {
  return driver_call<Needs::kDriver>([&](Context& c) {
    require_device(device);
    reset_device(c);
  });
}
HEDDLE_CUDA int32_t cuDevicePrimaryCtxReset(int32_t device) { return cuDevicePrimaryCtxReset_v2(device); }

// ---- contexts

HEDDLE_CUDA int32_t cuCtxCreate_v4(Given<void*> context, void* parameters, uint32_t flags, int32_t device) {
  return driver_call_into<Needs::kDriver>(context, [&](Context& c) {
    cuda::require(parameters == nullptr, Status::kNotSupported, "cuCtxCreate with parameters");
    require_device(device);
    require_context(Contexts::get(), [] { return Session::get().makes_context(); });
    auto made = std::make_unique<DriverContext>();
    set_flags(*made, flags, c);
    DriverContext& out = Contexts::get().created.keep(std::move(made));
    push(&out);
    return &out;
  });
}
HEDDLE_CUDA int32_t cuCtxCreate_v2(Given<void*> context, uint32_t flags, int32_t device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}
HEDDLE_CUDA int32_t cuCtxDestroy_v2(void* context) {
  return driver_call<Needs::kDriver>([&](Context& c) {
    cuda::require(context != nullptr, Status::kInvalidValue);
    Contexts::get().created.at(context);
    Contexts::get().created.drop(context);
    auto& stack = thread_state().contexts;
    if (!stack.empty() && stack.back() == context) {
      stack.pop_back();
    }
    ended(c);
  });
}
HEDDLE_CUDA int32_t cuCtxSetCurrent(void* context) {
  return driver_call<Needs::kDriver>([&](Context&) {
    auto& stack = thread_state().contexts;
    if (context != nullptr) {
      Contexts::get().at(context);
    }
    if (!stack.empty()) {
      stack.pop_back();
    }
    if (context != nullptr) {
      push(context);
    }
  });
}
HEDDLE_CUDA int32_t cuCtxPushCurrent_v2(void* context) {
  return driver_call<Needs::kDriver>([&](Context&) {
    Contexts::get().at(context);
    push(context);
  });
}
HEDDLE_CUDA int32_t cuCtxPopCurrent_v2(void** context) {
  return driver_call<Needs::kDriver>([&](Context&) {
    auto& stack = thread_state().contexts;
    cuda::require(!stack.empty(), Status::kInvalidContext, "no context is current");
    if (context != nullptr) {
      *context = const_cast<void*>(stack.back());
    }
    stack.pop_back();
  });
}
HEDDLE_CUDA int32_t cuCtxGetCurrent(Given<void*> context) {
  return driver_call_into<Needs::kDriver>(context, [](Context&) { return Contexts::get().current(); });
}
HEDDLE_CUDA int32_t cuCtxGetDevice(Given<int32_t> device) {
  return driver_call_into(device, [](Context&) { return 0; });
}
HEDDLE_CUDA int32_t cuCtxGetFlags(Given<uint32_t> flags) {
  return driver_call_into(flags, [](Context& c) { return flags_of(*Contexts::get().current(), c); });
}
HEDDLE_CUDA int32_t cuCtxSetFlags(uint32_t flags) {
  return driver_call([&](Context& c) { set_flags(*Contexts::get().current(), flags, c); });
}
HEDDLE_CUDA int32_t cuCtxGetApiVersion(void* context, Given<uint32_t> version) {
  return driver_call_into<Needs::kDriver>(version, [&](Context&) {
    if (context != nullptr) {
      Contexts::get().at(context);
    } else {
      cuda::require(Contexts::get().current() != nullptr, Status::kInvalidContext);
    }
    constexpr uint32_t kApiVersion = 3020;  // since CUDA 3.2
    return kApiVersion;
  });
}
HEDDLE_CUDA int32_t cuCtxGetLimit(Given<size_t> value, int32_t limit) {
  return driver_call_into(value, [&](Context& c) { return device_limit(limit, c); });
}
HEDDLE_CUDA int32_t cuCtxSetLimit(int32_t limit, size_t value) {
  return driver_call([&](Context& c) { set_device_limit(limit, value, c); });
}
HEDDLE_CUDA int32_t cuCtxSynchronize() {
  return driver_call([](Context& c) { c.synchronize(); });
}

// ---- errors

namespace {

int32_t text_of(Given<const char*> out, const char* text) {
  return driver_call<Needs::kNothing>([&](Context&) {
    *out = text;
    return text != nullptr ? Status::kSuccess : Status::kInvalidValue;
  });
}

}  // namespace

HEDDLE_CUDA int32_t cuGetErrorName(int32_t error, Given<const char*> out) {
  return text_of(out, cuda::driver_error_name(error));
}
HEDDLE_CUDA int32_t cuGetErrorString(int32_t error, Given<const char*> out) {
  return text_of(out, cuda::error_string(error));
}
