// What a thread calls of the CUDA runtime (device_runtime.h). Numbers of errors and of streams are CUDA's.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/exec/block.h"
#include "sim/exec/device_runtime.h"
#include "sim/exec/handlers/builtin.h"

namespace heddle::exec {
namespace {

constexpr uint32_t kSuccess = 0, kInvalidValue = 1, kMemoryAllocation = 2, kInvalidConfiguration = 9,
                   kInvalidDeviceFunction = 98;  // cudaError
constexpr uint64_t kTailStream = 3, kFireAndForgetStream = 4, kFirstStream = 16, kFirstEvent = 16;
constexpr uint64_t kMostThreads = 1024;  // of a block

// Where a launch or an event goes; false: there is no such stream.
bool into(const DeviceRuntime& runtime, uint64_t stream, DeviceOp& op) {
  using Into = DeviceOp::Into;
  op.into = stream == kTailStream            ? Into::kTail
            : stream == kFireAndForgetStream ? Into::kFireAndForget
            : stream >= kFirstStream         ? Into::kStream
                                             : Into::kNullStream;
  op.stream = stream >= kFirstStream ? stream - kFirstStream : 0;
  return op.into == Into::kStream ? runtime.has_stream(op.stream) : stream <= kFireAndForgetStream;
}

bool legal(const DeviceOp& launch) {
  return launch.grid.count() != 0 && launch.block.count() != 0 && launch.block.count() <= kMostThreads;
}

// A dim3: three registers, or three words in the caller's frame.
isa::Dim3 dimensions(WarpCore& w, const Group& g, const ValuePlace& place, uint32_t lane) {
  uint32_t out[3] = {0, 0, 0};
  if (!place.in_register) {
    std::memcpy(out, w.local.data() + size_t{lane} * w.local_bytes + g.local + place.offset,
                std::min<size_t>(place.bytes, sizeof out));
  } else {
    const Banks b = w.banks(g);
    for (uint32_t k = 0; k < 3; ++k) {
      out[k] = static_cast<uint32_t>((*b.at(place.slot + k))[lane]);
    }
  }
  return {out[0], out[1], out[2]};
}

void answer(WarpCore& w, const Group& g, uint32_t lane, uint64_t address, uint64_t value, uint32_t bytes) {
  const Spaces all = w.spaces();
  Space space = Space::kGeneric;
  uint64_t at = address;
  uint8_t* const to = locate(all, lane, space, at, bytes);
  if (to == nullptr) {
    w.fail(g.pc, lane, fmt::format("answer of the CUDA runtime at 0x{:x} is out of bounds", address));
  }
  std::memcpy(to, &value, bytes);
}

}  // namespace

uint64_t runtime(WarpCore& w, const Group& g, const CallOp& op, const FunctionInfo& f, uint32_t lane) {
  using F = RuntimeFunction;
  if (!w.block->launch().runtime) {
    w.fail(g.pc, lane, fmt::format("call of {}, and the launch has no CUDA runtime", f.name));
  }
  DeviceRuntime& runtime = *w.block->launch().runtime;
  Memory& memory = *w.reach.memory;
  const DeviceRuntime::Caller by{w.block->linear(), w.index * kLanes + lane, w.executed};
  const auto argument = [&](size_t i) {
    return i < op.arguments.size() ? value(w, g, op.arguments[i], lane) : 0;
  };
  const auto dim = [&](size_t i) {
    return i < op.arguments.size() ? dimensions(w, g, op.arguments[i], lane) : isa::Dim3{0, 0, 0};
  };
  const auto status = [&](uint32_t error) {
    if (error != kSuccess) {
      runtime.set_error(by, error);
    }
    return uint64_t{error};
  };
  const auto launch = [&](DeviceOp what, uint64_t buffer, uint64_t stream) {
    if (buffer != 0 && !what.parameters.empty()) {
      memory.read(buffer, what.parameters);
    }
    memory.heap_release(buffer);
    if (!legal(what)) {
      return status(kInvalidConfiguration);
    }
    if (!into(runtime, stream, what)) {
      return status(kInvalidValue);
    }
    runtime.add(by, std::move(what));
    ++w.progress;
    return status(kSuccess);
  };
  DeviceOp what;
  switch (f.runtime) {
    case F::kNone:
      break;
    case F::kGetParameterBuffer:
      return memory.heap_allocate(std::max<uint64_t>(argument(1), 1));
    case F::kGetParameterBufferV2: {
      const DeviceRuntime::Kernel* k = runtime.kernel(argument(0));
      if (k == nullptr) {
        status(kInvalidDeviceFunction);
        return 0;
      }
      what.kernel = k->name;
      what.grid = dim(1);
      what.block = dim(2);
      what.shared = static_cast<uint32_t>(argument(3));
      what.parameters.resize(k->parameter_bytes);
      const uint64_t buffer = memory.heap_allocate(std::max(k->parameter_bytes, 1U));
      if (buffer == 0) {
        status(kMemoryAllocation);
        return 0;
      }
      runtime.prepare(buffer, std::move(what));
      return buffer;
    }
    case F::kLaunchDevice: {
      const DeviceRuntime::Kernel* k = runtime.kernel(argument(0));
      if (k == nullptr) {
        return status(kInvalidDeviceFunction);
      }
      what.kernel = k->name;
      what.grid = dim(2);
      what.block = dim(3);
      what.shared = static_cast<uint32_t>(argument(4));
      what.parameters.resize(k->parameter_bytes);
      return launch(std::move(what), argument(1), argument(5));
    }
    case F::kLaunchDeviceV2: {
      what = runtime.take_prepared(argument(0));
      if (what.kernel.empty()) {
        return status(kInvalidValue);
      }
      return launch(std::move(what), argument(0), argument(1));
    }
    case F::kStreamCreate:
      answer(w, g, lane, argument(0), kFirstStream + runtime.make_stream(), 8);
      break;
    case F::kEventCreate:
      answer(w, g, lane, argument(0), kFirstEvent + runtime.make_event(), 8);
      break;
    case F::kEventRecord:
    case F::kStreamWaitEvent: {
      const bool record = f.runtime == F::kEventRecord;
      const uint64_t event = argument(record ? 0 : 1);
      what.what = record ? DeviceOp::What::kEventRecord : DeviceOp::What::kStreamWaitEvent;
      what.event = event - kFirstEvent;
      // DP05: not with events; nor does a tail stream have any.
      if (!into(runtime, argument(record ? 1 : 0), what) || event < kFirstEvent ||
          what.into == DeviceOp::Into::kFireAndForget || what.into == DeviceOp::Into::kTail) {
        return status(kInvalidValue);
      }
      runtime.add(by, std::move(what));
      break;
    }
    case F::kStreamDestroy:
    case F::kEventDestroy:
      break;  // what is under way goes on
    case F::kGetLastError:
    case F::kPeekAtLastError:
      return runtime.error(by, f.runtime == F::kGetLastError);
    case F::kGetDevice:
      answer(w, g, lane, argument(0), 0, 4);
      break;
    case F::kGetDeviceCount:
      answer(w, g, lane, argument(0), 1, 4);
      break;
    case F::kMalloc: {
      const uint64_t address = memory.heap_allocate(argument(1));
      answer(w, g, lane, argument(0), address, 8);
      return status(address == 0 ? kMemoryAllocation : kSuccess);
    }
    case F::kFree:
      memory.heap_release(argument(0));
  }
  return kSuccess;
}

}  // namespace heddle::exec
