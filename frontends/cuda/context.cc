#include "frontends/cuda/context.h"

#include <utility>

#include "sim/base/error.h"
#include "sim/exec/fault.h"

namespace heddle::cuda {

Context::Context(const config::GpuConfig& gpu, Environment environment)
    : gpu_(gpu),
      environment_(std::move(environment)),
      params_(gpu),
      space_(params_.memory.total - params_.memory.context),
      pools_(space_, params_.memory.pool_chunk),
      library_(space_, params_.compute_capability),
      timeline_(gpu, space_) {
  legacy_.model = timeline_.builder().legacy();
}

void Context::flush() {
  if (!printed_.empty()) {
    environment_.print(std::exchange(printed_, {}));
  }
}

void Context::reset() {
  for (const auto& [handle, s] : streams_) {
    if (s->capture) {
      s->capture->invalid = s->capture->ended = true;
    }
  }
  workload::Thread& calls = timeline_.calls();
  calls.deviceSynchronize();
  flush();
  for (const auto& [handle, x] : execs_) {
    calls.graphExecDestroy(x->exec);
  }
  for (const auto& [handle, e] : events_) {
    calls.eventDestroy(e->model);
  }
  for (const auto& [handle, s] : streams_) {
    calls.streamDestroy(s->model);
  }
  for (const auto& [address, a] : space_.allocations()) {
    if (!a.idle) {
      calls.free(a.buffer);
    }
  }
  execs_.clear();
  graphs_.clear();
  events_.clear();
  own_ = nullptr;
  streams_.clear();
  legacy_.frees.clear();
  pools_.clear();
  library_.unload();
  space_.clear();
  settings_ = {};
  failed_ = failed_ == Status::kAssert ? Status::kSuccess : failed_;
  library_.load_managed();
}

bool Context::captured(Stream& s, Work work, bool waits) {
  if (!s.capture) {
    return false;
  }
  if (waits) {
    s.capture->invalid = true;
    throw CallFailed(Status::kStreamCaptureUnsupported, "the stream captures");
  }
  require(!s.capture->invalid, Status::kStreamCaptureInvalidated);
  Node& n = s.capture->graph->add(std::move(work), s.front);
  s.front = {&n};
  return true;
}

void Context::not_in_capture(Stream& s) {
  if (s.capture) {
    s.capture->invalid = true;
    throw CallFailed(Status::kStreamCaptureUnsupported, "the stream captures");
  }
}

void Context::not_in_any_capture() {
  for (const auto& [handle, s] : streams_) {
    not_in_capture(*s);
  }
}

host::Ps Context::perform(const Work& work) {
  if (const auto* k = std::get_if<KernelWork>(&work)) {
    const Performed p = perform_kernel(*k);
    if (!p.nested.empty()) {
      note("kernels that kernels of a graph launch take no time here");
    }
    return p.duration;
  }
  if (const auto* c = std::get_if<CopyWork>(&work)) {
    perform_copy(*c);
  } else if (const auto* m = std::get_if<MemsetWork>(&work)) {
    perform_set(*m);
  } else if (const auto* h = std::get_if<HostWork>(&work)) {
    in_host_function_ = true;
    h->function(h->data);
    in_host_function_ = false;
  } else if (const auto* r = std::get_if<RecordWork>(&work)) {
    r->event->recorded = true;
  } else if (const auto* g = std::get_if<ChildWork>(&work)) {
    perform(*g->graph);
  }
  return {};
}

}  // namespace heddle::cuda
