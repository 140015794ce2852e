// Streams and events as the program's handles stand for them. Work is done when it is submitted, in the order
// of the program's calls, which all orders that CUDA guarantees agree with; when it happens on the device is
// the model's affair (timeline.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "frontends/workload/builder.h"

namespace heddle::cuda {

struct Graph;
struct Node;

// A graph that streams are being captured into.
struct Capture {
  std::shared_ptr<Graph> graph;
  bool owned = true;  // made by the capture; else cudaStreamBeginCaptureToGraph
  uint64_t id = 0;
  bool invalid = false;
  struct Stream* origin = nullptr;
};

struct Stream {
  uint64_t id = 0;
  uint32_t flags = 0;
  int32_t priority = 0;
  workload::Stream model;
  std::shared_ptr<Capture> capture;
  std::vector<Node*> front;  // of the capture: what the next node waits for
};

struct Event {
  uint32_t flags = 0;
  bool recorded = false;
  workload::Event model;
  // Recorded in a stream that captured: what waiting for it means there.
  std::shared_ptr<Capture> capture;
  std::vector<Node*> front;
};

}  // namespace heddle::cuda
