// Memory nodes of graphs (A17): where a graph's allocations are, and the physical memory behind them.
//
// Addresses are fixed when the graph is defined; an allocation that is ordered after a free may have what was
// freed (GN07). Physical memory comes in chunks. A launch maps the graph's addresses to chunks that are free
// for its stream, so that graphs of one stream share them (GN08); the call pays for what it maps anew (GN09).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/host/core/core.h"
#include "sim/host/core/refusal.h"
#include "sim/host/memory/allocations.h"
#include "sim/host/program/graph_desc.h"

namespace heddle::host {

// What the memory nodes of one definition come to. Its instantiation shares it.
struct GraphLayout {
  struct Allocation {
    uint32_t buffer, device;
    uint64_t address, bytes;
    bool freed;                    // by the graph itself
    std::vector<uint32_t> access;  // devices that reach it, ascending
  };
  struct Part {  // addresses on one device
    uint32_t device;
    uint64_t base, bytes;
    std::vector<uint32_t> chunks;  // behind them; kNone: not mapped
  };
  uint64_t id = 0;
  std::vector<Allocation> allocations;
  std::vector<uint32_t> frees;  // buffers that other graphs allocate
  std::vector<Part> parts;
  uint32_t execs = 0;  // at most one
};

class GraphMemory {
 public:
  GraphMemory(Core& core, Allocations& memory);

  // The program has more buffers than before.
  void grow() {
    owner_.resize(core_.program.buffers.size());
    live_.resize(core_.program.buffers.size());
  }

  // For a new definition; null if it has no memory nodes, or they cannot be ordered.
  std::shared_ptr<GraphLayout> lay_out(const GraphDesc& g);
  // Why a definition with this layout cannot be instantiated.
  std::optional<Refusal> refuse(const std::vector<GraphNode>& nodes, const GraphLayout& l) const;
  // Why it cannot be launched: unfreed allocations of its last launch (GN06), frees of what is not there.
  std::optional<Refusal> refuse_launch(const GraphLayout& l, bool auto_free) const;

  // For a launch in the stream. What it costs the call; nothing: out of memory.
  std::optional<Ps> map(GraphLayout& l, uint32_t stream);
  // The launch that ends with `end` has been given to the stream.
  void launched(const std::shared_ptr<GraphLayout>& l, uint32_t stream, CommandRef end);
  // What the layout's last launch left allocated, freed in the stream (GN06).
  std::vector<uint32_t> free_left(const GraphLayout& l, uint32_t stream);

  // ---- cudaFreeAsync, cudaFree
  bool owns(uint32_t buffer) const { return owner_[buffer] != nullptr; }
  std::optional<Refusal> free(uint32_t buffer, uint32_t stream, CommandRef done);

  // ---- cudaDeviceGraphMemTrim, cudaDeviceGetGraphMemAttribute
  Ps trim(uint32_t device);
  struct Stats {
    uint64_t reserved = 0, reserved_high = 0;  // taken from the device
    uint64_t used = 0, used_high = 0;          // mapped by a graph
  };
  const Stats& stats(uint32_t device);
  void reset_high(uint32_t device);
  const GraphLayout::Allocation* allocation(uint32_t buffer) const;
  uint64_t never_freed() const;  // allocations

 private:
  struct Chunk {
    uint32_t device = 0;
    bool there = false;
    uint32_t stream = kNone;  // of the last launch on it
    CommandRef last;          // that launch's end
    uint64_t user = 0;        // its layout's id
    uint32_t unfreed = 0;     // allocations on it that outlive their launch
    uint64_t holder = 0;      // whose
  };
  struct Mapping {                              // what a launch would change
    std::vector<std::vector<uint32_t>> chunks;  // of each part; kNone: to be taken from the device
    uint32_t mapped = 0, taken = 0, moved = 0;
  };
  bool available(const Chunk& c, const GraphLayout& l, uint32_t stream) const;
  Mapping choose(const GraphLayout& l, uint32_t stream) const;
  bool take(uint32_t& chunk, uint32_t device);
  void count();
  void hold(const GraphLayout& l, const GraphLayout::Allocation& a, int change);

  Core& core_;
  Allocations& memory_;
  const uint64_t chunk_bytes_;
  std::vector<Chunk> chunks_;
  std::vector<Stats> stats_;                         // of each device
  std::vector<std::shared_ptr<GraphLayout>> owner_;  // of each buffer: whose node allocates it
  std::vector<std::shared_ptr<GraphLayout>> live_;   // of each buffer: whose launch has, and nothing freed it
  std::vector<std::weak_ptr<GraphLayout>> layouts_;
  uint64_t ids_ = 0;
};

}  // namespace heddle::host
