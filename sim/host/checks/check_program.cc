#include "sim/host/checks/check_program.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "sim/host/checks/check_calls.h"
#include "sim/host/program/call_type.h"
#include "sim/host/program/program_error.h"

namespace heddle::host {
namespace {

constexpr uint32_t kMostThreads = 1024;  // of a block

// How many of its kind there are; nothing for what is no reference.
std::optional<size_t> count_of(const Program& p, Argument::Kind kind) {
  using K = Argument::Kind;
  switch (kind) {
    case K::kStream:
      return p.streams.size();
    case K::kBuffer:
      return p.buffers.size();
    case K::kKernel:
      return p.kernels.size();
    case K::kEvent:
      return p.events.size();
    case K::kFlag:
      return p.flags.size();
    case K::kQueue:
      return p.queues.size();
    case K::kPool:
      return p.pools.size();
    case K::kPhysical:
      return p.physical.size();
    case K::kGraph:
      return p.graphs.size();
    case K::kExec:
      return p.graph_execs.size();
    case K::kChange:
      return p.node_changes.size();
    case K::kDevice:
      return p.devices;
    default:
      return std::nullopt;
  }
}

// Of a call's second reference, behind its object.
const char* kind_name(Argument::Kind kind) {
  using K = Argument::Kind;
  switch (kind) {
    case K::kBuffer:
      return "source buffer";
    case K::kEvent:
      return "event";
    case K::kPool:
      return "pool";
    case K::kPhysical:
      return "physical memory";
    case K::kGraph:
      return "graph";
    case K::kChange:
      return "change";
    default:
      return "device";
  }
}

void check_access(const Program& p, const Access& a, uint32_t line) {
  if (a.buffer >= p.buffers.size()) {
    throw ProgramError(line, "an access to no buffer: " + std::to_string(a.buffer));
  }
  const BufferDesc& b = p.buffers[a.buffer];
  if (a.offset > b.bytes || a.bytes > b.bytes - a.offset) {
    throw ProgramError(line, "an access to " + std::to_string(a.bytes) + " bytes from " +
                                 std::to_string(a.offset) + " on, but buffer " + b.name + " has " +
                                 std::to_string(b.bytes));
  }
}

// The call's references: its object, or all others.
void check_references(const Program& p, const Call& c, bool object) {
  for (const Argument& a : c.type->arguments) {
    const auto* const member = std::get_if<uint32_t Call::*>(&a.member);
    const std::optional<size_t> count = count_of(p, a.kind);
    if (!member || !count || (*member == &Call::object) != object) {
      continue;
    }
    const uint32_t id = c.*(*member);
    if (id >= *count && !(a.given == Argument::Given::kMaybe && id == kNone)) {
      throw ProgramError(
          c.line,
          (object ? "no such object: " : std::string("no ") + kind_name(a.kind) + " ") + std::to_string(id));
    }
  }
}

void check_call(const Program& p, const Call& c) {
  if (c.stream >= p.streams.size()) {
    throw ProgramError(c.line, "no stream " + std::to_string(c.stream));
  }
  check_references(p, c, true);
  if (c.type->check) {
    c.type->check(p, c);
  }
  check_references(p, c, false);
  if (c.window != kNone && c.window >= p.windows.size()) {
    throw ProgramError(c.line, "no window " + std::to_string(c.window));
  }
  if (c.first_access > p.accesses.size() || c.accesses > p.accesses.size() - c.first_access) {
    throw ProgramError(c.line, "accesses that the program does not have");
  }
}

void check_graph(const Program& p, const GraphDesc& g) {
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const GraphNode& n = g.nodes[i];
    const auto need = [&](uint32_t index, size_t count, const char* what) {
      if (index >= count) {
        throw ProgramError(n.line, "graph " + g.name + ", node " + std::to_string(i + 1) + ": no " + what +
                                       " " + std::to_string(index));
      }
    };
    for (uint32_t from : n.after) {
      need(from, g.nodes.size(), "node");
    }
    switch (n.kind) {
      case NodeKind::kKernel:
        if (n.device != kNone) {
          need(n.device, p.devices, "device");
        }
        need(n.object, p.kernels.size(), "kernel");
        if (n.window != kNone) {
          need(n.window, p.windows.size(), "window");
        }
        break;
      case NodeKind::kMemcpy:
        need(n.source, p.buffers.size(), "buffer");
        if (n.rows == 0 || n.rows > std::max<uint64_t>(1, n.bytes)) {
          throw ProgramError(n.line, "graph " + g.name + ", node " + std::to_string(i + 1) +
                                         ": rows: " + std::to_string(n.rows) + ": legal: 1 to the " +
                                         std::to_string(n.bytes) + " bytes");
        }
        [[fallthrough]];
      case NodeKind::kMemset:
        need(n.object, p.buffers.size(), "buffer");
        break;
      case NodeKind::kEventRecord:
      case NodeKind::kEventWait:
        need(n.object, p.events.size(), "event");
        break;
      case NodeKind::kChild:
        need(n.object, p.graphs.size(), "graph");
        break;
      case NodeKind::kMemAlloc:
      case NodeKind::kMemFree:
        need(n.object, p.buffers.size(), "buffer");
        if (p.buffers[n.object].memory != Memory::kDevice || !p.buffers[n.object].allocated_by_call ||
            p.buffers[n.object].reserved) {
          throw ProgramError(n.line, "graph " + g.name + ", node " + std::to_string(i + 1) + ": buffer " +
                                         p.buffers[n.object].name +
                                         " is not device memory that is allocated by a call");
        }
        for (uint32_t d : n.access) {
          need(d, p.devices, "device");
        }
        break;
      case NodeKind::kHost:
        if (n.object != kNone) {
          need(n.object, p.flags.size(), "flag");
        }
        break;
      case NodeKind::kConditional:
        need(n.object, p.handles.size(), "handle");
        for (uint32_t body : n.bodies) {
          need(body, p.graphs.size(), "graph");
        }
        break;
      case NodeKind::kEmpty:
        break;
    }
  }
  if (g.device >= p.devices) {
    throw ProgramError(g.line, "graph " + g.name + ": no device " + std::to_string(g.device));
  }
}

template <class Of>
void check_device(const Program& p, const char* what, const Of& of) {
  if (of.device >= p.devices) {
    throw ProgramError(of.line, std::string(what) + " " + of.name + ": no device " +
                                    std::to_string(of.device) + "; there are " + std::to_string(p.devices));
  }
}

void check_buffer(const Program& p, const BufferDesc& b) {
  check_device(p, "buffer", b);
  if (b.reserved && (b.memory != Memory::kDevice || !b.allocated_by_call)) {
    throw ProgramError(b.line, "buffer " + b.name + ": virtual memory is reserved by a call, of a device");
  }
  // More than a device has is an error of the call that asks for it.
  if (b.bytes > kMostBytes && (b.memory != Memory::kDevice || b.reserved)) {
    throw ProgramError(b.line, "buffer " + b.name + ": " + std::to_string(b.bytes) + " bytes" + kLegalBytes);
  }
}

void check_objects(const Program& p) {
  if (!p.visible.empty() && p.visible.size() != p.devices) {
    throw ProgramError(0, "as many visible devices as there are");
  }
  if (p.devices == 0 || p.devices > kMostDevices || p.streams.size() < p.devices) {
    throw ProgramError(0, "a program has 1 to " + std::to_string(kMostDevices) +
                              " devices, and a legacy default stream for each");
  }
  for (size_t i = 0; i < p.devices; ++i) {
    if (p.streams[i].device != i) {
      throw ProgramError(0, "the first streams are the devices' legacy default streams, in order");
    }
  }
  for (const PhysicalDesc& m : p.physical) {
    check_device(p, "physical memory", m);
  }
}

void check_kernel(const Program& p, const KernelDesc& k) {
  const auto refuse = [&](const std::string& what) {
    throw ProgramError(k.line, "kernel " + k.name + ": " + what);
  };
  for (const Access& a : k.accesses) {
    check_access(p, a, k.line);
  }
  for (const DeviceLaunch& l : k.launches) {
    if (l.exec != kNone && l.exec >= p.graph_execs.size()) {
      refuse("no graph exec " + std::to_string(l.exec));
    }
    if (l.times > kMostThreads) {
      refuse("graph_launch: times: " + std::to_string(l.times) + "; legal: up to " +
             std::to_string(kMostThreads));
    }
  }
  for (const DeviceCall& c : k.calls) {
    if (c.threads > kMostThreads) {
      refuse("device_call: threads: " + std::to_string(c.threads) + "; legal: up to the " +
             std::to_string(kMostThreads) + " of a block");
    }
  }
  for (uint32_t f : {k.until_flag, k.sets_flag}) {
    if (f != kNone && f >= p.flags.size()) {
      refuse("no flag " + std::to_string(f));
    }
  }
  if (k.sets_handle != kNone && k.sets_handle >= p.handles.size()) {
    refuse("no handle " + std::to_string(k.sets_handle));
  }
}

void check_call_of(const Program& p, const ThreadDesc& t, size_t i) {
  const Call& c = t.calls[i];
  if (c.type == nullptr) {
    throw ProgramError(c.line, "thread " + t.name + ", call " + std::to_string(i + 1) + ": not declared");
  }
  try {
    check_call(p, c);
    for (uint32_t a = 0; a < c.accesses; ++a) {
      check_access(p, p.accesses[c.first_access + a], c.line);
    }
  } catch (const ProgramError& e) {
    const std::string number = t.live ? " (" : ", call " + std::to_string(i + 1) + " (";
    throw ProgramError(c.line, "thread " + t.name + number + c.type->name + "): " + e.what());
  }
}

void check_thread(const Program& p, const ThreadDesc& t) {
  size_t depth = 0;
  for (size_t i = 0; i < t.calls.size(); ++i) {
    check_call_of(p, t, i);
    const Call& c = t.calls[i];
    depth += c.op == Op::kLoopBegin ? 1 : 0;
    if (c.op == Op::kLoopEnd && depth-- == 0) {
      throw ProgramError(c.line, "thread " + t.name + ", call " + std::to_string(i + 1) + " (" +
                                     c.type->name + "): the end of no loop");
    }
  }
  if (depth > 0) {
    throw ProgramError(t.line, "thread " + t.name + ": a loop without an end");
  }
}

}  // namespace

