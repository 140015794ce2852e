// Graphs of a workload file, and the calls that use them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontends/workload/graph_builder.h"
#include "frontends/workload/workload.pb.h"

namespace heddle::workload {

// What the reader knows of names. Each refuses, with the line, a name that there is not.
struct Names {
  std::function<Kernel(const std::string&)> kernel;
  std::function<Buffer(const std::string&)> buffer;
  std::function<Event(const std::string&)> event;
  std::function<Flag(const std::string&)> flag;
  std::function<Queue(const std::string&)> queue;
  std::function<Graph(const std::string&)> graph;
  std::function<Handle(const std::string&)> handle;
  std::function<GraphExec(const std::string&)> exec;
  std::function<Pool(const std::string&)> pool;  // empty: the default pool
  std::function<Physical(const std::string&)> physical;
  // Left out: stream 0.
  std::function<Stream(bool given, const std::string&)> stream;
  std::function<void(const std::string&)> refuse;  // throws
  std::function<uint32_t()> line;                  // where the reader is
  std::function<Window(const proto::AccessWindow&)> window;
  // Puts them into the program, for the call.
  std::function<void(const std::vector<proto::Access>&, host::Call&)> accesses;
  std::function<Node(const proto::NodeSet&)> node;
  std::function<Change(const proto::NodeSet&)> change;
};

std::vector<host::DeviceLaunch> read_device_launches(const proto::Kernel& k, const Names& names);
// The node without its edges.
host::GraphNode read_node(const proto::Node& n, const Builder& w, const Names& names);
// Adds the graph's nodes, after all graphs have been named. `at(i)`: the reader is at node i now.
void read_nodes(const proto::Graph& g, Builder& w, Graph id, const Names& names,
                const std::function<void(int)>& at);
// By name, or, where the file does not know the nodes, by number.
Node find_node(const proto::NodeSet& n, const Builder& w, const Names& names);

}  // namespace heddle::workload
