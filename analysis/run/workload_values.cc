#include "analysis/run/workload_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/output/place.h"
#include "frontends/workload/run.h"
#include "sim/base/cancelled.h"
#include "sim/base/error.h"

namespace heddle::analysis {

using host::Op;

WorkloadValues::WorkloadValues(TracedKernels& kernels, workload::Workload& w)
    : kernels_(kernels), w_(w), computes_(std::any_of(w.traces.begin(), w.traces.end(), [](const auto& t) {
        return !t.buffers.empty();
      })) {
  if (!computes_ && !w.data.empty()) {
    refuse(w.program.buffers[w.data.begin()->first].line,
           "a buffer with `data` or `result`, and no kernel of a module has it as an argument (&NAME)");
  }
  allocate();
  for (auto& [buffer, data] : w_.data) {
    kernels_.memory().write(addresses_[buffer], std::exchange(data.data.bytes, {}));
  }
  follow();
}

void WorkloadValues::refuse(uint32_t line, const std::string& what) const {
  throw Error(w_.file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what);
}

// All buffers have memory here, the host's, too: copies look the same everywhere.
void WorkloadValues::allocate() {
  const auto& buffers = w_.program.buffers;
  while (computes_ && addresses_.size() < buffers.size()) {
    const uint64_t bytes = buffers[addresses_.size()].bytes;
    addresses_.push_back(kernels_.memory().allocate(std::max<uint64_t>(bytes, 1)));
    kernels_.memory().mark_written(addresses_.back(), bytes);
  }
}

void WorkloadValues::follow() {
  allocate();
  workload::bind_traces(w_, [this](const workload::TracedKernel& t, host::KernelDesc& k) {
    std::map<size_t, uint64_t> arguments;
    for (const auto& [argument, buffer] : t.buffers) {
      arguments[argument] = addresses_[buffer];
    }
    const uint32_t number = kernels_.fill(t.source, arguments, k);
    if (!arguments.empty() && kernels_.model() == nullptr) {
      alone_[t.kernel] = number;
    }
  });
  if (!computes_) {
    return;
  }
  host::Program& p = w_.program;
  calls_.resize(p.threads.size());
  for (size_t t = 0; t < p.threads.size(); ++t) {
    for (size_t& i = calls_[t]; i < p.threads[t].calls.size(); ++i) {
      note(p.threads[t].calls[i]);
    }
  }
  for (; graphs_ < p.graphs.size(); ++graphs_) {
    for (host::GraphNode& n : p.graphs[graphs_].nodes) {
      note(n);
    }
  }
  for (; changes_ < p.node_changes.size(); ++changes_) {
    note(p.node_changes[changes_].to);
  }
}

void WorkloadValues::note(host::Call& c) {
  switch (c.op) {
    case Op::kLaunch:
      c.values = alone_.count(c.object) != 0 ? kKernel : 0;
      break;
    case Op::kMemcpy:
    case Op::kMemcpyAsync:
      c.values = move(c.object, c.offset, c.source, c.source_offset, c.bytes);
      break;
    case Op::kMemset:
    case Op::kMemsetAsync:
      c.values = move(c.object, c.offset, host::kNone, 0, c.bytes);
      break;
    default:
      break;
  }
}

void WorkloadValues::note(host::GraphNode& n) {
  switch (n.kind) {
    case host::NodeKind::kKernel:
      n.values = alone_.count(n.object) != 0 ? kKernel : 0;
      break;
    case host::NodeKind::kMemcpy:
      n.values = move(n.object, n.offset, n.source, n.source_offset, n.bytes);
      break;
    case host::NodeKind::kMemset:
      n.values = move(n.object, n.offset, host::kNone, 0, n.bytes);
      break;
    default:
      break;
  }
}

// What goes beyond a buffer is an error of the model's, and does not happen.
uint64_t WorkloadValues::move(uint32_t to, uint64_t offset, uint32_t from, uint64_t from_offset,
                              uint64_t bytes) {
  const auto& buffers = w_.program.buffers;
  const auto room = [&](uint32_t buffer, uint64_t at) {
    return buffer < buffers.size() && at <= buffers[buffer].bytes ? buffers[buffer].bytes - at : 0;
  };
  bytes = std::min(bytes, room(to, offset));
  Move m;
  if (from != host::kNone) {
    bytes = std::min(bytes, room(from, from_offset));
    m.from = bytes != 0 ? addresses_[from] + from_offset : 0;
  }
  m.bytes = bytes;
  m.to = bytes != 0 ? addresses_[to] + offset : 0;
  moves_.push_back(std::move(m));
  return moves_.size() - 1 + kFirstMove;
}

std::vector<uint8_t> WorkloadValues::source(const Move& m) const {
  std::vector<uint8_t> out(m.bytes);
  if (m.from != 0) {
    kernels_.memory().read(m.from, out);
  }
  return out;
}

void WorkloadValues::reads(uint64_t values) { of(values).taken.push_back(source(of(values))); }

void WorkloadValues::happens(uint64_t values) {
  Move& m = of(values);
  if (m.bytes == 0) {
    return;
  }
  if (m.taken.empty()) {
    kernels_.memory().write(m.to, source(m));
  } else {
    kernels_.memory().write(m.to, m.taken.front());
    m.taken.pop_front();
  }
}

host::Ps WorkloadValues::begins(uint64_t /*values*/, uint32_t kernel) {
  const host::KernelDesc& k = w_.program.kernels[kernel];
  try {
    return kernels_.execute(alone_.at(kernel));
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& e) {
    refuse(k.line, fmt::format("kernel \"{}\": {}", k.name, e.what()));
  }
}

std::map<std::string, npy::Array> WorkloadValues::contents() const {
  std::map<std::string, npy::Array> out;
  for (const auto& [buffer, data] : w_.data) {
    npy::Array a = data.data;
    a.bytes.resize(a.elements() * npy::element_bytes(a.type));
    kernels_.memory().read(addresses_[buffer], a.bytes);
    out[w_.program.buffers[buffer].name] = std::move(a);
  }
  return out;
}

void WorkloadValues::write_results(bool force) const {
  const std::map<std::string, npy::Array> all = contents();
  for (const auto& [buffer, data] : w_.data) {
    if (!data.result.empty()) {
      npy::write(data.result, force ? output::Replace::kAny : output::Replace::kSameKind,
                 all.at(w_.program.buffers[buffer].name));
    }
  }
}

}  // namespace heddle::analysis
