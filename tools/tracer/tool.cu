// The tool inside the program that is captured: calls of the driver come here. README.md.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "nvbit_tool.h"
// nvbit_tool.h is first
#include "nvbit.h"
#include "tools/tracer/connection.h"
#include "tools/tracer/graphs.h"
#include "tools/tracer/kernels.h"
#include "tools/tracer/launch.h"
#include "tools/tracer/nvtx.h"
#include "tools/tracer/recorded.h"
#include "tools/tracer/recording.h"
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
  void context(CUcontext ctx) { kernels_.context(ctx); }

  void call(CUcontext ctx, bool is_exit, nvbit_api_cuda_t id, void* params, CUresult* status) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (inside_ || !to_.is_open()) {
      return;
    }
    inside_ = true;
    if (is_launch(id)) {
      is_exit ? recording_.end(ctx, result(status), copies_) : launching(ctx, launch_of(id, params));
    } else if (is_graph_launch(id)) {
      is_exit ? recording_.end(ctx, result(status), copies_) : launching_graph(ctx, *static_cast<const ExecCall*>(params));
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

  // Within cuGraphLaunch, for each kernel.
  void launching_node(CUcontext ctx, CUfunction f, CUstream stream, uint64_t handle) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (recording_.is_in_graph()) {
      const bool before = std::exchange(inside_, true);
      recording_.node(ctx, f, stream, handle);
      inside_ = before;
    }
  }

  bool inside_ = false;

 private:
  void once(bool& told, const std::string& what) {
    if (!told) {
      to_.send(kNote, what);
    }
    told = true;
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
    kernels_.resources(ctx, l);
    if (!kernels_.instrument(ctx, f).empty()) {
      kernels_.enable(ctx, f, true);
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
    kernels_.resources(ctx, n.launch);
    if (const auto used = kernels_.instrument(ctx, n.launch.function); !used.empty()) {
      n.parameters = parameters(n.launch, used.front()->module);
    }
    n.launch.parameters = n.launch.extra = nullptr;
  }

  // ---- launches
  void launching(CUcontext ctx, Launch l) {
    if (is_capturing(l.stream)) {
      prepare(ctx, l.function);
      return;
    }
    l.head.number = ++launches_;
    if (recording_.goes_on()) {
      if (kernels_.is_enabled(ctx, l.function)) {
        recording_.mix();
      }
      miss(ctx, l);
      return;
    }
    context(ctx);
    const Seen s = seen(ctx, l);
    if (!to_.is_open() || !selection_.take(s)) {
      kernels_.disable(ctx, l.function);
      return;
    }
    std::vector<Recorded> selected = {Recorded{l, s.name, {}, {}}};
    if (list_) {
      list(selected);
    } else {
      recording_.begin(ctx, std::move(selected), nullptr);
    }
  }

  void launching_graph(CUcontext ctx, const ExecCall& p) {
    Graph* g = graphs_.find(p.exec);
    if (is_capturing(p.stream) || !g) {
      return;
    }
    ++graph_launches_;
    const bool missed = recording_.goes_on();
    if (missed && kernels_.is_instrumented(ctx, *g)) {
      recording_.mix();
    }
    context(ctx);
    std::vector<Recorded> selected;
    for (size_t i = 0; i < g->kernels.size() && to_.is_open(); ++i) {
      Launch l = g->kernels[i].launch;
      l.head.number = ++launches_;
      if (missed) {
        miss(ctx, l);
      } else if (l.function && selection_.take(seen(ctx, l))) {
        l.stream = p.stream;
        l.head.stream = reinterpret_cast<uint64_t>(p.stream);
        l.head.graph = g->number;
        l.head.graph_launch = graph_launches_;
        l.head.node = static_cast<uint32_t>(i);
        selected.push_back({l, g->kernels[i].name, {}, g->kernels[i].parameters});
      }
    }
    if (missed || !to_.is_open()) {
      return;
    }
    if (list_) {
      list(selected);
    } else if (selected.empty()) {
      recording_.pass(ctx, *g);
    } else {
      recording_.begin(ctx, std::move(selected), g);
    }
  }

  // Launched within a call of another thread that launches.
  void miss(CUcontext ctx, const Launch& l) {
    if (const Seen s = seen(ctx, l); l.function && selection_.take(s)) {
      recording_.drop(Recorded{l, s.name, {}, {}}, "another thread was launching at the same time");
    }
  }

  void list(const std::vector<Recorded>& launches) {
    for (const Recorded& r : launches) {
      Listed listed;
      listed.number = r.launch.head.number;
      listed.graph = r.launch.head.graph;
      std::copy(r.launch.head.grid, r.launch.head.grid + 3, listed.grid);
      std::copy(r.launch.head.block, r.launch.head.block + 3, listed.block);
      Payload p;
      to_.send(kListed, p.add(listed).text(r.name));
    }
  }

  std::recursive_mutex mutex_;
  Connection to_;
  Selection selection_{[](const char* name) { return static_cast<const char*>(getenv(name)); }};
  Kernels kernels_{to_};
  Recording recording_{to_, kernels_};
  const bool list_ = kernels_.only_lists();
  Graphs graphs_;
  bool profiling_ = false, graph_told_ = false;
  uint64_t launches_ = 0, graph_launches_ = 0;
  std::vector<Memcpy> copies_;
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
