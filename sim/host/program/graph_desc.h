// CUDA graphs as a program defines them: nodes, and what each waits for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/host/program/sync_domain.h"
#include "sim/host/program/time.h"

namespace heddle::host {

// Which calls a capture forbids to whom (cudaStreamCaptureMode...).
enum class CaptureMode : uint8_t { kGlobal, kThreadLocal, kRelaxed };

enum class NodeKind : uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kHost,
  kEmpty,
  kEventRecord,
  kEventWait,
  kChild,
  kConditional,
  kMemAlloc,
  kMemFree
};

// cudaGraphEdgeData: the port of the first node that the edge leaves from (programmatic.h), of the second,
// and cudaGraphDependencyTypeDefault (0) or ...Programmatic (1). All zero: the second waits for the first's
// end.
struct EdgeData {
  uint8_t from_port = 0, to_port = 0, type = 0;
  bool full() const { return from_port == 0 && to_port == 0 && type == 0; }
  bool operator==(const EdgeData&) const = default;
};

struct GraphNode {
  std::string name;  // may be empty
  NodeKind kind = NodeKind::kEmpty;
  uint32_t object =
      UINT32_MAX;  // kernel; destination or allocated buffer; event; flag that a function sets; child graph
  uint32_t source = UINT32_MAX;            // source buffer
  uint64_t bytes = 0;                      // in all
  uint64_t offset = 0, source_offset = 0;  // into `object` and `source`
  uint32_t device = UINT32_MAX;            // of a kernel; default: the graph's
  uint64_t rows = 1;                       // contiguous pieces that they come in
  Ps duration{};                           // of a host function
  bool calls_cuda = false;                 // the host function calls CUDA, which it must not (ST11)
  bool has_priority = false;               // of a kernel: the node's, over the launch stream's (GR25)
  int32_t priority = 0;
  uint32_t window = UINT32_MAX;  // of a kernel: in Program::windows (GR30)
  SyncDomain domain;             // of a kernel (GR30, MD06)
  // kConditional: the graphs that it chooses from; `object` is the handle that it reads (GC04-GC07).
  enum class Condition : uint8_t { kIf, kWhile, kSwitch } condition = Condition::kIf;
  std::vector<uint32_t> bodies;
  std::vector<uint32_t> access;  // kMemAlloc: devices that reach the memory besides the buffer's (GN12)
  std::vector<uint32_t> after;   // the nodes that it waits for
  std::vector<EdgeData> edges;   // of these, in their order; missing ones are full dependences (GR05)
  uint64_t values = 0;           // as Call::values
  uint32_t line = 0;             // of the workload's file
  EdgeData edge(size_t i) const { return i < edges.size() ? edges[i] : EdgeData(); }
};

// What a conditional node reads and kernels set.
struct HandleDesc {
  std::string name;
  uint32_t default_value = 0;
  bool has_default = false;  // else it is undefined, here 0, when an execution starts (GC03)
  uint64_t values = 0;       // not 0: its value is Effects::condition's; without a default it stays then
};

// New parameters for a node.
struct NodeChange {
  uint32_t node = 0;  // of the graph
  GraphNode to;       // its edges and name stay
};

// A graph without nodes is one that a capture fills.
struct GraphDesc {
  std::string name;
  uint32_t device = 0;
  std::vector<GraphNode> nodes;
  uint32_t line = 0;
};

}  // namespace heddle::host
