// The tool inside the program that is captured: calls of the driver come here. README.md.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nvbit_tool.h"
// nvbit_tool.h is first
#include "nvbit.h"
#include "tools/tracer/blocks.h"
#include "tools/tracer/connection.h"
#include "tools/tracer/device_buffer.h"
#include "tools/tracer/functions.h"
#include "tools/tracer/graphs.h"
#include "tools/tracer/launch.h"
#include "tools/tracer/node_order.h"
#include "tools/tracer/nvtx.h"
#include "tools/tracer/operands.h"
#include "tools/tracer/recorded.h"
#include "tools/tracer/selection.h"

using namespace heddle::capture;

namespace {

class Tool {
 public:
  void start() {
    to_.open(getenv("HEDDLE_CAPTURE_SOCKET"));
    if (!to_.is_open()) {
      return;
    }
    Hello hello;
    hello.pid = static_cast<uint32_t>(getpid());
    to_.send(kHello, &hello, sizeof hello);
    nvtx::wanted = selection_.range();
    profiling_ = false;
  }
  void end() {
    Bye bye;
    bye.launches = launches_;
    bye.selected = selection_.selected();
    if (to_.is_open()) {
      to_.send(kBye, &bye, sizeof bye);
    }
    to_.close();
  }
  // The connection stays the parent's.
  void forked() { to_.close(); }

  // Before the first launch in a context.
  void context(CUcontext ctx) {
    if (!to_.is_open() || contexts_.count(ctx)) {
      return;
    }
    CUdevice device = 0;
    char name[256] = "";
    cuCtxGetDevice(&device);
    cuDeviceGetName(name, sizeof name, device);
    to_.send(kContext, std::string(name));
    auto c = std::make_unique<DeviceBuffer>();
    if (!list_) {
      const char* memory = getenv("HEDDLE_CAPTURE_MEMORY");
      const Relaxed relaxed;
      if (const std::string what = c->make(memory ? strtoull(memory, nullptr, 10) : 0); !what.empty()) {
        to_.send(kError, what);
        to_.close();
        return;
      }
    }
    contexts_[ctx] = std::move(c);
  }

  void call(CUcontext ctx, bool is_exit, nvbit_api_cuda_t id, void* params, CUresult* status) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (inside_ || !to_.is_open()) {
      return;
    }
    inside_ = true;
    if (is_launch(id)) {
      is_exit ? launched(ctx, result(status)) : launching(ctx, launch_of(id, params));
    } else if (is_graph_launch(id)) {
      is_exit ? launched(ctx, result(status)) : launching_graph(ctx, *static_cast<const ExecCall*>(params));
    } else if (const NodeKernel k = kernel_of(id, params); k.parameters) {
      is_exit ? changed(ctx, k, result(status)) : prepare(ctx, function_of(k));
    } else if (is_exit) {
      profiling_ = id == API_CUDA_cuProfilerStart || (profiling_ && id != API_CUDA_cuProfilerStop);
      if (result(status) == CUDA_SUCCESS) {
        made(ctx, id, params);
      }
    } else if (id == API_CUDA_cuMemcpyHtoD_v2) {
      const auto* p = static_cast<const cuMemcpyHtoD_v2_params*>(params);
      copies_.push_back({p->dstDevice, p->ByteCount});
    } else if (id == API_CUDA_cuMemcpyHtoDAsync_v2) {
      const auto* p = static_cast<const cuMemcpyHtoDAsync_v2_params*>(params);
      copies_.push_back({p->dstDevice, p->ByteCount});
    } else if (is_instantiation(id)) {
      prepare(ctx, static_cast<const InstantiateCall*>(params)->graph);
    } else if (is_update(id)) {
      prepare(ctx, static_cast<const ExecCall*>(params)->graph);
    } else if (id == API_CUDA_cuGraphExecDestroy) {
      graphs_.remove(static_cast<const ExecCall*>(params)->exec);
    }
    inside_ = false;
  }

