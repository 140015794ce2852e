// The tool inside the program that is captured: calls of the driver come here. README.md.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "nvbit_tool.h"
// nvbit_tool.h is first
#include "nvbit.h"
#include "tools/tracer/connection.h"
#include "tools/tracer/device_buffer.h"
#include "tools/tracer/functions.h"
#include "tools/tracer/launch.h"
#include "tools/tracer/nvtx.h"
#include "tools/tracer/operands.h"
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
      is_exit ? launched(ctx, status ? *status : CUDA_SUCCESS) : launching(ctx, launch_of(id, params));
    } else if (is_exit) {
      profiling_ = id == API_CUDA_cuProfilerStart || (profiling_ && id != API_CUDA_cuProfilerStop);
    } else if (id == API_CUDA_cuMemcpyHtoD_v2) {
      const auto* p = static_cast<const cuMemcpyHtoD_v2_params*>(params);
      copies_.push_back({p->dstDevice, p->ByteCount});
    } else if (id == API_CUDA_cuMemcpyHtoDAsync_v2) {
      const auto* p = static_cast<const cuMemcpyHtoDAsync_v2_params*>(params);
      copies_.push_back({p->dstDevice, p->ByteCount});
    } else if (id == API_CUDA_cuGraphLaunch || id == API_CUDA_cuGraphLaunch_ptsz) {
      once(graph_told_, "launches of CUDA graphs are not captured");
    }
    inside_ = false;
  }

  bool inside_ = false;

 private:
  static bool is_set(const char* name) {
    const char* value = getenv(name);
    return value && *value == '1';
  }

  void once(bool& told, const std::string& what) {
    if (!told) {
      to_.send(kNote, what);
    }
    told = true;
  }

  void drop(const std::string& why, uint64_t needs = 0, uint64_t has = 0) {
    Dropped d;
    d.number = current_.head.number;
    d.needs = needs;
    d.has = has;
    Payload p;
    to_.send(kDropped, p.add(d).text(name_ + (why.empty() ? "" : "\n" + why)));
  }

  static bool is_capturing(CUstream stream) {
    CUstreamCaptureStatus s = CU_STREAM_CAPTURE_STATUS_NONE;
    return cuStreamIsCapturing(stream, &s) == CUDA_SUCCESS && s != CU_STREAM_CAPTURE_STATUS_NONE;
  }

  void launching(CUcontext ctx, Launch l) {
    l.head.number = ++launches_;
    if (busy_) {  // another thread's launch is being recorded
      mixed_ = mixed_ || l.function == current_.function;
      return;
    }
    context(ctx);
    const char* readable = nvbit_get_func_name(ctx, l.function, false);
    name_ = nvbit_get_func_name(ctx, l.function, true);
    Seen seen;
    seen.number = l.head.number;
    seen.name = name_;
    seen.readable = readable ? readable : "";
    std::copy(l.head.grid, l.head.grid + 3, seen.grid.begin());
    std::copy(l.head.block, l.head.block + 3, seen.block.begin());
    seen.profiling = profiling_;
    seen.in_range = nvtx::open > 0;
    const bool capturing = is_capturing(l.stream);
    if (capturing) {
      once(stream_told_, "launches into CUDA graphs (stream capture) are not captured");
    }
    if (!to_.is_open() || capturing || !selection_.take(seen)) {
      if (functions_.knows(ctx, l.function)) {
        nvbit_enable_instrumented(ctx, l.function, false);
      }
      return;
    }
    current_ = l;
    if (list_) {
      Listed listed;
      listed.number = l.head.number;
      std::copy(l.head.grid, l.head.grid + 3, listed.grid);
      std::copy(l.head.block, l.head.block + 3, listed.block);
      Payload p;
      to_.send(kListed, p.add(listed).text(name_));
      return;
    }
    record(ctx);
  }

  void record(CUcontext ctx) {
    DeviceBuffer& buffer = *contexts_[ctx];
    if (uint64_t{current_.head.grid[0]} * current_.head.grid[1] * current_.head.grid[2] > UINT32_MAX) {
      drop("a grid of more than 2^32 blocks");
      return;
    }
    if (const CUresult r = cuCtxSynchronize(); r != CUDA_SUCCESS) {
      drop("the GPU has failed before it: " + text_of(r));
      return;
    }
    ask(ctx, current_);
    used_ = functions_.instrument(ctx, current_.function, Operands(buffer.address(), is_set("HEDDLE_CAPTURE_MAPS")));
    if (used_.empty()) {
      drop("NVBit has no code of it");
      return;
    }
    parameters_ = parameters(current_, used_.front()->module);
    nvbit_enable_instrumented(ctx, current_.function, true);
    busy_ = buffer.empty();
    mixed_ = false;
    thread_ = std::this_thread::get_id();
  }

  void launched(CUcontext ctx, CUresult status) {
    if (!busy_ || std::this_thread::get_id() != thread_) {
      return;
    }
    busy_ = false;
    const CUresult r = status == CUDA_SUCCESS ? cuCtxSynchronize() : status;
    nvbit_enable_instrumented(ctx, current_.function, false);
    DeviceBuffer& buffer = *contexts_[ctx];
    uint64_t bytes = 0;
    if (r != CUDA_SUCCESS || !buffer.needs(bytes)) {
      drop("it has failed: " + text_of(r));
    } else if (mixed_) {
      drop("another thread has launched the same kernel at the same time");
    } else if (bytes > buffer.capacity()) {
      drop("", bytes, buffer.capacity());
    } else {
      send(buffer, bytes);
    }
  }

  void send(const DeviceBuffer& buffer, uint64_t bytes) {
    for (const Memcpy& m : copies_) {
      to_.send(kMemcpy, &m, sizeof m);
    }
    copies_.clear();
    current_.head.record_bytes = bytes;
    current_.head.functions = static_cast<uint32_t>(used_.size());
    current_.head.parameter_bytes = static_cast<uint32_t>(parameters_.size());
    Payload p;
    p.add(current_.head);
    for (const Function* f : used_) {
      p.add(f->first);
    }
    to_.send(kLaunch, p.add(parameters_.data(), parameters_.size()));
    if (!buffer.send(bytes, to_)) {
      to_.send(kError, std::string("the records cannot be read from the GPU"));
      to_.close();
      return;
    }
    to_.send(kEnd, nullptr, 0);
  }

  static std::string text_of(CUresult r) {
    const char* s = nullptr;
    cuGetErrorString(r, &s);
    return s ? s : "error " + std::to_string(r);
  }

  std::recursive_mutex mutex_;
  Connection to_;
  Selection selection_{[](const char* name) { return static_cast<const char*>(getenv(name)); }};
  Functions functions_{to_};
  std::map<CUcontext, std::unique_ptr<DeviceBuffer>> contexts_;
  const bool list_ = is_set("HEDDLE_CAPTURE_LIST");
  bool profiling_ = false, graph_told_ = false, stream_told_ = false;
  uint64_t launches_ = 0;
  std::vector<Memcpy> copies_;

  // The launch that is being recorded.
  bool busy_ = false, mixed_ = false;
  std::thread::id thread_;
  Launch current_;
  std::string name_;
  std::vector<const Function*> used_;
  std::vector<char> parameters_;
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
void nvbit_at_graph_node_launch(CUcontext, CUfunction, CUstream, uint64_t) {}

extern "C" int InitializeInjectionNvtx2(const void* (*table)(uint32_t)) { return nvtx::subscribe(table); }