void check_program(const Program& p) {
  check_objects(p);
  Sizes none{Program{}};
  check_more(p, none);
  check_calls(p);
  for (const NodeChange& n : p.node_changes) {
    GraphDesc g;
    g.name = "(change)";
    g.nodes.push_back(n.to);
    check_graph(p, g);
  }
  for (const WindowDesc& w : p.windows) {
    check_access(p, {w.buffer, true, false, false, w.offset, w.bytes}, 0);
  }
  for (const ThreadDesc& t : p.threads) {
    check_thread(p, t);
  }
  for (const Access& a : p.accesses) {
    check_access(p, a, 0);
  }
}

void check_more(const Program& p, const Sizes& before) {
  for (size_t i = before.streams; i < p.streams.size(); ++i) {
    check_device(p, "stream", p.streams[i]);
  }
  for (size_t i = before.events; i < p.events.size(); ++i) {
    check_device(p, "event", p.events[i]);
  }
  for (size_t i = before.buffers; i < p.buffers.size(); ++i) {
    check_buffer(p, p.buffers[i]);
  }
  for (size_t i = before.pools; i < p.pools.size(); ++i) {
    check_device(p, "pool", p.pools[i]);
  }
  for (size_t k = before.kernels; k < p.kernels.size(); ++k) {
    check_kernel(p, p.kernels[k]);
  }
  for (size_t g = before.graphs; g < p.graphs.size(); ++g) {
    check_graph(p, p.graphs[g]);
  }
}

void check_more(const Program& p, uint32_t thread, size_t call) { check_call_of(p, p.threads[thread], call); }

}  // namespace heddle::host