  // Within cuGraphLaunch, for each kernel: its value tells the injected code which one it is.
  void launching_node(CUcontext ctx, CUfunction f, CUstream stream, uint64_t handle) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (!busy_ || !graph_ || std::this_thread::get_id() != thread_) {
      return;
    }
    const bool before = std::exchange(inside_, true);
    func_config_t c = {};
    nvbit_get_func_config(ctx, f, &c);
    const std::string name = name_of(ctx, f, true);
    const uint64_t node = nodes_.take(name, {c.gridDimX, c.gridDimY, c.gridDimZ});
    if (instrumented_.count(name)) {
      nvbit_set_at_launch(ctx, f, node, stream, handle);
    }
    inside_ = before;
  }

  bool inside_ = false;

 private:
  void once(bool& told, const std::string& what) {
    if (!told) {
      to_.send(kNote, what);
    }
    told = true;
  }

  void drop(const Recorded& r, const std::string& why, uint64_t needs = 0, uint64_t has = 0) {
    Dropped d;
    d.number = r.launch.head.number;
    d.needs = needs;
    d.has = has;
    Payload p;
    to_.send(kDropped, p.add(d).text(r.name + (why.empty() ? "" : "\n" + why)));
  }
  void drop(const std::string& why, uint64_t needs = 0, uint64_t has = 0) {
    for (const Recorded& r : current_) {
      drop(r, why, needs, has);
    }
  }

  Seen seen(CUcontext ctx, const Launch& l) const {
    Seen s;
    s.number = l.head.number;
    s.name = name_of(ctx, l.function, true);
    s.readable = name_of(ctx, l.function, false);
    std::copy(l.head.grid, l.head.grid + 3, s.grid.begin());
    std::copy(l.head.block, l.head.block + 3, s.block.begin());
    s.profiling = profiling_;
    s.in_range = nvtx::open > 0;
    return s;
  }

  // ---- kernels of graphs: instrumented before their node is made, since NVBit prepares the node then
  void prepare(CUcontext ctx, CUfunction f) {
    Launch l;
    l.function = f;
    if (!f || list_ || !selection_.names(seen(ctx, l))) {
      return;
    }
    const Relaxed relaxed;
    context(ctx);
    if (!to_.is_open()) {
      return;
    }
    resources(ctx, l);
    if (!instrument(ctx, f).empty()) {
      nvbit_enable_instrumented(ctx, f, true);
    }
  }
  // Again, since a launch in between may have gone back to the code as it was.
  void prepare(CUcontext ctx, CUgraph graph) {
    std::vector<Node> kernels;
    kernels_of(graph, kernels);
    for (const Node& n : kernels) {
      prepare(ctx, n.launch.function);
    }
  }
  void made(CUcontext ctx, nvbit_api_cuda_t id, const void* params) {
    if (is_instantiation(id)) {
      const auto* p = static_cast<const InstantiateCall*>(params);
      read(ctx, graphs_.set(*p->exec, p->graph));
    } else if (is_update(id)) {
      const auto* p = static_cast<const ExecCall*>(params);
      read(ctx, graphs_.set(p->exec, p->graph));
    }
  }
  void changed(CUcontext ctx, const NodeKernel& k, CUresult status) {
    Graph* g = k.exec.exec && status == CUDA_SUCCESS ? graphs_.find(k.exec.exec) : nullptr;
    for (size_t i = 0; g && i < g->kernels.size(); ++i) {
      Node& n = g->kernels[i];
      if (n.handle == k.exec.node) {
        const LaunchHead before = n.launch.head;
        n.launch = launch_of_node(k);
        std::copy(before.cluster, before.cluster + 3, n.launch.head.cluster);
        n.launch.head.cooperative = before.cooperative;
        read(ctx, n);
      }
    }
  }
  void read(CUcontext ctx, Graph& g) {
    if (!g.complete) {
      once(graph_told_, "kernels of conditional nodes of CUDA graphs are not captured");
    }
    for (Node& n : g.kernels) {
      read(ctx, n);
    }
  }
  // While the driver's copy of the parameters is there.
  void read(CUcontext ctx, Node& n) {
    const Seen s = seen(ctx, n.launch);
    n.name = s.name;
    if (!n.launch.function || list_ || !selection_.names(s)) {
      return;
    }
    const Relaxed relaxed;
    context(ctx);
    if (!to_.is_open()) {
      return;
    }
    resources(ctx, n.launch);
    if (const auto used = instrument(ctx, n.launch.function); !used.empty()) {
      n.parameters = parameters(n.launch, used.front()->module);
    }
    n.launch.parameters = n.launch.extra = nullptr;
  }

  // As they were before the kernel was first instrumented.
  void resources(CUcontext ctx, Launch& l) {
    ask(ctx, l);
    const LaunchHead& first = asked_.try_emplace({ctx, canonical(l.function)}, l.head).first->second;
    l.head.registers = first.registers;
    l.head.static_shared = first.static_shared;
    l.head.local_bytes = first.local_bytes;
  }
  std::vector<const Function*> instrument(CUcontext ctx, CUfunction f) {
    auto used = functions_.instrument(ctx, f, Operands(contexts_[ctx]->address(), is_set("HEDDLE_CAPTURE_MAPS")));
    if (!used.empty()) {
      instrumented_.insert(name_of(ctx, f, true));
    }
    return used;
  }

  // ---- launches
  void launching(CUcontext ctx, Launch l) {
    if (is_capturing(l.stream)) {
      prepare(ctx, l.function);
      return;
    }
    l.head.number = ++launches_;
    if (busy_) {  // another thread's launch is being recorded
      mixed_ = mixed_ || is_recorded(l.function);
      return;
    }
    context(ctx);
    const Seen s = seen(ctx, l);
    if (!to_.is_open() || !selection_.take(s)) {
      if (functions_.knows(ctx, l.function)) {
        nvbit_enable_instrumented(ctx, l.function, false);
      }
      return;
    }
    current_ = {Recorded{l, s.name, {}, {}}};
    if (list_) {
      list();
      return;
    }
    record(ctx, nullptr);
  }

  void launching_graph(CUcontext ctx, const ExecCall& p) {
    Graph* g = graphs_.find(p.exec);
    if (is_capturing(p.stream) || !g) {
      return;
    }
    ++graph_launches_;
    const uint64_t first = launches_;
    launches_ += g->kernels.size();
    if (busy_) {
      for (const Node& n : g->kernels) {
        mixed_ = mixed_ || is_recorded(n.launch.function);
      }
      return;
    }
    context(ctx);
    current_.clear();
    for (size_t i = 0; i < g->kernels.size() && to_.is_open(); ++i) {
      Launch l = g->kernels[i].launch;
      l.head.number = first + i + 1;
      if (l.function && selection_.take(seen(ctx, l))) {
        l.stream = p.stream;
        l.head.stream = reinterpret_cast<uint64_t>(p.stream);
        l.head.graph = g->number;
        l.head.graph_launch = graph_launches_;
        l.head.node = static_cast<uint32_t>(i);
        current_.push_back({l, g->kernels[i].name, {}, g->kernels[i].parameters});
      }
    }
    if (list_ || current_.empty()) {
      list();
      if (!list_ && to_.is_open()) {
        disable(ctx, *g);
      }
      return;
    }
    record(ctx, g);
  }
  // Which of its kernels run as they are is not for NVBit alone to say: their nodes were made instrumented.
  void disable(CUcontext ctx, const Graph& g) {
    bool any = false;
    for (const Node& n : g.kernels) {
      if (functions_.knows(ctx, n.launch.function)) {
        nvbit_enable_instrumented(ctx, n.launch.function, false);
        any = true;
      }
    }
    if (any) {
      contexts_[ctx]->close();
    }
  }

  void list() {
    for (const Recorded& r : list_ ? current_ : std::vector<Recorded>{}) {
      Listed listed;
      listed.number = r.launch.head.number;
      listed.graph = r.launch.head.graph;
      std::copy(r.launch.head.grid, r.launch.head.grid + 3, listed.grid);
      std::copy(r.launch.head.block, r.launch.head.block + 3, listed.block);
      Payload p;
      to_.send(kListed, p.add(listed).text(r.name));
    }
  }

  bool is_recorded(CUfunction f) const {
    return std::any_of(current_.begin(), current_.end(),
                       [f](const Recorded& r) { return canonical(r.launch.function) == canonical(f); });
  }

  // All of `current_`, which one call launches.
  void record(CUcontext ctx, const Graph* g) {
    DeviceBuffer& buffer = *contexts_[ctx];
    const CUresult before = cuCtxSynchronize();
    recorded_ = 0;
    std::vector<Target> targets(g ? g->kernels.size() : 1);
    std::vector<Recorded> good;
    for (Recorded& r : current_) {
      if (std::string why = before == CUDA_SUCCESS ? prepare(ctx, r, targets)
                                                   : "the GPU has failed before it: " + text_of(before);
          !why.empty()) {
        drop(r, why);
      } else {
        good.push_back(std::move(r));
      }
    }
    current_ = std::move(good);
    if (current_.empty()) {
      return;
    }
    nodes_.clear();
    for (size_t i = 0; g && i < g->kernels.size(); ++i) {
      const Node& n = g->kernels[i];
      nodes_.add(n.name, {n.launch.head.grid[0], n.launch.head.grid[1], n.launch.head.grid[2]});
    }
    for (const Recorded& r : current_) {
      if (!g) {
        nvbit_set_at_launch(ctx, r.launch.function, 1);  // before it is enabled: NVBit hands it on then
      }
      nvbit_enable_instrumented(ctx, r.launch.function, true);
    }
    busy_ = buffer.open(targets);
    graph_ = g != nullptr;
    mixed_ = false;
    thread_ = std::this_thread::get_id();
  }

  // Returns why it cannot be recorded.
  std::string prepare(CUcontext ctx, Recorded& r, std::vector<Target>& targets) {
    LaunchHead& h = r.launch.head;
    const uint64_t blocks = uint64_t{h.grid[0]} * h.grid[1] * h.grid[2];
    if (blocks > UINT32_MAX) {
      return "a grid of more than 2^32 blocks";
    }
    if (targets.size() > DeviceBuffer::kMostTargets) {
      return "a graph of more than " + std::to_string(DeviceBuffer::kMostTargets) + " kernels";
    }
    if (!h.graph) {  // of a graph's kernel that is known since it was instantiated
      resources(ctx, r.launch);
    }
    h.shared_base = nvbit_get_shmem_base_addr(ctx);
    h.local_base = nvbit_get_local_mem_base_addr(ctx);
    const uint64_t cluster = uint64_t{h.cluster[0]} * h.cluster[1] * h.cluster[2];
    uint64_t count = 0;
    if (!blocks_of(range_, blocks, cluster, h.first_block, count)) {
      return "its grid has only " + std::to_string(blocks) + " blocks";
    }
    h.blocks = count;
    r.used = instrument(ctx, r.launch.function);
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
    t.node = h.node = recorded_++;
    return "";
  }

  void launched(CUcontext ctx, CUresult status) {
    if (!busy_ || std::this_thread::get_id() != thread_) {
      return;
    }
    busy_ = false;
    const CUresult r = status == CUDA_SUCCESS ? cuCtxSynchronize() : status;
    for (const Recorded& c : current_) {
      nvbit_enable_instrumented(ctx, c.launch.function, false);
    }
    DeviceBuffer& buffer = *contexts_[ctx];
    uint64_t bytes = 0, astray = 0;
    if (r != CUDA_SUCCESS || !buffer.needs(bytes, astray)) {
      drop("it has failed: " + text_of(r));
    } else if (mixed_) {
      drop("another thread has launched the same kernel at the same time");
    } else if (astray > 0) {
      drop("NVBit has not told the kernels of the graph apart: " + std::to_string(astray) + " records, " +
           nodes_.state());
    } else if (bytes > buffer.capacity()) {
      drop("", bytes, buffer.capacity());
    } else {
      send(buffer, bytes);
    }
    if (graph_) {
      buffer.close();
    }
    graph_ = false;
  }

  void send(const DeviceBuffer& buffer, uint64_t bytes) {
    for (const Memcpy& m : copies_) {
      to_.send(kMemcpy, &m, sizeof m);
    }
    copies_.clear();
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

  std::recursive_mutex mutex_;
  Connection to_;
  Selection selection_{[](const char* name) { return static_cast<const char*>(getenv(name)); }};
  Functions functions_{to_};
  std::set<std::string> instrumented_;  // kernels
  std::map<std::pair<CUcontext, CUfunction>, LaunchHead> asked_;
  std::map<CUcontext, std::unique_ptr<DeviceBuffer>> contexts_;
  const bool list_ = is_set("HEDDLE_CAPTURE_LIST");
  const BlockRange range_ = block_range(getenv("HEDDLE_CAPTURE_BLOCKS"));
  Graphs graphs_;
  bool profiling_ = false, graph_told_ = false;
  uint64_t launches_ = 0, graph_launches_ = 0;
  std::vector<Memcpy> copies_;

  // What is being recorded: one launch, or those of a graph.
  bool busy_ = false, mixed_ = false, graph_ = false;
  std::thread::id thread_;
  std::vector<Recorded> current_;
  uint32_t recorded_ = 0;  // of them have a target so far
  NodeOrder nodes_;
};

Tool* tool;  // never deleted: the driver calls until the very end

}  // namespace

void nvbit_at_init() {
  tool = new Tool;
  tool->start();
  pthread_atfork(nullptr, nullptr, [] { tool->forked(); });
}
void nvbit_at_term() { tool->end(); }
void nvbit_at_ctx_init(CUcontext) {}
void nvbit_at_ctx_term(CUcontext) {}
void nvbit_tool_init(CUcontext ctx) {
  const bool before = tool->inside_;
  tool->inside_ = true;
  tool->context(ctx);
  tool->inside_ = before;
}
void nvbit_at_cuda_event(CUcontext ctx, int is_exit, nvbit_api_cuda_t id, const char*, void* params, CUresult* status) {
  tool->call(ctx, is_exit != 0, id, params, status);
}
void nvbit_at_graph_node_launch(CUcontext ctx, CUfunction f, CUstream stream, uint64_t handle) {
  tool->launching_node(ctx, f, stream, handle);
}

extern "C" int InitializeInjectionNvtx2(const void* (*table)(uint32_t)) { return nvtx::subscribe(table); }
