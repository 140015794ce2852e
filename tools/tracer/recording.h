// What is being recorded: one launch, or those of a graph, from before the driver's call until the records
// are sent.
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nvbit.h"
#include "tools/tracer/blocks.h"
#include "tools/tracer/connection.h"
#include "tools/tracer/device_buffer.h"
#include "tools/tracer/graphs.h"
#include "tools/tracer/kernels.h"
#include "tools/tracer/node_order.h"
#include "tools/tracer/recorded.h"

namespace heddle::capture {

class Recording {
 public:
  Recording(Connection& to, Kernels& kernels) : to_(to), kernels_(kernels) {}

  // Within a call that launches, of this thread or another one.
  bool goes_on() const { return busy_; }
  // Within a call of this thread that launches a graph.
  bool is_in_graph() const { return busy_ && graph_ && std::this_thread::get_id() == thread_; }
  // Another thread launches instrumented code meanwhile, whose records cannot be told apart.
  void mix() { mixed_ = true; }

  void drop(const Recorded& r, const std::string& why, uint64_t needs = 0, uint64_t has = 0) const {
    Dropped d;
    d.number = r.launch.head.number;
    d.needs = needs;
    d.has = has;
    Payload p;
    to_.send(kDropped, p.add(d).text(r.name + (why.empty() ? "" : "\n" + why)));
  }

  // All that one call launches.
  void begin(CUcontext ctx, std::vector<Recorded> launches, const Graph* g) {
    DeviceBuffer& buffer = kernels_.buffer(ctx);
    const CUresult before = cuCtxSynchronize();
    std::vector<Target> targets(g ? g->kernels.size() : 1);
    current_.clear();
    for (Recorded& r : launches) {
      if (std::string why = before == CUDA_SUCCESS ? prepare(ctx, r, targets)
                                                   : "the GPU has failed before it: " + text_of(before);
          !why.empty()) {
        drop(r, why);
      } else {
        current_.push_back(std::move(r));
      }
    }
    if (current_.empty()) {
      if (g) {
        pass(ctx, *g);
      }
      return;
    }
    if (!buffer.open(targets)) {
      drop("the buffer on the GPU cannot be written");
      return;
    }
    if (g) {
      kernels_.enable(ctx, *g, true);  // those that are not selected, too: see Kernels::pass()
    } else {
      const CUfunction f = current_.front().launch.function;
      nvbit_set_at_launch(ctx, f, 1);  // before it is enabled: NVBit hands it on then
      kernels_.enable(ctx, f, true);
    }
    start(g);
  }
  // A graph of which nothing is recorded.
  void pass(CUcontext ctx, const Graph& g) {
    current_.clear();
    if (kernels_.is_instrumented(ctx, g)) {
      kernels_.pass(ctx, g);
      start(&g);
    }
  }

  // For each kernel of the graph: its value tells the injected code which one it is.
  void node(CUcontext ctx, CUfunction f, CUstream stream, uint64_t handle) {
    func_config_t c = {};
    nvbit_get_func_config(ctx, f, &c);
    const std::string name = name_of(ctx, f, true);
    const uint64_t node = nodes_.take(name, {c.gridDimX, c.gridDimY, c.gridDimZ});
    if (kernels_.is_instrumented(name)) {
      nvbit_set_at_launch(ctx, f, node, stream, handle);
    }
  }

  // Behind the driver's call. `copies`: those to the GPU before it, which go with it.
  void end(CUcontext ctx, CUresult status, std::vector<Memcpy>& copies) {
    if (!busy_ || std::this_thread::get_id() != thread_) {
      return;
    }
    busy_ = false;
    if (current_.empty()) {
      return;
    }
    const CUresult r = status == CUDA_SUCCESS ? cuCtxSynchronize() : status;
    for (const Recorded& c : current_) {
      kernels_.enable(ctx, c.launch.function, false);
    }
    DeviceBuffer& buffer = kernels_.buffer(ctx);
    Buffer now = {};
    if (r != CUDA_SUCCESS || !buffer.read(now)) {
      drop("it has failed: " + text_of(r));
    } else if (mixed_) {
      drop("another thread has launched an instrumented kernel at the same time");
    } else if (now.astray > 0) {
      drop("NVBit has not told the kernels of the graph apart: " + std::to_string(now.astray) +
           " records, one with the value " + std::to_string(now.stray) + ", " + nodes_.state());
    } else if (now.head > buffer.capacity()) {
      drop("", now.head, buffer.capacity());
    } else {
      send(buffer, now.head, copies);
    }
    if (graph_) {
      buffer.close();
    }
  }

