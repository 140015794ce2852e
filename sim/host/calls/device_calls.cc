// Calls about devices: their limits, what stays in their L2, what is loaded on them.
#include <utility>

#include "sim/host/calls/threads.h"

namespace heddle::host {
namespace {

bool of_l2(const Call& c) { return c.object == static_cast<uint32_t>(Limit::kPersistingL2); }

}  // namespace

std::span<const CallType> Threads::device_calls() {
  using K = Argument::Kind;
  static const Argument limit = {"what", K::kOneOf, &Call::object};
  static const std::vector<CallType> all = {
      {.op = Op::kSetDevice,
       .name = "cudaSetDevice",
       .field = "set_device",
       .arguments = {{"", K::kNumber, &Call::object}},
       .asks_device = false,
       .starts = CallType::Starts::kContext,  // since CUDA 12
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             if (t.device_there(thread, c)) {
               t.threads_[thread].device = c.object;
             }
             return true;
           }},
      {.name = "cudaDeviceGetStreamPriorityRange",
       .field = "device_get_stream_priority_range",
       .cost = costs<&Params::Calls::query>,
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {  // ST12
             const Params& p = t.core_.params;
             t.answer(thread, "least " + std::to_string(p.priority_least) + " greatest " +
                                  std::to_string(p.priority_greatest));
             return true;
           }},
      {.op = Op::kGetDeviceCount,
       .name = "cudaGetDeviceCount",
       .field = "get_device_count",
       .asks_device = false,
       .starts = CallType::Starts::kDriver,
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {
             t.answer(thread, std::to_string(t.core_.program.devices));
             return true;
           }},
      {.op = Op::kDeviceGetPciBusId,
       .name = "cudaDeviceGetPCIBusId",
       .field = "device_get_pci_bus_id",
       .arguments = {{"", K::kNumber, &Call::object}},
       .asks_device = false,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             if (t.device_there(thread, c)) {
               const std::vector<uint32_t>& visible = t.core_.program.visible;
               t.answer(thread, std::to_string(visible.empty() ? c.object : visible[c.object]));
             }
             return true;
           }},
      {.op = Op::kDeviceSetLimit,
       .name = "cudaDeviceSetLimit",
       .field = "device_set_limit",
       .arguments = {limit},
       .cost = [](const Threads& t, uint32_t, const Call&) { return t.core_.params.l2.set_limit; },
       .effect = does<&Threads::set_limit>},
      {.op = Op::kDeviceGetLimit,
       .name = "cudaDeviceGetLimit",
       .field = "device_get_limit",
       .arguments = {limit},
       .cost = costs<&Params::Calls::query>,
       .effect = does<&Threads::get_limit>},
      {.op = Op::kStreamSetWindow,
       .name = "cudaStreamSetAttribute",
       .field = "stream_set_access_policy_window",
       .arguments = {{"stream", K::kStream, &Call::stream},
                     {"window", K::kWindow, &Call::window, Argument::Given::kMaybe}},
       .cost = costs<&Params::Calls::query>,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             if (t.stream_alive(thread, c.stream)) {
               t.done(thread, t.l2_.set_window(c.stream, c.window));
             }
             return true;
           }},
      {.op = Op::kResetPersistingL2,
       .name = "cudaCtxResetPersistingL2Cache",
       .field = "reset_persisting_l2_cache",
       .cost = [](const Threads& t, uint32_t, const Call&) { return t.core_.params.l2.reset; },
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {
             t.l2_.reset(t.threads_[thread].device);
             return true;
           }},
  };
  return all;
}

bool Threads::set_limit(uint32_t thread, const Call& c) {
  const uint32_t device = threads_[thread].device;
  done(thread, of_l2(c) ? l2_.set_limit(device, c.bytes)
                        : nested_.set_limit(device, static_cast<Limit>(c.object), c.bytes));
  return true;
}

bool Threads::get_limit(uint32_t thread, const Call& c) {
  const uint32_t device = threads_[thread].device;
  answer(thread,
         std::to_string(of_l2(c) ? l2_.limit(device) : nested_.limit(device, static_cast<Limit>(c.object))));
  return true;
}

bool Threads::device_there(uint32_t thread, const Call& c) {
  if (c.object < core_.program.devices) {
    return true;
  }
  fail(thread, "cudaErrorInvalidDevice",
       "device " + std::to_string(c.object) + " of " + std::to_string(core_.program.devices) +
           " that are visible");
  return false;
}

}  // namespace heddle::host
