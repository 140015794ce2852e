// Stream capture: work given to a capturing stream becomes nodes of a graph instead. What a stream's next
// node waits for is a set of nodes; an event recorded there is such a set, and carries the capture to the
// stream that waits for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/host/core/core.h"
#include "sim/host/core/programmatic.h"
#include "sim/host/core/refusal.h"
#include "sim/host/memory/allocations.h"
#include "sim/host/program/graph_desc.h"

namespace heddle::host {

// "(1,0,1)": ports and type; empty for a full dependence.
std::string text_of(EdgeData e);

class Captures {
 public:
  Captures(const Core& core, Allocations& memory);
  // The program has more streams and events than before.
  void grow() {
    streams_.resize(core_.program.streams.size());
    events_.resize(core_.program.events.size());
  }

  // False until the first capture begins: nothing else here has an effect before.
  bool used() const { return ids_ > 0; }
  bool capturing(uint32_t stream) const { return streams_[stream].capture != kNone; }

  // ---- calls; each gives CUDA's error or nothing
  std::optional<Refusal> begin(uint32_t thread, uint32_t stream, CaptureMode mode, GraphDesc into);
  struct Ended {
    std::optional<Refusal> no;
    bool over = false;  // the capture is no more: the graph is `graph`, or null if it failed
    GraphDesc graph;
  };
  Ended end(uint32_t thread, uint32_t stream);
  // cudaStreamGetCaptureInfo: status, id, what the next node waits for (GR15).
  struct Info {
    std::optional<Refusal> no;
    std::string text;
  };
  // `edge_data` false: the older call, which cannot tell of dangling programmatic edges (GR06).
  Info info(uint32_t stream, bool edge_data) const;

  // What becomes of a call while captures are about. Nothing: as always. Otherwise it is over: captured, or
  // refused.
  struct Verdict {
    bool over = false;
    std::optional<Refusal> no;
  };
  // `stream_window`: the access-policy window of the call's stream, which kernel nodes get.
  Verdict call(uint32_t thread, uint32_t device, const Call& c, uint32_t stream_window);

 private:
  struct Capture {
    bool active = false, invalid = false;
    uint64_t id = 0;
    uint32_t origin = 0, thread = 0;
    CaptureMode mode = CaptureMode::kGlobal;
    size_t first = 0;  // of its own nodes in the graph
    GraphDesc graph;
  };
  // An edge without its second node (GR07).
  struct HalfEdge {
    uint32_t node;
    EdgeData data;
    bool operator==(const HalfEdge&) const = default;
  };
  struct Stream {
    uint32_t capture = kNone;
    std::vector<HalfEdge> next_after;
    uint32_t last = kNone;  // its own last node
  };
  struct CapturedEvent {
    bool captured = false;
    uint64_t id = 0;  // of the capture
    std::vector<HalfEdge> edges;
  };

  Verdict refuse(const char* error, const std::string& why, const std::vector<uint32_t>& kill);
  std::vector<uint32_t> blocking_captures(uint32_t device) const;
  std::vector<uint32_t> captures_of_device(uint32_t device) const;
  Verdict stream_work(const Call& c, uint32_t stream_window);
  Verdict wait_event(const Call& c);
  Verdict touches_event(uint32_t thread, const Call& c);
  Verdict unsafe(uint32_t thread, const char* what);
  bool joined(const Capture& c) const;
  void add_node(Stream& s, const Call& c, uint32_t stream_window);
  void close(uint32_t capture);

  const Core& core_;
  Allocations& memory_;
  std::vector<Capture> captures_;
  std::vector<Stream> streams_;
  std::vector<CapturedEvent> events_;
  uint64_t ids_ = 0;
};

}  // namespace heddle::host
