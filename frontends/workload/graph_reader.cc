#include "frontends/workload/graph_reader.h"

#include <algorithm>
#include <map>

#include "frontends/workload/read_kernel.h"

namespace heddle::workload {

using host::NodeKind;

Node find_node(const proto::NodeSet& n, const Builder& w, const Names& names) {
  const std::vector<host::GraphNode>& nodes = w.program().graphs[names.graph(n.graph()).id].nodes;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name == n.node()) {
      return {i};
    }
  }
  if (n.node().empty() || n.node().size() > 6 ||
      n.node().find_first_not_of("0123456789") != std::string::npos) {
    names.refuse("no node \"" + n.node() + "\" in graph \"" + n.graph() + "\"");
  }
  return {static_cast<uint32_t>(std::stoul(n.node()))};
}

std::vector<host::DeviceLaunch> read_device_launches(const proto::Kernel& k, const Names& names) {
  std::vector<host::DeviceLaunch> out;
  for (const proto::DeviceLaunch& l : k.graph_launch()) {
    if (!(l.after_us() >= 0 && l.after_us() <= 1e9)) {
      names.refuse("kernel \"" + k.name() + "\": times are from 0 to 1e9 microseconds");
    }
    using Into = host::DeviceLaunch::Into;
    out.push_back({l.into() == proto::DeviceLaunch::TAIL      ? Into::kTail
                   : l.into() == proto::DeviceLaunch::SIBLING ? Into::kSibling
                                                              : Into::kFireAndForget,
                   l.has_exec() ? names.exec(l.exec()).id : host::kNone, host::from_us(l.after_us()),
                   l.times(), l.has_executions() ? l.executions() : UINT64_MAX});
  }
  return out;
}

namespace {

// Bytes from the offset on.
uint64_t rest_of(const Builder& w, Buffer b, uint64_t offset) {
  const uint64_t size = w.program().buffers[b.id].bytes;
  return size - std::min(size, offset);
}

void read_copy_node(const proto::Copy& c, const Builder& w, const Names& names, host::GraphNode& out) {
  const Buffer to = names.buffer(c.to()), from = names.buffer(c.from());
  if (c.rows() == 0) {
    names.refuse("rows: at least 1");
  }
  out.kind = NodeKind::kMemcpy;
  out.object = to.id;
  out.source = from.id;
  out.bytes =
      c.bytes() ? c.bytes() : std::min(rest_of(w, to, c.to_offset()), rest_of(w, from, c.from_offset()));
  out.offset = c.to_offset();
  out.source_offset = c.from_offset();
  out.rows = c.rows();
}

void read_host_node(const proto::HostFunction& f, const Names& names, host::GraphNode& out) {
  if (!(f.us() >= 0 && f.us() <= 1e9)) {
    names.refuse("us: 0 to 1e9");
  }
  out.kind = NodeKind::kHost;
  out.duration = host::from_us(f.us());
  out.calls_cuda = f.calls_cuda();
  if (f.has_sets_flag()) {
    out.object = names.flag(f.sets_flag()).id;
  }
}

void read_conditional(const proto::Conditional& c, const Names& names, host::GraphNode& out) {
  out.kind = NodeKind::kConditional;
  out.object = names.handle(c.handle()).id;
  out.condition = c.kind() == proto::Conditional::IF      ? host::GraphNode::Condition::kIf
                  : c.kind() == proto::Conditional::WHILE ? host::GraphNode::Condition::kWhile
                                                          : host::GraphNode::Condition::kSwitch;
  for (const std::string& body : c.body()) {
    out.bodies.push_back(names.graph(body).id);
  }
}

}  // namespace

host::GraphNode read_node(const proto::Node& n, const Builder& w, const Names& names) {
  using What = proto::Node::WhatCase;
  host::GraphNode out;
  out.name = n.name();
  out.line = names.line();
  out.has_priority = n.has_priority();
  out.priority = n.priority();
  if (n.has_window()) {
    out.window = names.window(n.window()).id;
  }
  out.domain = read_domain(n.sync_domain(), names);
  switch (n.what_case()) {
    case What::kKernel:
      out.kind = NodeKind::kKernel;
      out.object = names.kernel(n.kernel()).id;
      break;
    case What::kMemcpy:
      read_copy_node(n.memcpy(), w, names, out);
      break;
    case What::kMemset: {
      const Buffer to = names.buffer(n.memset().to());
      out.kind = NodeKind::kMemset;
      out.object = to.id;
      out.bytes = n.memset().bytes() ? n.memset().bytes() : rest_of(w, to, n.memset().offset());
      out.offset = n.memset().offset();
      break;
    }
    case What::kHost:
      read_host_node(n.host(), names, out);
      break;
    case What::kEventRecord:
      out.kind = NodeKind::kEventRecord;
      out.object = names.event(n.event_record()).id;
      break;
    case What::kEventWait:
      out.kind = NodeKind::kEventWait;
      out.object = names.event(n.event_wait()).id;
      break;
    case What::kChild:
      out.kind = NodeKind::kChild;
      out.object = names.graph(n.child()).id;
      break;
    case What::kConditional:
      read_conditional(n.conditional(), names, out);
      break;
    case What::kMemAlloc:
      out.kind = NodeKind::kMemAlloc;
      out.object = names.buffer(n.mem_alloc().buffer()).id;
      out.access.assign(n.mem_alloc().access_device().begin(), n.mem_alloc().access_device().end());
      break;
    case What::kMemFree:
      out.kind = NodeKind::kMemFree;
      out.object = names.buffer(n.mem_free()).id;
      break;
    case What::kEmpty:
      break;
    case What::WHAT_NOT_SET:
      names.refuse(
          "a node needs one of kernel, memcpy, memset, host, empty, event_record, event_wait, child, "
          "conditional, mem_alloc, mem_free");
  }
  return out;
}

void read_nodes(const proto::Graph& g, Builder& w, Graph id, const Names& names,
                const std::function<void(int)>& at) {
  std::map<std::string, uint32_t> index;
  for (int i = 0; i < g.node_size(); ++i) {
    at(i);
    if (!g.node(i).name().empty() && !index.emplace(g.node(i).name(), static_cast<uint32_t>(i)).second) {
      names.refuse("node \"" + g.node(i).name() + "\" is given twice");
    }
  }
  for (int i = 0; i < g.node_size(); ++i) {
    at(i);
    host::GraphNode n = read_node(g.node(i), w, names);
    const auto add_edge = [&](const std::string& from, host::EdgeData edge) {
      const auto it = index.find(from);
      if (it == index.end()) {
        names.refuse("no node \"" + from + "\" in graph \"" + g.name() + "\"");
      } else {
        n.after.push_back(it->second);
        n.edges.push_back(edge);
      }
    };
    for (const std::string& from : g.node(i).after()) {
      add_edge(from, {});
    }
    for (const proto::Edge& e : g.node(i).edge()) {
      add_edge(e.from(), {static_cast<uint8_t>(e.from_port()), 0, static_cast<uint8_t>(e.type())});
    }
    add_node(w, id, n);
  }
}

}  // namespace heddle::workload
