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
    return perform_kernel(*k);
  }
  if (const auto* c = std::get_if<CopyWork>(&work)) {
    perform_copy(*c);
  } else if (const auto* m = std::get_if<MemsetWork>(&work)) {
    perform_set(*m);
  } else if (const auto* h = std::get_if<HostWork>(&work)) {
    h->function(h->data);
  } else if (const auto* r = std::get_if<RecordWork>(&work)) {
    r->event->recorded = true;
  } else if (const auto* g = std::get_if<ChildWork>(&work)) {
    perform(*g->graph);
  }
  return {};
}

// What an H200 takes time for and the model does not (traces/h200/PROGRAMS.md).
void Context::note_what_is_free(const exec::Code& code) {
  for (const exec::FunctionInfo& f : code.functions) {
    if (f.builtin == exec::Builtin::kPrintf) {
      environment_.note("printf in kernels takes no time here");
    } else if (f.builtin == exec::Builtin::kMalloc || f.builtin == exec::Builtin::kFree) {
      environment_.note("malloc and free in kernels take no time here");
    }
  }
}

host::Ps Context::perform_kernel(const KernelWork& k) {
  if (failed_ != Status::kSuccess) {
    return {};
  }
  const auto output = std::make_shared<std::string>();
  host::Ps duration{};
  try {
    library_.update_constants(*k.function->program);
    exec::Launch l = k.function->program->launch(*k.function->kernel);
    l.grid = k.grid;
    l.block = k.block;
    if (k.with_cluster) {
      l.cluster = k.cluster;
      l.with_cluster = true;
    }
    l.dynamic_shared = k.shared;
    std::copy_n(k.parameters.begin(), std::min(k.parameters.size(), l.parameters.size()),
                l.parameters.begin());
    note_what_is_free(*l.code);
    duration = environment_.runner->run(*k.function, l, output);
  } catch (const Unsupported& e) {
    std::string all = e.what();
    for (const std::string& line : e.lines()) {
      all += "\n  " + line;
    }
    throw CallFailed(Status::kNotSupported, all);
  } catch (const exec::ThreadFault& e) {
    environment_.note(e.what());
    constexpr Status kStatus[] = {Status::kIllegalAddress, Status::kMisalignedAddress, Status::kAssert,
                                  Status::kLaunchFailure};
    failed_ = kStatus[static_cast<int>(e.kind())];
  } catch (const Error& e) {
    environment_.note(e.what());
    failed_ = Status::kLaunchFailure;
  }
  printed_ += *output;
  return duration;
}

}  // namespace heddle::cuda
