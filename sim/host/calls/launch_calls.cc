// Launches of kernels.
#include <algorithm>
#include <utility>

#include "sim/host/calls/threads.h"
#include "sim/host/kernels/resources.h"

namespace heddle::host {

namespace {

Ps parameters_cost(const Params::Calls& p, uint32_t bytes) {
  constexpr uint32_t kSmall = 4096;
  return Ps::truncated(p.launch_parameters_kib * (std::max(bytes, kSmall) - kSmall) / 1024);
}

}  // namespace

std::span<const CallType> Threads::launch_calls() {
  using K = Argument::Kind;
  static const std::vector<CallType> all = {
      {.op = Op::kLaunch,
       .name = "cudaLaunchKernel",
       .field = "launch",
       .arguments = {{"kernel", K::kKernel, &Call::object},
                     {"stream", K::kStream, &Call::stream},
                     {"programmatic_event", K::kEvent, &Call::programmatic_event, Argument::Given::kMaybe}},
       .read_apart = true,
       .in_capture = InCapture::kWork,
       .cost =
           [](const Threads& t, uint32_t thread, const Call& c) {
             const Params::Calls& p = t.core_.params.calls;
             const uint32_t last = t.threads_[thread].last_stream;
             return t.first_.of_kernel(c.object, t.threads_[thread].device) +
                    (port_of(c) == Port::kDefault ? p.launch : p.launch_programmatic) +
                    parameters_cost(p, t.core_.program.kernels[c.object].parameter_bytes) +
                    (c.stream != last && last != kNone ? p.stream_switch : Ps());
           },
       .effect = does<&Threads::launch>},
      {.op = Op::kFuncGetAttributes,
       .name = "cudaFuncGetAttributes",
       .field = "func_get_attributes",
       .arguments = {{"", K::kKernel, &Call::object}},
       .cost =
           [](const Threads& t, uint32_t thread, const Call& c) {
             return t.core_.params.calls.query + t.first_.of_kernel(c.object, t.threads_[thread].device);
           },
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             t.first_.loads(c.object, t.threads_[thread].device);
             return true;
           }},
  };
  return all;
}

// Why the launch is refused: CUDA's error and the reason.
std::optional<Refusal> Threads::refuse(const HostThread& t, const Call& c) const {
  const StreamDesc& stream = core_.program.streams[c.stream];
  if (stream.device != t.device) {  // MU02
    return Refusal{"cudaErrorInvalidResourceHandle", "the stream is not of the current device"};
  }
  const KernelDesc& k = core_.program.kernels[c.object];
  if (auto no = refuse_launch(k, core_.params, c.has_cluster ? std::optional(c.cluster) : std::nullopt)) {
    return no;
  }
  if (!k.launches.empty()) {  // as the H200's driver answers
    return Refusal{"cudaErrorNotSupported",
                   k.name + " launches graphs, which only nodes of graphs may (GD05)"};
  }
  return k.calls.empty() ? std::nullopt : refuse_device_code(core_.program, c.object, core_.params);
}

bool Threads::launch(uint32_t thread, const Call& c) {
  HostThread& t = threads_[thread];
  if (report_device_error(thread, t.device) || !stream_alive(thread, c.stream)) {
    return true;
  }
  const StreamDesc& stream = core_.program.streams[c.stream];
  const KernelDesc& k = core_.program.kernels[c.object];
  if (const auto no = refuse(t, c)) {
    fail(thread, no->error, no->why);
    return true;
  }
  if (port_of(c) != Port::kDefault && !programmatic_allowed(thread, c)) {
    return true;
  }
  if (c.window != kNone) {
    if (const auto no = refuse_window(core_, c.window)) {
      fail(thread, no->error, no->why);
      return true;
    }
  }
  const SyncDomain domain = c.domain.over(stream.domain);
  if (!domain.legal(core_.params.compute_capability)) {
    fail(thread, "cudaErrorInvalidValue", "no such memory synchronisation domain (MD05)");
    return true;
  }
  if (!room(thread, c.stream, Work::kKernel, Path::kHostToDevice)) {
    return false;
  }
  t.last_stream = c.stream;
  if (clocks_.on()) {
    const Epoch epoch = clocks_.command(thread, c.stream);
    accesses(k.accesses, c, epoch, clocks_.of_stream(c.stream), thread);
    if (checker_.on() && !k.calls.empty()) {
      check_tree(thread, c, epoch);
    }
    if (k.sets_flag != kNone) {
      clocks_.flag_set_by_stream(k.sets_flag, c.stream);
    }
    if (core_.rules.launch_blocking) {
      clocks_.thread_waits_stream(thread, c.stream);
    }
  }
  const uint32_t slot = make(Work::kKernel, c.stream, kernel_name_[c.object]);
  Command& command = core_.commands[slot];
  command.object = c.object;
  command.first_access = c.first_access;
  command.accesses = c.accesses;
  command.values = c.values;
  command.domain = domain.of_device(core_.params.compute_capability);
  command.window = c.window != kNone ? c.window : l2_.window_of(c.stream);
  command.priority = std::clamp(c.has_priority ? c.priority : stream.priority, core_.params.priority_greatest,
                                core_.params.priority_least);
  command.cluster = c.has_cluster ? static_cast<uint32_t>(c.cluster.count()) : 0;
  const bool first = first_.loads(c.object, command.device);
  if (switches_carveout(k, command.device)) {
    ordering_.append_barrier(slot, command.device);
  } else if (first) {
    ordering_.append_after_all(slot, command.device);
  } else if (c.programmatic) {
    ordering_.append_programmatic(slot);
  } else {
    ordering_.append(slot);
  }
  const CommandRef ref = core_.commands.ref(slot);
  if (c.programmatic_event != kNone) {
    record_programmatic(slot, c);
  }
  submit(slot);
  return !core_.rules.launch_blocking || synchronize(thread, {ref});  // AX03
}

// OC16: by the older guides, a kernel that needs another split of the L1 array has the device to itself.
bool Threads::switches_carveout(const KernelDesc& k, uint32_t device) {
  const uint32_t wanted = core_.rules.implicit_sync_12_4 ? carveout(k, core_.params) : kNone;
  if (wanted == kNone || wanted == carveout_[device]) {
    return false;
  }
  return std::exchange(carveout_[device], wanted) != kNone;
}

// PD08: the launch records its event, in no order but the kernel's.
void Threads::record_programmatic(uint32_t kernel, const Call& c) {
  const uint32_t slot = make(Work::kRecord, c.stream, op_name_[static_cast<size_t>(Op::kEventRecord)]);
  core_.commands[slot].object = c.programmatic_event;
  event_states_[c.programmatic_event].recorded = true;
  ordering_.record_programmatic(slot, kernel, port_of(c));
}

bool Threads::programmatic_allowed(uint32_t thread, const Call& c) {
  if (core_.params.compute_capability < 90) {
    fail(thread, "cudaErrorNotSupported", "programmatic launch needs compute capability 9.0");
    return false;
  }
  if (c.programmatic_event == kNone) {
    return true;
  }
  const EventDesc& event = core_.program.events[c.programmatic_event];
  if (!event_alive(thread, c.programmatic_event)) {
    return false;
  }
  if (event.timing || event.device != core_.program.streams[c.stream].device) {
    fail(thread, "cudaErrorInvalidValue",
         "the programmatic event needs cudaEventDisableTiming and the stream's device");
    return false;
  }
  return true;
}

}  // namespace heddle::host
