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
  for (auto& [buffer, data] : w_.data) {
    kernels_.memory().write(address(buffer), std::exchange(data.data.bytes, {}));
    held_[buffer].stays = true;
  }
  follow();
}

void WorkloadValues::refuse(uint32_t line, const std::string& what) const {
  throw Error(w_.file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what);
}

// The host's memory is here, too: copies look the same everywhere.
uint64_t WorkloadValues::address(uint32_t buffer) {
  Held& h = held_[buffer];
  if (h.address == 0) {
    const uint64_t bytes = w_.program.buffers[buffer].bytes;
    h.address = kernels_.memory().allocate(std::max<uint64_t>(bytes, 1));
    kernels_.memory().mark_written(h.address, bytes);
  }
  return h.address;
}

void WorkloadValues::freed(uint32_t buffer) {
  const auto it = held_.find(buffer);
  if (it != held_.end() && !it->second.stays) {
    kernels_.memory().release(it->second.address);
    held_.erase(it);
  }
}

void WorkloadValues::follow() {
  workload::bind_traces(w_, [this](const workload::TracedKernel& t, host::KernelDesc& k) {
    std::map<size_t, uint64_t> arguments;
    for (const auto& [argument, buffer] : t.buffers) {
      arguments[argument] = address(buffer);
      held_[buffer].stays = true;
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
  for (; kernels_seen_ < p.kernels.size(); ++kernels_seen_) {
    const host::KernelDesc& k = p.kernels[kernels_seen_];
    if (std::any_of(k.calls.begin(), k.calls.end(),
                    [&](const auto& c) { return alone_.count(c.kernel) != 0; })) {
      refuse(k.line,
             "kernel \"" + k.name + "\": kernels on buffers that it launches compute --together alone");
    }
  }
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
      c.values = move({c.object, c.source, c.offset, c.source_offset, c.bytes, {}}, c.rows, c.line);
      break;
    case Op::kMemset:
    case Op::kMemsetAsync:
      c.values = move({c.object, host::kNone, c.offset, 0, c.bytes, {}}, 1, c.line);
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
      n.values = move({n.object, n.source, n.offset, n.source_offset, n.bytes, {}}, n.rows, n.line);
      break;
    case host::NodeKind::kMemset:
      n.values = move({n.object, host::kNone, n.offset, 0, n.bytes, {}}, 1, n.line);
      break;
    default:
      break;
  }
}

// What goes beyond a buffer is an error of the model's, and does not happen.
uint64_t WorkloadValues::move(const Move& all, uint32_t rows, uint32_t line) {
  if (rows > 1) {
    refuse(
        line,
        "a copy of rows moves no data: their places are not in a workload (legal beside kernels on buffers: "
        "a copy a row)");
  }
  const auto& buffers = w_.program.buffers;
  const auto room = [&](uint32_t buffer, uint64_t at) {
    return buffer < buffers.size() && at <= buffers[buffer].bytes ? buffers[buffer].bytes - at : 0;
  };
  Move m = all;
  m.bytes = std::min(m.bytes, room(m.to, m.to_offset));
  if (m.from != host::kNone) {
    m.bytes = std::min(m.bytes, room(m.from, m.from_offset));
  }
  moves_.push_back(std::move(m));
  return moves_.size() - 1 + kFirstMove;
}

std::vector<uint8_t> WorkloadValues::source(const Move& m) const {
  std::vector<uint8_t> out;
  if (const auto from = held_.find(m.from); m.from != host::kNone && from != held_.end()) {
    out.resize(m.bytes);
    kernels_.memory().read(from->second.address + m.from_offset, out);
  }
  return out;
}

void WorkloadValues::reads(uint64_t values) { of(values).taken.push_back(source(of(values))); }

void WorkloadValues::happens(uint64_t values) {
  Move& m = of(values);
  std::vector<uint8_t> moved;
  if (m.taken.empty()) {
    moved = source(m);
  } else {
    moved = std::move(m.taken.front());
    m.taken.pop_front();
  }
  if (!moved.empty()) {
    kernels_.memory().write(address(m.to) + m.to_offset, moved);
  } else if (const auto to = held_.find(m.to); to != held_.end() && m.bytes != 0) {
    std::fill_n(kernels_.memory().find(to->second.address + m.to_offset, m.bytes), m.bytes, uint8_t{0});
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
    kernels_.memory().read(held_.at(buffer).address, a.bytes);
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
