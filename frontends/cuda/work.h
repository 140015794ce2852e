// What streams and graphs have done: pieces of work, with everything that doing them needs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frontends/modules/program.h"
#include "frontends/workload/builder.h"
#include "sim/exec/device_runtime.h"
#include "sim/exec/texture/descriptor.h"

namespace heddle::cuda {

struct LoadedFunction;  // library.h
struct Event;           // streams.h
struct Graph;           // graphs.h

struct KernelWork {
  LoadedFunction* function = nullptr;
  isa::Dim3 grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool with_cluster = false;
  bool cooperative = false;
  bool programmatic = false;
  int32_t priority = 0;
  bool with_priority = false;
  uint32_t shared = 0;              // dynamic, bytes
  std::vector<uint8_t> parameters;  // as the kernel has them
};

// Elements of an array from a place on: rows go on in the array's.
struct ArrayPlace {
  exec::texture::Image image;
  const void* handle = nullptr;
  uint64_t x = 0;         // bytes
  uint32_t y = 0, z = 0;  // z: of three dimensions, or the layer or face
};

// Rows of bytes in planes; of a plain copy one row.
struct CopyWork {
  enum class Direction : uint8_t { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice, kDefault };
  uint64_t to = 0, from = 0;
  uint64_t width = 0, height = 1, depth = 1;  // bytes, rows, planes
  uint64_t to_pitch = 0, from_pitch = 0;      // bytes from a row to the next
  uint64_t to_plane = 0, from_plane = 0;      // bytes from a plane to the next
  Direction direction = Direction::kDefault;
  // In place of pitches; `to` and `from` are the array's memory then.
  std::optional<ArrayPlace> to_array, from_array;
};

struct MemsetWork {
  uint64_t to = 0;
  uint32_t value = 0, element = 1;  // bytes
  uint64_t width = 0, height = 1;   // elements, rows
  uint64_t pitch = 0;
};

struct HostWork {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
  std::shared_ptr<void> owned = {};  // data that goes with the work, whether it is called or not
};

struct EmptyWork {};
// The events live on when the program destroys them.
struct RecordWork {
  std::shared_ptr<Event> event;
  uint64_t record = 0;  // of an event of several processes: which of its records
};
struct WaitWork {
  std::shared_ptr<Event> event;
};
struct ChildWork {
  std::shared_ptr<const Graph> graph;  // as it was when the node was added
  uint64_t nodes = 0;                  // of it and of the graphs in it
  uint32_t depth = 1;
};
struct AllocateWork {
  uint64_t address = 0, bytes = 0;
};
struct FreeWork {
  uint64_t address = 0;
};
// What a conditional node reads and kernels set: a word of the device's memory, whose address is the handle.
struct ConditionHandle {
  uint64_t address = 0;
  workload::Handle model;
  const Graph* graph = nullptr;
  bool used = false;  // by a node
};
struct ConditionalWork {
  host::GraphNode::Condition condition = host::GraphNode::Condition::kIf;
  std::shared_ptr<ConditionHandle> handle;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<void*> body_handles;  // as the program gets them
};

// A kernel that has been executed, and what it called of the CUDA runtime.
struct NestedWork;
struct Performed {
  host::Ps duration{};
  host::Ps block{};  // of one of its blocks, if all take as long as each other
  std::vector<NestedWork> nested;
};
struct NestedWork {
  exec::DeviceOp op;
  KernelWork work;      // of a launch
  Performed performed;  // likewise
};

using Work = std::variant<KernelWork, CopyWork, MemsetWork, HostWork, EmptyWork, RecordWork, WaitWork,
                          ChildWork, AllocateWork, FreeWork, ConditionalWork>;

}  // namespace heddle::cuda
