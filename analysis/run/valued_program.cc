#include "analysis/run/valued_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/run/plan.h"
#include "analysis/run/simulator.h"
#include "frontends/modules/arguments.h"
#include "frontends/modules/nested.h"
#include "frontends/output/place.h"
#include "sim/base/cancelled.h"
#include "sim/base/error.h"
#include "sim/exec/execute.h"

namespace heddle::analysis {
namespace {

using host::Op;

std::string with_lines(const Unsupported& e) {
  std::string out = e.what();
  for (const std::string& line : e.lines()) {
    out += "; " + line;
  }
  return out;
}

}  // namespace

ValuedProgram::ValuedProgram(const config::GpuConfig& gpu, const TracedKernels::Options& options,
                             workload::Workload& w)
    : gpu_(gpu), options_(options), w_(w) {
  const bool computes =
      std::any_of(w.traces.begin(), w.traces.end(), [](const auto& t) { return !t.buffers.empty(); });
  if (computes) {
    check();
    allocate();
    load();
  } else if (!w.data.empty()) {
    refuse(w.program.buffers[w.data.begin()->first].line,
           "a buffer with `data` or `result`, and no kernel of a module has it as an argument (&NAME)");
  }
}

void ValuedProgram::refuse(uint32_t line, const std::string& what) const {
  throw Error(w_.file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what);
}

void ValuedProgram::check() const {
  const char* const what = " is not carried out with kernels that work on buffers";
  if (options_.together) {
    refuse(0, std::string("--together") + what);
  }
  size_t callers = 0;
  for (const host::ThreadDesc& t : w_.program.threads) {
    callers += t.calls.empty() ? 0 : 1;
    if (callers > 1 || t.live != nullptr) {
      refuse(t.line, "thread \"" + t.name +
                         "\": a program of several threads, or of one that decides what it calls," + what);
    }
    for (const host::Call& c : t.calls) {
      if (c.op == Op::kStreamBeginCapture || c.op == Op::kGraphLaunch) {
        refuse(c.line, std::string("a graph") + what);
      }
    }
  }
}

// All buffers have memory here, the host's, too: copies look the same everywhere.
void ValuedProgram::allocate() {
  const auto& buffers = w_.program.buffers;
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    addresses_[i] = memory_.allocate(std::max<uint64_t>(buffers[i].bytes, 1));
    memory_.mark_written(addresses_[i], buffers[i].bytes);
  }
  for (auto& [buffer, data] : w_.data) {
    memory_.write(addresses_[buffer], std::exchange(data.data.bytes, {}));
  }
}

void ValuedProgram::load() {
  std::vector<workload::TracedKernel> left;
  for (workload::TracedKernel& t : w_.traces) {
    if (t.buffers.empty()) {
      left.push_back(std::move(t));
      continue;
    }
    try {
      bind(t);
    } catch (const Unsupported& e) {
      refuse(w_.program.kernels[t.kernel].line, with_lines(e));
    } catch (const Error& e) {
      refuse(w_.program.kernels[t.kernel].line,
             fmt::format("kernel \"{}\": {}", w_.program.kernels[t.kernel].name, e.what()));
    }
  }
  w_.traces = std::move(left);
}

void ValuedProgram::bind(const workload::TracedKernel& t) {
  const auto& d = std::get<modules::LaunchDescription>(t.source);
  std::unique_ptr<modules::Program>& program = programs_[d.file.string()];
  if (!program) {
    program = modules::load(d.file, memory_);
  }
  Bound b;
  b.launch = d;
  b.program = program.get();
  b.kernel = &program->kernel(d.kernel);
  const auto& parameters = b.kernel->parameters;
  if (d.arguments.size() != parameters.size()) {
    throw Error(fmt::format("{} has {} parameters, and there are {} arguments", d.kernel, parameters.size(),
                            d.arguments.size()));
  }
  for (size_t i = 0; i < d.arguments.size(); ++i) {
    const auto buffer = t.buffers.find(i);
    b.arguments.push_back(buffer != t.buffers.end()
                              ? addresses_.at(buffer->second)
                              : modules::argument(d.arguments[i], parameters[i], memory_).bits);
  }
  kernels_[t.kernel] = std::move(b);
}

void ValuedProgram::run() {
  if (kernels_.empty()) {
    return;
  }
  const auto& threads = w_.program.threads;
  thread_ = static_cast<size_t>(
      std::find_if(threads.begin(), threads.end(), [](const auto& t) { return !t.calls.empty(); }) -
      threads.begin());
  if (thread_ == threads.size()) {
    return;
  }
  calls(threads[thread_].calls, 0);
  // A kernel has the shape and the mean time of its launches, each launch its own time.
  std::map<uint32_t, Times> all;
  auto& kernels = w_.program.kernels;
  for (const auto& [number, t] : times_) {
    Times& sum = all[w_.program.threads[thread_].calls[number].object];
    sum.shape = t.shape;
    sum.sum += t.sum;
    sum.launches += t.launches;
  }
  for (const auto& [kernel, t] : all) {
    fill_shape(t.shape, kernels[kernel]);
    kernels[kernel].duration = host::Ps(t.sum.count() / t.launches);
  }
  for (const auto& [number, t] : times_) {
    host::Call& c = w_.program.threads[thread_].calls[number];
    const host::Ps own(t.sum.count() / t.launches);
    if (own != kernels[c.object].duration) {
      host::KernelDesc variant = kernels[c.object];
      variant.variant_of = c.object;
      variant.duration = own;
      c.object = static_cast<uint32_t>(kernels.size());
      kernels.push_back(std::move(variant));
    }
  }
}

