// What the tool has made of the program's contexts and kernels: a buffer for each context, and which kernels
// run instrumented.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "nvbit.h"
#include "tools/tracer/connection.h"
#include "tools/tracer/device_buffer.h"
#include "tools/tracer/functions.h"
#include "tools/tracer/graphs.h"
#include "tools/tracer/launch.h"
#include "tools/tracer/operands.h"
#include "tools/tracer/recorded.h"

namespace heddle::capture {

class Kernels {
 public:
  explicit Kernels(Connection& to) : to_(to) {}

  bool only_lists() const { return list_; }
  DeviceBuffer& buffer(CUcontext ctx) { return contexts_[ctx]->buffer; }

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
    auto c = std::make_unique<Context>();
    if (!list_) {
      const char* memory = getenv("HEDDLE_CAPTURE_MEMORY");
      const Relaxed relaxed;
      const uint64_t wanted = memory ? strtoull(memory, nullptr, 10) : 0;
      if (const std::string what = c->buffer.make(wanted); !what.empty()) {
        to_.send(kError, what);
        to_.close();
        return;
      }
    }
    contexts_[ctx] = std::move(c);
  }

  // As they were before the kernel was first instrumented.
  void resources(CUcontext ctx, Launch& l) {
    ask(ctx, l);
    const LaunchHead& first = asked_.try_emplace({ctx, canonical(l.function)}, l.head).first->second;
    l.head.registers = first.registers;
    l.head.static_shared = first.static_shared;
    l.head.local_bytes = first.local_bytes;
  }

  // The kernel and what it calls; empty: NVBit has no code of it.
  std::vector<const Function*> instrument(CUcontext ctx, CUfunction f) {
    auto used = functions_.instrument(ctx, f, Operands(buffer(ctx).address(), maps_));
    if (!used.empty()) {
      names_.insert(name_of(ctx, f, true));
    }
    return used;
  }
  bool is_instrumented(const std::string& name) const { return names_.count(name) != 0; }
  bool is_instrumented(CUcontext ctx, CUfunction f) const { return f && functions_.knows(ctx, f); }
  bool is_instrumented(CUcontext ctx, const Graph& g) const {
    return std::any_of(g.kernels.begin(), g.kernels.end(),
                       [&](const Node& n) { return is_instrumented(ctx, n.launch.function); });
  }

  // Whether its next launches run the instrumented code. A graph's kernels do in any case, says the tool:
  // their nodes were made so.
  bool is_enabled(CUcontext ctx, CUfunction f) const { return enabled_.count({ctx, canonical(f)}) != 0; }
  void enable(CUcontext ctx, CUfunction f, bool on) {
    nvbit_enable_instrumented(ctx, f, on);
    if (on) {
      enabled_.insert({ctx, canonical(f)});
    } else {
      enabled_.erase({ctx, canonical(f)});
    }
  }
  void enable(CUcontext ctx, const Graph& g, bool on) {
    for (const Node& n : g.kernels) {
      if (is_instrumented(ctx, n.launch.function)) {
        enable(ctx, n.launch.function, on);
      }
    }
  }

  // Before a launch that nobody records.
  void disable(CUcontext ctx, CUfunction f) {
    if (!is_instrumented(ctx, f)) {
      return;
    }
    Context& c = *contexts_[ctx];
    if (c.unwaited && is_enabled(ctx, f)) {  // nothing may change the code while a graph runs it
      cuCtxSynchronize();
      c.unwaited = false;
    }
    enable(ctx, f, false);
  }
  // The same of a graph. Its kernels run instrumented all the same, and get their values, with a buffer that
  // takes nothing: after a first launch without NVBit 1.7.7.1 does not hand the values of the next one to
  // every node (seen: all but one of five). Nobody waits for it, since its end may depend on what the program
  // does next.
  void pass(CUcontext ctx, const Graph& g) {
    const Relaxed relaxed;
    Context& c = *contexts_[ctx];
    bool changes = false;
    for (const Node& n : g.kernels) {
      changes = changes || (is_instrumented(ctx, n.launch.function) && !is_enabled(ctx, n.launch.function));
    }
    if (changes) {
      cuCtxSynchronize();
    }
    enable(ctx, g, true);
    c.buffer.close();
    c.unwaited = true;
  }

 private:
  struct Context {
    DeviceBuffer buffer;
    bool unwaited = false;  // a graph's instrumented kernels may be running
  };
  using Key = std::pair<CUcontext, CUfunction>;

  Connection& to_;
  const bool list_ = is_set("HEDDLE_CAPTURE_LIST"), maps_ = is_set("HEDDLE_CAPTURE_MAPS");
  Functions functions_{to_};
  std::set<std::string> names_;
  std::set<Key> enabled_;
  std::map<Key, LaunchHead> asked_;
  std::map<CUcontext, std::unique_ptr<Context>> contexts_;
};

}  // namespace heddle::capture