 private:
  void drop(const std::string& why, uint64_t needs = 0, uint64_t has = 0) const {
    for (const Recorded& r : current_) {
      drop(r, why, needs, has);
    }
  }

  void start(const Graph* g) {
    nodes_.clear();
    for (size_t i = 0; g && i < g->kernels.size(); ++i) {
      const Node& n = g->kernels[i];
      nodes_.add(n.name, {n.launch.head.grid[0], n.launch.head.grid[1], n.launch.head.grid[2]});
    }
    graph_ = g != nullptr;
    mixed_ = false;
    thread_ = std::this_thread::get_id();
    busy_ = true;
  }

  // Returns why it cannot be recorded.
  std::string prepare(CUcontext ctx, Recorded& r, std::vector<Target>& targets) const {
    LaunchHead& h = r.launch.head;
    const uint64_t blocks = uint64_t{h.grid[0]} * h.grid[1] * h.grid[2];
    if (blocks > UINT32_MAX) {
      return "a grid of more than 2^32 blocks";
    }
    if (targets.size() > DeviceBuffer::kMostTargets) {
      return "a graph of more than " + std::to_string(DeviceBuffer::kMostTargets) + " kernels";
    }
    if (!h.graph) {  // of a graph's kernel that is known since it was instantiated
      kernels_.resources(ctx, r.launch);
    }
    h.shared_base = nvbit_get_shmem_base_addr(ctx);
    h.local_base = nvbit_get_local_mem_base_addr(ctx);
    const uint64_t cluster = uint64_t{h.cluster[0]} * h.cluster[1] * h.cluster[2];
    uint64_t count = 0;
    if (!blocks_of(range_, blocks, cluster, h.first_block, count)) {
      return "its grid has only " + std::to_string(blocks) + " blocks";
    }
    h.blocks = count;
    r.used = kernels_.instrument(ctx, r.launch.function);
    if (r.used.empty()) {
      return "NVBit has no code of it";
    }
    if (!h.graph) {
      r.parameters = parameters(r.launch, r.used.front()->module);
    }
    Target& t = targets[h.graph ? h.node : 0];
    t.first = static_cast<uint32_t>(h.first_block);
    t.end = static_cast<uint32_t>(h.first_block + count);
    t.by_cluster = h.cluster[1] * h.cluster[2] > 1;
    // The other end numbers those that it gets, without the ones that are not recorded.
    t.node = h.node = static_cast<uint32_t>(current_.size());
    return "";
  }

  void send(const DeviceBuffer& buffer, uint64_t bytes, std::vector<Memcpy>& copies) {
    for (const Memcpy& m : copies) {
      to_.send(kMemcpy, &m, sizeof m);
    }
    copies.clear();
    for (Recorded& r : current_) {
      r.launch.head.record_bytes = bytes;
      r.launch.head.functions = static_cast<uint32_t>(r.used.size());
      r.launch.head.parameter_bytes = static_cast<uint32_t>(r.parameters.size());
      Payload p;
      p.add(r.launch.head);
      for (const Function* f : r.used) {
        p.add(f->first);
      }
      to_.send(kLaunch, p.add(r.parameters.data(), r.parameters.size()));
    }
    if (!buffer.send(bytes, to_)) {
      to_.send(kError, std::string("the records cannot be read from the GPU"));
      to_.close();
      return;
    }
    to_.send(kEnd, nullptr, 0);
  }

  Connection& to_;
  Kernels& kernels_;
  const BlockRange range_ = block_range(getenv("HEDDLE_CAPTURE_BLOCKS"));
  bool busy_ = false, mixed_ = false, graph_ = false;
  std::thread::id thread_;
  std::vector<Recorded> current_;
  NodeOrder nodes_;
};

}  // namespace heddle::capture
