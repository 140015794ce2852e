#include "analysis/report/graph_dot.h"

#include <fmt/format.h>

namespace heddle::analysis {
namespace {

using host::GraphDesc;
using host::GraphNode;
using host::NodeKind;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + "\"";
}

// What the node does, and its shape.
struct Looks {
  std::string text;
  const char* shape;
};

Looks looks(const host::Program& p, const GraphNode& n) {
  const auto buffer = [&](uint32_t b) { return p.buffers[b].name; };
  switch (n.kind) {
    case NodeKind::kKernel:
      return {"kernel " + p.kernels[n.object].name, "box"};
    case NodeKind::kMemcpy:
      return {fmt::format("memcpy {} to {}, {} bytes", buffer(n.source), buffer(n.object), n.bytes),
              "invtrapezium"};
    case NodeKind::kMemset:
      return {fmt::format("memset {}, {} bytes", buffer(n.object), n.bytes), "invtrapezium"};
    case NodeKind::kHost:
      return {"host function", "ellipse"};
    case NodeKind::kEmpty:
      return {"empty", "point"};
    case NodeKind::kEventRecord:
      return {"record event " + p.events[n.object].name, "ellipse"};
    case NodeKind::kEventWait:
      return {"wait for event " + p.events[n.object].name, "ellipse"};
    case NodeKind::kChild:
      return {"child graph " + p.graphs[n.object].name, "folder"};
    case NodeKind::kConditional:
      return {fmt::format("{} {}",
                          n.condition == GraphNode::Condition::kIf      ? "if"
                          : n.condition == GraphNode::Condition::kWhile ? "while"
                                                                        : "switch",
                          p.handles[n.object].name),
              "diamond"};
    case NodeKind::kMemAlloc:
      return {fmt::format("alloc {}, {} bytes", buffer(n.object), p.buffers[n.object].bytes), "cds"};
    case NodeKind::kMemFree:
      return {"free " + buffer(n.object), "cds"};
  }
  return {"", "box"};
}

const char* label_of(host::EdgeData e) {
  return e.from_port == 1   ? " [label=\"programmatic\"]"
         : e.from_port == 2 ? " [label=\"launch completion\"]"
                            : "";
}

}  // namespace

std::string graphs_as_dot(const host::Program& program, const std::vector<GraphDesc>& graphs) {
  std::string out = "digraph heddle {\n  compound=true\n";
  std::string between;  // clusters
  for (size_t g = 0; g < graphs.size(); ++g) {
    const GraphDesc& d = graphs[g];
    out += fmt::format("  subgraph cluster_{} {{\n    label={}\n", g, quoted(d.name));
    for (size_t i = 0; i < d.nodes.size(); ++i) {
      const GraphNode& n = d.nodes[i];
      const Looks l = looks(program, n);
      const std::string text =
          n.name.empty() || l.text.ends_with(" " + n.name) ? l.text : n.name + ": " + l.text;
      out += fmt::format("    g{}_{} [label={} shape={}]\n", g, i, quoted(text), l.shape);
      for (size_t a = 0; a < n.after.size(); ++a) {
        out += fmt::format("    g{}_{} -> g{}_{}{}\n", g, n.after[a], g, i, label_of(n.edge(a)));
      }
      std::vector<uint32_t> runs = n.bodies;
      if (n.kind == NodeKind::kChild) {
        runs = {n.object};
      }
      for (const uint32_t r : runs) {
        if (!graphs[r].nodes.empty()) {
          between += fmt::format("  g{}_{} -> g{}_0 [lhead=cluster_{} style=dashed]\n", g, i, r, r);
        }
      }
    }
    out += "  }\n";
  }
  return out + between + "}\n";
}

}  // namespace heddle::analysis