// To the end of the loop that `from` is in, or of all. Returns where that is.
// NOLINTNEXTLINE(misc-no-recursion): workload::kMostLoops deep
size_t ValuedProgram::calls(const std::deque<host::Call>& all, size_t from) {
  size_t i = from;
  for (; i < all.size() && all[i].op != Op::kLoopEnd; ++i) {
    if (all[i].op != Op::kLoopBegin) {
      call(all[i], i);
      continue;
    }
    const uint64_t times = all[i].count;
    const size_t inside = i + 1;
    if (times == 0) {
      refuse(all[i].line, "a loop of no turns is not carried out with kernels that work on buffers");
    }
    for (uint64_t k = 0; k < times; ++k) {
      i = calls(all, inside);
    }
  }
  return i;
}

void ValuedProgram::call(const host::Call& c, size_t number) {
  if (options_.cancel != nullptr && *options_.cancel) {
    throw Cancelled("interrupted");
  }
  switch (c.op) {
    case Op::kLaunch:
      if (const auto k = kernels_.find(c.object); k != kernels_.end()) {
        try {
          launch(k->second, number);
        } catch (const Unsupported& e) {
          refuse(c.line, with_lines(e));
        } catch (const Cancelled&) {
          throw;
        } catch (const Error& e) {
          refuse(c.line, fmt::format("kernel \"{}\": {}", w_.program.kernels[c.object].name, e.what()));
        }
      }
      break;
    case Op::kMemcpy:
    case Op::kMemcpyAsync:
    case Op::kMemset:
    case Op::kMemsetAsync:
      copy(c);
      break;
    default:
      break;
  }
}

// What the call may not do is the model's to say.
void ValuedProgram::copy(const host::Call& c) {
  const auto& buffers = w_.program.buffers;
  const auto room = [&](uint32_t buffer, uint64_t offset) {
    return buffer < buffers.size() && offset <= buffers[buffer].bytes ? buffers[buffer].bytes - offset : 0;
  };
  const uint64_t bytes = std::min(c.bytes, room(c.object, c.offset));
  std::vector<uint8_t> moved;
  if (c.op == Op::kMemset || c.op == Op::kMemsetAsync) {
    moved.resize(bytes);
  } else {
    moved.resize(std::min(bytes, room(c.source, c.source_offset)));
    memory_.read(addresses_.at(c.source) + c.source_offset, moved);
  }
  memory_.write(addresses_.at(c.object) + c.offset, moved);
}

void ValuedProgram::launch(const Bound& b, size_t number) {
  const modules::LaunchDescription& d = b.launch;
  exec::Launch l = b.program->launch(*b.kernel);
  modules::set_shape(l, d.grid, d.block, d.cluster, d.dynamic_shared);
  for (size_t i = 0; i < b.arguments.size(); ++i) {
    modules::set_parameter(*b.kernel, i, b.arguments[i], l);
  }
  if (l.runtime && l.runtime->may_launch()) {
    throw Error(
        "it launches kernels, which a workload says by device_call; or the program is run whole (heddle "
        "exec)");
  }
  const auto printed = std::make_shared<std::string>();
  PlannedLaunch plan;
  plan.source.path = d.file;
  plan.open = [&] { return trace::OpenedTrace{b.program->timed(*b.kernel, l, printed), "executed", ""}; };
  RunSettings settings;
  settings.threads = options_.threads;
  const LaunchRecord r = Simulator(gpu_, settings, *options_.cancel, options_.warn).simulate(plan, nullptr);
  output_ += *printed;
  Times& t = times_[number];
  t.sum += duration_on_device(r, gpu_);
  ++t.launches;
  t.shape = r.shape;
}

std::map<std::string, npy::Array> ValuedProgram::contents() const {
  std::map<std::string, npy::Array> out;
  for (const auto& [buffer, data] : w_.data) {
    npy::Array a = data.data;
    a.bytes.resize(a.elements() * npy::element_bytes(a.type));
    memory_.read(addresses_.at(buffer), a.bytes);
    out[w_.program.buffers[buffer].name] = std::move(a);
  }
  return out;
}

void ValuedProgram::write_results(bool force) const {
  const std::map<std::string, npy::Array> all = contents();
  for (const auto& [buffer, data] : w_.data) {
    if (!data.result.empty()) {
      npy::write(data.result, force ? output::Replace::kAny : output::Replace::kSameKind,
                 all.at(w_.program.buffers[buffer].name));
    }
  }
}

}  // namespace heddle::analysis
