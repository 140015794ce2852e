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
      timeline_(gpu, space_, {this, environment_.machine, environment_.spans, environment_.new_process}) {
  if (environment_.machine != nullptr) {
    environment_.machine->serve(*this);
  }
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
  timeline_.call([](auto& t) { t.deviceSynchronize(); });
  flush();
  timeline_.call([&](auto& t) {
    for (const auto& [handle, x] : execs_) {
      t.graphExecDestroy(x->exec);
    }
    for (const auto& [handle, e] : events_) {
      t.eventDestroy(e->model);
    }
    for (const auto& [handle, s] : streams_) {
      t.streamDestroy(s->model);
    }
    for (const auto& [address, a] : space_.allocations()) {
      if (!a.idle) {
        t.free(a.buffer);
      }
    }
  });
  settle_values();
  late_.clear();
  execs_.clear();
  graphs_.clear();
  events_.clear();
  own_.clear();
  streams_.clear();
  legacy_.frees.clear();
  advised_.clear();
  registered_.clear();
  conditions_.clear();
  objects_.clear();
  arrays_.clear();
  mipmapped_.clear();
  pools_.clear();
  library_.unload();
  space_.clear();
  settings_ = {};
  prints_ = false;
  failed_ = failed_ == Status::kAssert ? Status::kSuccess : failed_;
  library_.load_managed();
  end_user_objects();
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
  timeline_.threads().spend(params_.graph.capture);
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

}  // namespace heddle::cuda
