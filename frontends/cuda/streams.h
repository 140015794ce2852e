// Streams and events as the program's handles stand for them: what happens in them is the model's affair
// (timeline.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
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
  bool ended = false;
  struct Stream* origin = nullptr;
};

// Of each stream, by its id, how many of its frees of pool memory have happened. Orders between streams show
// in it: who waits for an event has behind it what was before the event.
using FreeClock = std::map<uint64_t, uint64_t>;

// Makes `to` the later one of both.
void join(FreeClock& to, const FreeClock& from);

struct Stream {
  uint64_t id = 0;
  uint32_t flags = 0;
  int32_t priority = 0;
  workload::Stream model;
  std::shared_ptr<Capture> capture;
  std::vector<Node*> front;                               // of the capture: what the next node waits for
  FreeClock frees;                                        // what is before its next work
  std::map<int32_t, std::array<uint8_t, 64>> attributes;  // that were set: cudaLaunchAttributeValue
};

// While it lives, what this thread calls means its own default stream where it says 0, not the legacy one:
// calls of code that was compiled with `nvcc --default-stream per-thread`.
class OwnDefaultStream {
 public:
  OwnDefaultStream() : before_(here()) { here() = true; }
  ~OwnDefaultStream() { here() = before_; }
  OwnDefaultStream(const OwnDefaultStream&) = delete;
  OwnDefaultStream& operator=(const OwnDefaultStream&) = delete;
  static bool& here();  // in this thread

 private:
  const bool before_;
};

// cudaEventDisableTiming, cudaEventInterprocess
constexpr uint32_t kDisableTiming = 2, kInterprocess = 4;

struct Event : std::enable_shared_from_this<Event> {
  uint32_t flags = 0;
  bool recorded = false;
  workload::Event model;
  // Recorded in a stream that captured: what waiting for it means there.
  std::shared_ptr<Capture> capture;
  std::vector<Node*> front;
  FreeClock frees;  // of the stream, when it was recorded
  static constexpr uint32_t kOwn = UINT32_MAX;
  uint32_t shared = kOwn;  // its number among those of several processes (share.h)
  bool is_shared() const { return shared != kOwn; }
};

}  // namespace heddle::cuda
