// Memory and events of several processes.
#include <bit>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

constexpr uint32_t kLazyPeerAccess = 1;  // cudaIpcMemLazyEnablePeerAccess

abi::IpcHandle export_memory(Context& c, uint64_t address) {
  return std::bit_cast<abi::IpcHandle>(c.export_memory(address));
}
uint64_t import_memory(Context& c, const abi::IpcHandle& handle, uint32_t flags) {
  cuda::require(flags == kLazyPeerAccess, Status::kInvalidValue, "flags of memory of another process");
  return c.import_memory(std::bit_cast<Context::MemoryHandle>(handle));
}
abi::IpcHandle export_event(Context& c, void* event) {
  return std::bit_cast<abi::IpcHandle>(c.export_event(c.event(event)));
}
void* import_event(Context& c, const abi::IpcHandle& handle) {
  Session::get().share_device();
  return &c.import_event(std::bit_cast<Context::EventHandle>(handle));
}

}  // namespace

HEDDLE_CUDA int32_t cudaIpcGetMemHandle(Given<abi::IpcHandle> handle, void* p) {
  return call_into(handle, [&](Context& c) { return export_memory(c, number(p)); });
}
HEDDLE_CUDA int32_t cudaIpcOpenMemHandle(Given<void*> out, abi::IpcHandle handle, uint32_t flags) {
  return call_into(out, [&](Context& c) { return pointer(import_memory(c, handle, flags)); });
}
HEDDLE_CUDA int32_t cudaIpcCloseMemHandle(void* p) {
  return call([&](Context& c) { c.close_memory(number(p)); });
}
HEDDLE_CUDA int32_t cudaIpcGetEventHandle(Given<abi::IpcHandle> handle, void* event) {
  return call_into(handle, [&](Context& c) { return export_event(c, event); });
}
HEDDLE_CUDA int32_t cudaIpcOpenEventHandle(Given<void*> out, abi::IpcHandle handle) {
  return call_into(out, [&](Context& c) { return import_event(c, handle); });
}

HEDDLE_CUDA int32_t cuIpcGetMemHandle(Given<abi::IpcHandle> handle, uint64_t p) {
  return driver_call_into(handle, [&](Context& c) { return export_memory(c, p); });
}
HEDDLE_CUDA int32_t cuIpcOpenMemHandle_v2(Given<uint64_t> out, abi::IpcHandle handle, uint32_t flags) {
  return driver_call_into(out, [&](Context& c) { return import_memory(c, handle, flags); });
}
HEDDLE_CUDA int32_t cuIpcOpenMemHandle(Given<uint64_t> out, abi::IpcHandle handle, uint32_t flags) {
  return cuIpcOpenMemHandle_v2(out, handle, flags);
}
HEDDLE_CUDA int32_t cuIpcCloseMemHandle(uint64_t p) {
  return driver_call([&](Context& c) { c.close_memory(p); });
}
HEDDLE_CUDA int32_t cuIpcGetEventHandle(Given<abi::IpcHandle> handle, void* event) {
  return driver_call_into(handle, [&](Context& c) { return export_event(c, event); });
}
HEDDLE_CUDA int32_t cuIpcOpenEventHandle(Given<void*> out, abi::IpcHandle handle) {
  return driver_call_into(out, [&](Context& c) { return import_event(c, handle); });
}
